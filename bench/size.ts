import { request } from 'undici';
import type { Section } from './bench.ts';
import { type Child, number, startChild, string } from './child.ts';
import { actionId, commonStatus } from './data-set.ts';
import { atMost, type Row } from './row.ts';
import { alternate, median } from './samples.ts';
import { figure } from './table.ts';

const small = 1000;

/** What a page costs a fake that holds much, beside one that holds little; and what it costs to hold much. */
export const size: Section = async ({ isQuick, rounds, empty }) => {
  const large = isQuick ? 100_000 : 1_000_000;
  const started: Child[] = [];
  const child = async (module: string, ...args: readonly string[]): Promise<Child> => {
    const running = await startChild(module, ...args);
    started.push(running);
    return running;
  };
  try {
    const generator = await child('load');
    const much = await child('fake', String(large));
    const little = await child('fake', String(small));
    const [muchFirst, littleFirst] = [await firstFiltered(much), await firstFiltered(little)];

    const longWalk = await walk(much);
    const shortWalks: Walk[] = [];
    // As many that the server has run long enough to be as quick as it gets; each over data that nobody has asked for yet.
    for (let time = 0; time < 200; time += 1) {
      await little.ask({ seeds: 1 });
      shortWalks.push(await walk(little));
    }
    const checkpointsOf = (fake: Child) => (fake === much ? longWalk : shortWalks.at(-1))?.checkpoints ?? [];
    const cpuOf = async (fake: Child, page: Page, seconds: number): Promise<number> => {
      const all = page.paths(checkpointsOf(fake));
      const urls = page.part(all).map((path) => `${string(fake.told, 'url')}${path}`);
      const before = number(await fake.ask({}), 'cpu');
      const asked = { urls: urls.join('\n'), token: string(fake.told, 'token'), connections: 4, seconds };
      const found = await generator.ask(asked);
      return ((number(await fake.ask({}), 'cpu') - before) / number(found, 'requests')) * 1_000_000;
    };
    const seconds = isQuick ? 0.3 : 1;
    for (const page of pages) for (const fake of [much, little]) await cpuOf(fake, page, seconds);
    const rows: Row[] = [];
    for (const page of pages) {
      const [muches = [], littles = []] = await alternate(
        rounds,
        [much, little].map((fake) => () => cpuOf(fake, page, seconds)),
      );
      rows.push({
        name: `size/${page.name}`,
        what: `page of ${figure(large)} ${page.what}, asked for again and again: CPU`,
        value: median(muches),
        unit: 'µs',
        beside: { what: `µs, of ${figure(small)}`, value: median(littles) },
        goal: atMost(1.5),
        cpu: true,
      });
    }

    const loading = `loading ${figure(large)} experiments and ${figure(large)} versions`;
    return [
      ...rows,
      {
        name: 'size/walk',
        what: `walking ${figure(large)} experiments, each page seen once: CPU of a page`,
        value: longWalk.cpu,
        unit: 'µs',
        beside: {
          what: `µs, of ${figure(small)}`,
          // A walk is too short for the clock of CPU time: many together are not.
          value: mean(shortWalks.slice(-100).map(({ cpu }) => cpu)),
        },
        goal: atMost(1.5),
        cpu: true,
      },
      {
        name: 'size/new-filter',
        what: 'the very first page under a filter, which makes its index',
        value: muchFirst,
        unit: 'ms',
        beside: { what: `ms, of ${figure(small)}`, value: littleFirst },
      },
      {
        name: 'size/load',
        what: loading,
        value: number(much.told, 'seconds'),
        unit: 's',
        goal: atMost(10),
      },
      {
        name: 'size/load-cpu',
        what: `${loading}: CPU`,
        value: number(much.told, 'cpu'),
        unit: 's',
        beside: empty,
        cpu: true,
      },
      {
        name: 'size/load-memory',
        what: `${loading}: most memory, with the caller's own copy`,
        value: number(much.told, 'peak'),
        unit: 'MB',
        goal: atMost(1500),
      },
      {
        name: 'size/memory',
        what: 'most memory after all those pages',
        value: number(await much.ask({}), 'peak'),
        unit: 'MB',
      },
    ];
  } finally {
    await Promise.all(started.map((each) => each.close()));
  }
};

