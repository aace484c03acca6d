import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Ledger, RequirementRow } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { connectTarget } from './connect.ts';
import { type Lane, requirement } from './requirement.ts';
import { runSuite } from './runner.ts';
import { settleAll } from './settle-all.ts';
import { Violation } from './verdict.ts';

const server = createServer((_request, response) => response.end());
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
const contract = await loadContract();
const target = await connectTarget({ contract, baseUrl: `http://127.0.0.1:${port}`, token: 'opaque' });
afterAll(() => target.close());

/** Judges rows of these ids that only wait, and says which others each one met on the way. */
async function meetings(
  rows: readonly { readonly id: string; readonly lane: Lane; readonly operation: string }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const under = new Set<string>();
  const met = new Map<string, Set<string>>(rows.map(({ id }) => [id, new Set()]));
  const suite = rows.map(({ id, lane }) =>
    requirement(id, { needs: [], lane }, async () => {
      for (const other of under) {
        met.get(id)?.add(other);
        met.get(other)?.add(id);
      }
      under.add(id);
      await sleep(20);
      under.delete(id);
    }),
  );
  const requirements = rows.map(
    ({ id, operation }): RequirementRow => ({
      id,
      operations: [operation],
      section: '4',
      level: 'stated',
      description: 'It holds.',
      source: '§4.2',
      dependsOn: [],
    }),
  );
  const ledger: Ledger = { sections: {}, requirements, observations: [], excluded: [], specific: new Set() };
  await runSuite(target, ledger, suite, { seed: 1 });
  return new Map([...met].map(([id, others]) => [id, [...others].sort()]));
}

const put = 'put_factor_phone_templates';
const list = 'listExperiments';

test('in the lane `operation` a check meets those on other operations only, in `exclusive` none', async () => {
  const met = await meetings([
    { id: '4/operation', lane: 'operation', operation: put },
    { id: '4/operation-too', lane: 'operation', operation: put },
    { id: '4/exclusive', lane: 'exclusive', operation: list },
    { id: '4/put', lane: 'parallel', operation: put },
    ...Array.from({ length: 40 }, (_, index) => ({
      id: `4/list-${index}`,
      lane: 'parallel' as const,
      operation: list,
    })),
  ]);
  const others = [...(met.get('4/operation') ?? []), ...(met.get('4/operation-too') ?? [])];
  expect(others.length).toBeGreaterThan(0);
  expect(others.every((id) => id.startsWith('4/list-'))).toBe(true);
  expect(met.get('4/exclusive')).toEqual([]);
});

test('a check in the lane `operation` is judged though nothing else is', async () => {
  const met = await meetings([{ id: '4/operation', lane: 'operation', operation: put }]);
  expect(met.get('4/operation')).toEqual([]);
});

test('settleAll waits for all, and throws a violation before any other failure', async () => {
  const ended: number[] = [];
  const judged = settleAll([3, 2, 1], async (value) => {
    await sleep(value);
    ended.push(value);
    if (value === 3) throw new TypeError('a mistake');
    if (value === 1) throw new Violation('this', 'that', []);
    return value;
  });
  await expect(judged).rejects.toBeInstanceOf(Violation);
  expect(ended.toSorted()).toEqual([1, 2, 3]);
  expect(await settleAll(new Set(['a', 'b']), async (each) => each.toUpperCase())).toEqual(['A', 'B']);
});
