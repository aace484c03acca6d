import { oneLine } from '../lib/cli/usage.ts';
import type { Section } from './bench.ts';
import { type Child, number, startChild, string } from './child.ts';
import { type Mock, mocks, startMock } from './mocks.ts';
import { atLeast, atMost, type Row } from './row.ts';
import { alternate, median } from './samples.ts';

/** What the load generator keeps open, each with one request under way. */
const connections = 10;

const path = '/experimentation/experiments?take=25';

/** A server under load. */
interface Loaded {
  readonly url: string;
  /** Its process, where that can be asked for its CPU time. */
  readonly child?: Child;
}

/** What a server gave in one round. */
interface Sample {
  readonly perSecond: number;
  /** CPU time of the server's process for one request, in µs; 0 where the process can't be asked. */
  readonly cpu: number;
  /** Share of the time in which the load generator had answers to read. */
  readonly busy: number;
}

/**
 * A page of 25 experiments with a valid token, asked for over ten connections by one process: from the fake, from bare
 * `node:http`, and from other people's servers for the same contract.
 */
export const throughput: Section = async ({ isQuick, rounds }) => {
  const started: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(server: T): T => {
    started.push(server);
    return server;
  };
  try {
    const generator = keep(await startChild('load'));
    const fake = keep(await startChild('fake'));
    const token = string(fake.told, 'token');
    const page = `${string(fake.told, 'url')}${path}`;
    const bare = keep(await startChild('bare', page, token));
    const servers: Loaded[] = [
      { url: page, child: fake },
      { url: `${string(bare.told, 'origin')}/`, child: bare },
    ];
    const missing: Row[] = [];
    const others: Mock[] = [];
    for (const mock of mocks) {
      try {
        servers.push({ url: `${keep(await startMock(mock)).origin}${path}` });
        others.push(mock);
      } catch (error) {
        missing.push({
          name: `throughput/${mock.name}`,
          what: `page of 25, fake beside ${mock.title}`,
          notMeasured: oneLine(error),
        });
      }
    }

    const measure = async ({ url, child }: Loaded, seconds: number): Promise<Sample> => {
      const used = async () => (child ? number(await child.ask({}), 'cpu') : 0);
      const before = await used();
      const found = await generator.ask({ urls: url, token, connections, seconds });
      const cpu = (await used()) - before;
      const [requests, took] = [number(found, 'requests'), number(found, 'seconds')];
      return {
        perSecond: requests / took,
        cpu: (cpu / requests) * 1_000_000,
        busy: number(found, 'busySeconds') / took,
      };
    };
    // V8 is done with optimising after some seconds. Short turns, many times: other work on the machine then meets all of them.
    const [warm, turn, turns] = isQuick ? [0.5, 0.5, rounds] : [5, 0.5, 6 * rounds];
    for (const server of servers) await measure(server, warm);
    const samples = await alternate(
      turns,
      servers.map((server) => () => measure(server, turn)),
    );
    const [ours = [], bareOnes = [], ...theirs] = samples;
    const perSecond = (found: readonly Sample[]) => median(found.map((each) => each.perSecond));
    const value = perSecond(ours);
    return [
      {
        name: 'throughput/bare',
        what: 'page of 25, valid token, 10 connections: fake',
        value,
        unit: 'requests/s',
        beside: { what: 'requests/s, bare node:http', value: perSecond(bareOnes) },
        goal: atLeast(0.5),
      },
      ...others.map(
        ({ name, title, goal }, index): Row => ({
          name: `throughput/${name}`,
          what: 'the same',
          value,
          unit: 'requests/s',
          beside: { what: `requests/s, ${title}`, value: perSecond(theirs[index] ?? []) },
          goal: atLeast(goal),
        }),
      ),
      ...missing,
      {
        name: 'throughput/cpu',
        what: "CPU of the fake's process for a page",
        value: median(ours.map(({ cpu }) => cpu)),
        unit: 'µs',
        beside: { what: 'µs, bare node:http', value: median(bareOnes.map(({ cpu }) => cpu)) },
        goal: atMost(2),
        cpu: true,
      },
      {
        name: 'throughput/generator',
        what: 'load generator, under bare node:http: not the bottleneck, which never sleeps',
        value: median(bareOnes.map(({ busy }) => busy)),
        unit: 'of its time',
        goal: atMost(0.9),
      },
    ];
  } finally {
    await Promise.all(started.map((server) => server.close()));
  }
};