/** Pages that are asked for. */
interface Page {
  readonly name: string;
  readonly what: string;
  /** All pages of their kind, in their order; a checkpoint leads to each but the first. */
  paths(checkpoints: readonly string[]): readonly string[];
  /** Those of them that are asked for. */
  part(paths: readonly string[]): readonly string[];
}

/** How deep, as a part of the listing. */
const depths = { first: 0, middle: 0.5, deep: 0.85 };

/** Pages that are asked for at each depth, by turns: as many of a long listing as of a short one. */
const pagesAtDepth = 2;

/** Items of a page; under a filter fewer, so that a short listing has enough for it at any of the depths. */
const perPage = { whole: 50, filtered: 20 };

/** Pages at three depths: of experiments, of experiments under a filter, of versions. */
const pages: readonly Page[] = Object.entries(depths).flatMap(([depth, from]): Page[] => {
  const part = (paths: readonly string[]) =>
    paths.slice(Math.floor(paths.length * from)).slice(0, pagesAtDepth);
  const experiments = (query: string) => (checkpoints: readonly string[]) =>
    ['', ...checkpoints.map((checkpoint) => `&from=${encodeURIComponent(checkpoint)}`)].map(
      (place) => `/experimentation/experiments${query}${place}`,
    );
  return [
    {
      name: `${depth}-experiments`,
      what: `experiments, ${depth}`,
      paths: experiments(`?take=${perPage.whole}`),
      part,
    },
    {
      name: `${depth}-filtered`,
      what: `experiments under a filter, ${depth}`,
      paths: experiments(`?take=${perPage.filtered}&status=${commonStatus}`),
      part,
    },
    {
      name: `${depth}-versions`,
      what: `versions, ${depth}`,
      paths: (checkpoints) =>
        ['', ...checkpoints].map(
          (_, page) => `/actions/actions/${actionId}/versions?per_page=${perPage.whole}&page=${page}`,
        ),
      part,
    },
  ];
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

/** A listing of experiments, walked from its first page to its last. */
interface Walk {
  /** One for each page but the first. */
  readonly checkpoints: readonly string[];
  /** CPU time of the fake's process for one page, in µs. */
  readonly cpu: number;
}

async function walk(fake: Child): Promise<Walk> {
  const checkpoints: string[] = [];
  const before = number(await fake.ask({}), 'cpu');
  const whole = `?take=${perPage.whole}`;
  for (let next = await nextOf(fake, whole); next !== undefined; ) {
    checkpoints.push(next);
    next = await nextOf(fake, `${whole}&from=${encodeURIComponent(next)}`);
  }
  const seconds = number(await fake.ask({}), 'cpu') - before;
  return { checkpoints, cpu: (seconds / (checkpoints.length + 1)) * 1_000_000 };
}

/** Milliseconds until the first page under a filter that nothing else asks for. */
async function firstFiltered(fake: Child): Promise<number> {
  // The connection and whatever runs for the first time is no part of it.
  for (let time = 0; time < 5; time += 1) await nextOf(fake, '');
  const began = performance.now();
  await nextOf(fake, '?authentication_flow=login');
  return performance.now() - began;
}

/** The checkpoint that a page of experiments ends with; undefined for the last page. */
async function nextOf({ told }: Child, query: string): Promise<string | undefined> {
  const { statusCode, body } = await request(`${string(told, 'url')}/experimentation/experiments${query}`, {
    headers: { authorization: `Bearer ${string(told, 'token')}` },
  });
  const page: unknown = await body.json();
  if (statusCode !== 200 || typeof page !== 'object' || page === null)
    throw new Error(`a page is answered with ${statusCode}`);
  return 'next' in page && typeof page.next === 'string' ? page.next : undefined;
}
