import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Fake, startFake } from '../index.ts';
import { conformance, type TestOptions } from './conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'conformance-tests-'));

/** What a test came to. */
interface Ended {
  readonly title: string;
  readonly skipped?: unknown;
  readonly annotations: readonly string[];
  readonly error?: Error & { readonly expected?: string; readonly actual?: string };
}

/** A test runner that runs only the selected tests, in parallel where it may. */
function collect(options: TestOptions) {
  const tests = new Map<string, (...given: unknown[]) => Promise<void>>();
  const last = new Set<string>();
  const sections: string[] = [];
  const add = (title: string, define: () => void) => {
    sections.push(title);
    define();
  };
  let [before, after] = [async () => {}, async () => {}];
  conformance(
    {
      describe: (title, define) => {
        const before = [...tests.keys()];
        add(title, define);
        for (const each of tests.keys()) if (!before.includes(each)) last.add(each);
      },
      concurrent: add,
      test: (title, run) => tests.set(title, run),
      before: (run) => {
        before = run;
      },
      after: (run) => {
        after = run;
      },
    },
    options,
  );
  const runOne = async (title: string): Promise<Ended> => {
    const annotations: string[] = [];
    let skipped: unknown;
    const context = {
      skip: (note: unknown) => {
        skipped = note;
      },
      annotate: (message: string, type: string) => annotations.push(`${type}: ${message}`),
    };
    try {
      await tests.get(title)?.(context);
      return { title, annotations, ...(skipped !== undefined && { skipped }) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { title, annotations, error };
    }
  };
  return {
    titles: [...tests.keys()],
    sections,
    async run(isWanted: (title: string) => boolean) {
      await before();
      try {
        const wanted = [...tests.keys()].filter(isWanted);
        const sideBySide = await Promise.all(wanted.filter((title) => !last.has(title)).map(runOne));
        return [...sideBySide, ...(await Promise.all(wanted.filter((title) => last.has(title)).map(runOne)))];
      } finally {
        await after();
      }
    },
  };
}

/** Starts a fake as a server of its own. */
async function withFake(
  use: (fake: Fake, server: () => ReturnType<NonNullable<TestOptions['start']>>) => Promise<void>,
) {
  const fake = await startFake({ control: true });
  const server = () => ({
    baseUrl: fake.url,
    control: fake.controlUrl ?? '',
    signingKey: { ...fake.signingKey },
    runs: 5,
    seed: 1,
  });
  await use(fake, server);
  await fake.close();
}

test('all tests are known before anything is started, those over all exchanges last', () => {
  const { titles, sections } = collect({
    start: () => {
      throw new Error('nothing may be started');
    },
  });
  expect(titles).toContain('4.2/take-maximum: A take above the maximum is refused with 400.');
  expect(titles).toContain(
    '5.2/garbage (listExperiments): A bearer value that is not a JSON Web Token is refused.',
  );
  expect(titles.at(-1)).toMatch(/^9\/answer-media-type: /);
  expect(sections).toContain('§4.2 GET /experimentation/experiments');
  expect(sections.at(-1)).toBe('Over all exchanges');
  expect(() => collect({ only: ['4.9'] })).toThrow('names no requirement');
});

test('only what is selected is sent, on one connection, and the tenant is put back', async () => {
  await withFake(async (fake, start) => {
    const before = fake.dataSet;
    const ended = await collect({ start }).run((title) => title.startsWith('4.2/'));
    expect(ended.length).toBeGreaterThan(20);
    expect(ended.filter(({ error, skipped }) => error ?? skipped)).toEqual([]);
    const sent = new Set(
      fake.requests.map(({ method, target }) => `${method} ${target.replace(/\?.*/, '')}`),
    );
    expect([...sent]).toEqual(['GET /api/v2/experimentation/experiments']);
    expect(fake.dataSet).toEqual(before);
  });
});

test('a failing test shows both sides, the source, the command and the place in the suite', async () => {
  await withFake(async (fake, start) => {
    fake.use('take-maximum-exclusive');
    const [ended] = await collect({ start }).run((title) => title.startsWith('4.2/take-accepted'));
    expect(ended?.error).toMatchObject({
      name: 'RequirementError',
      expected: 'a 2xx status',
      actual: expect.stringMatching(/^400 with /),
      message: expect.stringMatching(
        /^expected a 2xx status, because .*\n\nsource {3}§4\.2.*\nrepeat {3}TOKEN=.*\ncurl /s,
      ),
    });
    expect(ended?.error?.stack).toMatch(/\n +at .*suites\/page-sizes\.ts/);
    expect(ended?.error?.message).not.toContain('eyJ');
  });
});

test('a check over all exchanges fails at its place in the suite', async () => {
  await withFake(async (fake, start) => {
    fake.use('experiment-is-valid-is-a-bit');
    const ended = await collect({ start }).run((title) =>
      /^(4\.2\/take-full-pages|2\.2\/experiment-fields)/.test(title),
    );
    const failed = ended.filter(({ error }) => error !== undefined);
    expect(failed.map(({ title }) => title)).toEqual([expect.stringMatching(/^2\.2\/experiment-fields/)]);
    expect(failed[0]?.error?.stack).toMatch(/\n +at .*suites\/every-exchange\.ts/);
  });
});

test('what is not judged is skipped with the reason and the flag', async () => {
  await withFake(async (fake) => {
    const reportDir = join(folder, 'reports');
    const tests = collect({ baseUrl: fake.url, reportDir });
    const [ended] = await tests.run((title) => title.startsWith('4.2/take-accepted'));
    expect(ended?.skipped).toMatch(/token.* \(needs .*--signing-key/);
    const report = JSON.parse(readFileSync(join(reportDir, 'report.json'), 'utf8'));
    const unjudged = report.requirements.filter(({ id }: { id: string }) => id.startsWith('4.2/take-'));
    expect(new Set(unjudged.map(({ reason }: { reason: string }) => reason))).toEqual(
      new Set(['deselected', 'no valid token']),
    );
    expect(existsSync(join(reportDir, 'index.html'))).toBe(true);
  });
});

test('a broken inferred requirement is an annotation, and a failure where the tests are strict', async () => {
  await withFake(async (fake, start) => {
    fake.use('next-null-at-the-end');
    const wanted = (title: string) => title.startsWith('8/checkpoint-next-absent');
    const [lenient] = await collect({ start }).run(wanted);
    expect(lenient?.annotations).toEqual([expect.stringMatching(/^warning: expected /)]);
    const [strict] = await collect({ start, strict: true }).run(wanted);
    expect(strict?.error?.name).toBe('RequirementError');
  });
});

test('without a connection every test says why', async () => {
  const nobody = 'http://127.0.0.1:1';
  for (const server of [{ baseUrl: nobody, control: nobody }, { baseUrl: nobody }])
    await expect(collect({ start: () => server }).run(() => true)).rejects.toThrow(/127\.0\.0\.1:1/);
});
