import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Ledger, RequirementRow } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import type { RequirementResult } from '../report/report.ts';
import { runVerdict } from '../report/summary.ts';
import { connectTarget } from './connect.ts';
import { matchesSchema, noServerError } from './exchange-checks.ts';
import { expectRefused, expectServed, expectStatus, expectThat } from './expect.ts';
import { type Check, exchangeCheck, observation, requirement } from './requirement.ts';
import type { RunOptions } from './run-options.ts';
import { runSuite } from './runner.ts';
import { NotJudged, Violation } from './verdict.ts';

/** A server that answers what the path's `take` says, so that each test chooses its own answers. */
const server = createServer((request, response) => {
  const code = Number(new URL(request.url ?? '', 'http://x').searchParams.get('take') ?? 200);
  if (code === 0) response.destroy();
  else if (code === 998) response.writeHead(200).end(' '.repeat(4 * 1024 * 1024));
  else if (code === 999)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"experiments":[${'{"id":1},'.repeat(50_000)}{}]}`);
  else response.writeHead(code, { 'content-type': 'application/json' }).end('{"experiments":[]}');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
const contract = await loadContract();
const target = await connectTarget({ contract, baseUrl: `http://127.0.0.1:${port}`, token: 'opaque' });
afterAll(() => target.close());

const row = (id: string, changes: Partial<RequirementRow> = {}): RequirementRow => ({
  id,
  section: '4.2',
  level: 'stated',
  description: 'It holds.',
  source: '§4.2',
  operations: ['listExperiments'],
  dependsOn: [],
  ...changes,
});

async function run(
  rows: readonly RequirementRow[],
  suite: readonly Check[],
  options: Partial<RunOptions> = {},
) {
  const observations = suite.filter(({ kind }) => kind === 'observation').map(({ id }) => row(id));
  const ledger: Ledger = {
    sections: {},
    requirements: rows,
    observations,
    excluded: [],
    specific: new Set(),
  };
  return runSuite(target, ledger, suite, { seed: 1, ...options });
}

const parallel = { needs: ['token'], lane: 'parallel' } as const;

const single = async (check: Check, changes: Partial<RequirementRow> = {}) => {
  const { requirements } = await run([row(check.id, changes)], [check]);
  return requirements[0];
};

describe('a verdict', () => {
  test('passed, where nothing was thrown', async () => {
    const result = await single(
      requirement('4.2/a', parallel, async (ctx) => expectServed(await ctx.call())),
    );
    expect(result).toMatchObject({ verdict: 'passed', requests: 1, exchanges: [] });
  });

  test('failed, with what was expected, what came, and how to repeat it', async () => {
    const result = await single(
      requirement('4.2/a', parallel, async (ctx) =>
        expectStatus(await ctx.call({ query: { take: 404 } }), 200, 'it exists'),
      ),
    );
    expect(result).toMatchObject({
      verdict: 'failed',
      difference: { expected: '200', because: 'it exists' },
    });
    expect(result?.difference?.received).toMatch(/^404/);
    expect(result?.reproduce).toMatch(/^curl .*take=404/s);
    expect(result?.reproduce).toContain('$TOKEN');
    expect(result?.exchanges).toHaveLength(1);
  });

  test('warned, where the requirement is inferred', async () => {
    const broken = requirement('4.2/a', parallel, async () => expectThat(false, 'this', 'that'));
    expect(await single(broken, { level: 'inferred' })).toMatchObject({ verdict: 'warned' });
  });

  test('not judged, with the flags, where a need is not met', async () => {
    const result = await single(
      requirement('4.2/a', { needs: ['token', 'clock'], lane: 'exclusive' }, async () => {}),
    );
    expect(result).toMatchObject({ verdict: 'not-judged', required_flags: ['--control'] });
  });

  test('not judged, where the valid twin is refused too', async () => {
    const result = await single(
      requirement('4.2/a', parallel, async (ctx) => {
        expectRefused(await ctx.probe({ query: { take: 400 } }), 'it is wrong');
        await ctx.twin({ query: { take: 401 } });
      }),
    );
    expect(result).toMatchObject({ verdict: 'not-judged' });
    expect(result?.reason).toContain('5.1/valid-token');
  });

  test('by one valid twin of its kind in a run of few examples, as long as it is served', async () => {
    const ids = ['4.2/a', '4.2/b', '4.2/c'];
    const sent = async (code: number, runs?: number) => {
      const checks = ids.map((id) =>
        requirement(id, parallel, async (ctx) => {
          await ctx.twin({ query: { take: code } });
        }),
      );
      const { requirements } = await run(
        ids.map((id) => row(id)),
        checks,
        runs === undefined ? {} : { runs },
      );
      const total = requirements.reduce((sum, { requests = 0 }) => sum + requests, 0);
      return [total, ...new Set(requirements.map(({ verdict }) => verdict))];
    };
    expect(await sent(200)).toEqual([3, 'passed']);
    expect(await sent(200, 3)).toEqual([1, 'passed']);
    expect(await sent(400, 3)).toEqual([3, 'not-judged']);
  });

  test('error, where the suite throws, or the target breaks the connection', async () => {
    const mistake = requirement('4.2/a', parallel, async () => {
      throw new TypeError('a mistake');
    });
    expect(await single(mistake)).toMatchObject({
      verdict: 'error',
      reason: 'listExperiments: TypeError: a mistake',
    });
    const dead = requirement('4.2/a', parallel, async (ctx) =>
      expectServed(await ctx.call({ query: { take: 0 } })),
    );
    expect(await single(dead)).toMatchObject({ verdict: 'error' });
  });

  test('failed, with the operation of the decisive request', async () => {
    const other = requirement('4.2/a', parallel, async (ctx) =>
      expectStatus(
        await ctx.call({ operation: 'listActionVersions', path: { actionId: 'a' } }),
        204,
        'a test',
      ),
    );
    expect(await single(other)).toMatchObject({
      verdict: 'failed',
      reason: expect.stringMatching(/^listActionVersions: /),
    });
  });

  test('passed in part, where it could be judged on some operations only', async () => {
    const entry = requirement('4.2/a', parallel, async ({ operation }) => {
      if (operation.id === 'listActionVersions') throw new NotJudged('no action', ['--action-id']);
    });
    const both = await single(entry, { operations: 'reads' });
    expect(both).toMatchObject({
      verdict: 'passed',
      by_operation: expect.arrayContaining([
        { operation: 'listExperiments', verdict: 'passed' },
        {
          operation: 'listActionVersions',
          verdict: 'not-judged',
          reason: 'no action',
          required_flags: ['--action-id'],
        },
      ]),
    });
  });
});

describe('a property', () => {
  test('shrinks, to the same counterexample with the same seed', async () => {
    const entry = requirement('4.2/a', parallel, (ctx) =>
      ctx.property(fc.integer({ min: 0, max: 10_000 }), async (value) =>
        expectThat(value < 77, 'below 77', String(value)),
      ),
    );
    expect(await single(entry)).toMatchObject({ verdict: 'failed', counterexample: 77 });
  });

  test('fails when reads fail only at the same time', async () => {
    let underWay = 0;
    const entry = requirement('4.2/a', parallel, (ctx) =>
      ctx.property(fc.nat(), async () => {
        underWay += 1;
        await setImmediate();
        const most = underWay;
        underWay -= 1;
        expectThat(most <= 1, 'one at a time', String(most));
      }),
    );
    expect(await single(entry)).toMatchObject({ verdict: 'failed' });
  });

  test('a broken connection in it is an error, not a violation', async () => {
    const entry = requirement('4.2/a', parallel, (ctx) =>
      ctx.property(fc.constant(0), async (take) => expectServed(await ctx.call({ query: { take } }))),
    );
    expect(await single(entry)).toMatchObject({ verdict: 'error' });
  });
});

describe('a requirement on every exchange', () => {
  test('on the schema is judged by a page of 50,000 broken items', async () => {
    const schemaRow = row('2.2/experiment-fields');
    const reading = requirement(
      '4.2/a',
      parallel,
      async (ctx) => void (await ctx.call({ query: { take: 999 } })),
    );
    const { requirements } = await run(
      [row('4.2/a'), schemaRow],
      [reading, exchangeCheck(schemaRow.id, [], matchesSchema('Experiment'))],
    );
    expect(requirements[1]).toMatchObject({
      verdict: 'failed',
      reason: expect.stringContaining('/experiments/0'),
    });
  });

  const exchangeRow = row('7/no-server-error', { level: 'inferred' });
  const careless = observation('4.2/o', parallel, async (ctx) => {
    await ctx.call({ query: { take: 500 } });
    return 500;
  });
  const careful = requirement('4.2/a', parallel, async (ctx) =>
    expectServed(await ctx.call({ query: { take: 500 } })),
  );

  test('sees what others sent', async () => {
    const { requirements, observations } = await run(
      [exchangeRow],
      [exchangeCheck(exchangeRow.id, [], noServerError), careless],
      { rerun: (...ids) => ids.map((id) => `--only ${id}`).join(' ') },
    );
    // What sends the request is to be run with it, since the requirement itself sends nothing.
    expect(requirements[0]?.rerun).toBe('--only 7/no-server-error --only 4.2/o');
    expect(requirements[0]).toMatchObject({ verdict: 'warned', difference: { received: '500' } });
    expect(observations).toEqual([{ id: '4.2/o', description: 'It holds.', value: 500 }]);
  });

  test('does not blame again what a requirement blames', async () => {
    const { requirements } = await run(
      [row('4.2/a'), exchangeRow],
      [careful, exchangeCheck(exchangeRow.id, [], noServerError)],
    );
    expect(requirements.map(({ verdict }) => verdict)).toEqual(['failed', 'passed']);
  });

  test('is not judged where nothing shows it', async () => {
    const { requirements } = await run([exchangeRow], [exchangeCheck(exchangeRow.id, [], noServerError)]);
    expect(requirements[0]).toMatchObject({ verdict: 'not-judged' });
  });
});

describe('one operation hides no other', () => {
  const on = (...broken: readonly string[]) =>
    requirement('4.2/a', parallel, async ({ operation: { id } }) => {
      if (id === 'listActionVersions') throw new TypeError('a mistake');
      expectThat(!broken.includes(id), 'this', `that of ${id}`);
    });
  const verdictsOf = (result: RequirementResult | undefined) =>
    Object.fromEntries(
      (result?.by_operation ?? []).map(({ operation, verdict, reason }) => [operation, [verdict, reason]]),
    );

  test('an internal error on one leaves the others judged', async () => {
    const result = await single(on(), { operations: 'reads' });
    expect(result).toMatchObject({ verdict: 'error' });
    expect(verdictsOf(result)).toMatchObject({
      listActionVersions: ['error', 'TypeError: a mistake'],
      listExperiments: ['passed', undefined],
      getSelfServiceProfileCustomText: ['passed', undefined],
    });
  });

  test('each that fails has its own reason, also where another one ends in error', async () => {
    const result = await single(on('listExperiments', 'getSelfServiceProfileCustomText'), {
      operations: 'reads',
    });
    expect(result).toMatchObject({ verdict: 'failed' });
    expect(verdictsOf(result)).toMatchObject({
      listActionVersions: ['error', 'TypeError: a mistake'],
      listExperiments: ['failed', 'expected this; received that of listExperiments'],
      getSelfServiceProfileCustomText: [
        'failed',
        'expected this; received that of getSelfServiceProfileCustomText',
      ],
    });
  });

  test('a requirement on every exchange is judged on each of them', async () => {
    const exchangeRow = row('7/exchanges', { operations: 'reads' });
    const sending = requirement('4.2/a', parallel, async (ctx) => void (await ctx.call()));
    const looking = exchangeCheck(exchangeRow.id, [], ({ operation, response }) => {
      if (operation === 'listActionVersions') throw new TypeError('a mistake');
      if (operation === 'getSelfServiceProfileCustomText')
        throw new Violation('a 404', String(response?.status), []);
      throw new Violation('no answer', String(response?.status), []);
    });
    const { requirements } = await run(
      [row('4.2/a', { operations: 'reads' }), exchangeRow],
      [sending, looking],
    );
    expect(requirements[0]).toMatchObject({ verdict: 'passed' });
    expect(verdictsOf(requirements[1])).toMatchObject({
      listActionVersions: ['error', 'TypeError: a mistake'],
      listExperiments: ['failed', 'expected no answer; received 200'],
      getSelfServiceProfileCustomText: ['failed', 'expected a 404; received 200'],
    });
  });

  test('what is selected on one operation is judged on that alone', async () => {
    const reads = row('4.2/a', { operations: 'reads' });
    const { requirements } = await run([reads], [on()], { selected: new Set(['4.2/a@listExperiments']) });
    expect(verdictsOf(requirements[0])).toMatchObject({
      listActionVersions: ['not-judged', 'deselected'],
      listExperiments: ['passed', undefined],
    });
    expect(runVerdict(requirements)).toBe('incomplete');
  });
});

test('an aborted run judges nothing more and says so', async () => {
  const entry = requirement('4.2/a', parallel, async () => {});
  const { requirements } = await run([row('4.2/a')], [entry], { signal: AbortSignal.abort() });
  expect(requirements[0]).toMatchObject({ verdict: 'not-judged', reason: 'the run was interrupted' });
});

test('after the run nothing listens to its signal', async () => {
  const { signal } = new AbortController();
  await run([row('4.2/a')], [requirement('4.2/a', parallel, async () => {})], { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a requirement that would send requests for ever ends in an error', async () => {
  const endless = requirement('4.2/a', parallel, async (ctx) => {
    for (;;) await ctx.call();
  });
  const { requirements } = await run([row('4.2/a')], [endless], { runs: 1, maximumPages: 2 });
  expect(requirements[0]).toMatchObject({
    verdict: 'error',
    requests: 120,
    reason: expect.stringContaining('the requirement was stopped after 120 requests'),
  });
});

test('a requirement that would receive responses for ever ends in an error', async () => {
  const endless = requirement('4.2/a', parallel, async (ctx) => {
    for (;;) await ctx.call({ query: { take: 998 } });
  });
  const { requirements } = await run([row('4.2/a')], [endless]);
  expect(requirements[0]).toMatchObject({
    verdict: 'error',
    requests: 65,
    reason: expect.stringContaining(`65 requests and ${65 * 4 * 1024 * 1024} bytes received`),
  });
});

test('only what is selected is judged', async () => {
  const entries = ['4.2/a', '4.2/b'].map((id) => requirement(id, parallel, async () => {}));
  const { requirements } = await run([row('4.2/a'), row('4.2/b')], entries, {
    selected: new Set(['4.2/b']),
  });
  expect(requirements.map(({ id }) => id)).toEqual(['4.2/b']);
});
