import { loadLedger, type ObservationRow, type RequirementRow } from '../contract/ledger.ts';
import { count, fitted } from '../report/text.ts';
import { readContract } from './plan.ts';
import { type Applicable, applicable, createSelection } from './selection.ts';
import type { ResolvedOptions } from './settings.ts';
import { shardOf } from './shard.ts';

/** One row of `--list --json`. */
export interface Listed {
  readonly id: string;
  readonly section: string;
  readonly level: 'stated' | 'inferred' | 'observation';
  readonly says: string;
  readonly operations: readonly string[];
  readonly needs: readonly string[];
}

/** Prints what a run with these settings would judge, as a table or as JSON. */
export async function listCommand(told: ResolvedOptions, write: (text: string) => unknown): Promise<number> {
  const listed = await list(told);
  if (told.settings.json) {
    write(`${JSON.stringify(listed, null, 2)}\n`);
    return 0;
  }
  write(table(listed));
  return 0;
}

/** What a run with these settings would judge and observe, in the ledger's order. */
export async function list(told: Pick<ResolvedOptions, 'settings' | 'extras'>): Promise<readonly Listed[]> {
  const [contract, ledger] = [await readContract(told), loadLedger()];
  const rows: Applicable<RequirementRow | ObservationRow>[] = [
    ...applicable(ledger.requirements, contract, ledger),
    ...applicable(ledger.observations, contract, ledger),
  ];
  const { shard } = told.settings;
  const selected = createSelection(told.settings, rows);
  const inShard = shard === undefined ? () => true : shardOf(shard, rows);
  return rows
    .filter((row) => selected(row) && inShard(row))
    .map(({ row, operations }) => ({
      id: row.id,
      section: row.section,
      level: 'level' in row ? row.level : 'observation',
      says: row.says,
      operations,
      needs: row.needs,
    }));
}

function table(listed: readonly Listed[]): string {
  const width = (column: (row: Listed) => string) => Math.max(0, ...listed.map((row) => column(row).length));
  const [ids, needs] = [width(({ id }) => id), width((row) => row.needs.join(' '))];
  const levels = 'observation'.length;
  const lines = listed.map((row) =>
    [
      row.id.padEnd(ids),
      row.level.padEnd(levels),
      row.needs.join(' ').padEnd(needs),
      fitted(row.says, 100),
    ].join('  '),
  );
  const of = (level: Listed['level']) => count(listed.filter((row) => row.level === level).length);
  const sum = `${of('stated')} stated, ${of('inferred')} inferred, ${of('observation')} observations`;
  return [...lines, sum, ''].join('\n');
}
