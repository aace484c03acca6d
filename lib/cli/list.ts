import { count, fitted } from '../report/text.ts';
import type { Applicable } from '../runner/applicable.ts';
import { json } from './files.ts';
import { createPlan, type LibraryOverrides } from './plan.ts';
import type { ResolvedOptions } from './settings.ts';

/** One requirement or observation, as `listRequirements` and `--list --json` give it. */
export interface ListedRequirement {
  readonly id: string;
  readonly section: string;
  readonly level: 'stated' | 'inferred' | 'observation';
  readonly description: string;
  /** Where the specification says it, and how it is read; of requirements only. */
  readonly source?: string;
  readonly reading?: string;
  readonly operations: readonly string[];
  readonly needs: readonly string[];
}

/** Prints what a run with these settings would judge, as a table or as JSON. */
export async function listCommand(
  resolved: ResolvedOptions,
  write: (text: string) => unknown,
): Promise<number> {
  const listed = await list(resolved);
  write(resolved.settings.json ? json(listed) : table(listed));
  return 0;
}

/** What a run with these settings would judge and observe, in the rows' order. */
export async function list(
  resolved: ResolvedOptions,
  overrides: LibraryOverrides = {},
): Promise<readonly ListedRequirement[]> {
  const { chosen, observations } = await createPlan(resolved, overrides);
  return [...chosen, ...observations].map(listed);
}

function listed({ id, row, check, operations }: Applicable): ListedRequirement {
  return {
    id,
    section: row.section,
    level: 'level' in row ? row.level : 'observation',
    description: row.description,
    ...('source' in row && {
      source: row.source,
      ...(row.reading !== undefined && { reading: row.reading }),
    }),
    operations: operations.map((each) => each.id),
    needs: check.needs,
  };
}

function table(listed: readonly ListedRequirement[]): string {
  const width = (column: (row: ListedRequirement) => string) =>
    Math.max(0, ...listed.map((row) => column(row).length));
  const [ids, needs] = [width(({ id }) => id), width((row) => row.needs.join(' '))];
  const levels = 'observation'.length;
  const lines = listed.map((row) =>
    [
      row.id.padEnd(ids),
      row.level.padEnd(levels),
      row.needs.join(' ').padEnd(needs),
      fitted(row.description, 100),
      ...(row.source === undefined ? [] : [`(${[row.source, row.reading].filter(Boolean).join('. ')})`]),
    ].join('  '),
  );
  const of = (level: ListedRequirement['level']) => count(listed.filter((row) => row.level === level).length);
  const sum = `${of('stated')} stated, ${of('inferred')} inferred, ${of('observation')} observations`;
  return [...lines, sum, ''].join('\n');
}
