import { expect, test } from 'vitest';
import type { RequirementRow } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { operation } from '../contract/model.ts';
import { scheduleOf, type Timed } from './schedule.ts';

const contract = await loadContract();

const task = (id: string, changes: Partial<RequirementRow>, operationId = 'listExperiments') => ({
  row: {
    id,
    section: '4',
    level: 'stated' as const,
    says: 'It holds.',
    operations: [operationId],
    needs: [],
    consumes: undefined,
    alone: false as const,
    anyData: false,
    long: false,
    passive: false,
    cloud: undefined,
    presumes: [],
    ...changes,
  },
  operation: operation(contract, operationId),
});

test('every task has one place, by what may go on beside it', () => {
  const tasks = [
    task('4/usual', {}),
    task('4/long', { long: true }),
    task('4/apart', { alone: 'operation' }),
    task('4/deletes', { consumes: 'rate_limit_policy' }),
    task('4/deletes-alone', { alone: true, consumes: 'rate_limit_policy' }),
    task('4/seeds', { alone: true, needs: ['seed'] }),
    task('4/any-data', { anyData: true }),
    task('4/any-data-of-an-action', { anyData: true }, 'listActionVersions'),
    task('4/waits', { alone: true, needs: ['clock'] }),
    task('4/waits-between-runs', { needs: ['checkpoint_age'] }),
    task('4/everything', { alone: true, needs: ['seed', 'clock'] }),
    task('4/alone', { alone: true }),
  ];
  const schedule: Record<string, string[]> = {};
  const found: Readonly<Record<string, readonly Timed[]>> = { ...scheduleOf(tasks) };
  for (const [place, there] of Object.entries(found)) schedule[place] = there.map(({ row }) => row.id);
  expect(schedule).toEqual({
    together: ['4/long', '4/usual', '4/any-data-of-an-action'],
    apart: ['4/apart'],
    consuming: ['4/deletes'],
    changing: ['4/deletes-alone', '4/seeds'],
    anyData: ['4/any-data'],
    clock: ['4/waits', '4/waits-between-runs'],
    alone: ['4/everything', '4/alone'],
  });
});
