import { present } from '../contract/json.ts';
import type { Contract, Operation } from '../contract/model.ts';
import { count, jsonText, plural, truncateToWidth } from '../report/text.ts';
import type { Applicable } from '../runner/applicable.ts';
import { createPlan, type Plan } from './plan.ts';
import type { ResolvedOptions } from './settings.ts';

/** One requirement or observation, as `listRequirements` and `--list --json` give it. */
export interface ListedRequirement {
  readonly id: string;
  readonly section: string;
  readonly level: 'stated' | 'inferred' | 'observation';
  readonly description: string;
  /** The place in the specification, and how it is read; only for requirements. */
  readonly source?: string;
  readonly reading?: string;
  readonly operations: readonly string[];
  readonly needs: readonly string[];
}

/** Prints what a run with these settings would judge, as a table or as JSON. */
export async function listCommand(resolved: ResolvedOptions): Promise<number> {
  const plan = await createPlan(resolved);
  const rows = listed(plan);
  process.stdout.write(
    resolved.settings.json ? jsonText(rows) : `${table(rows)}\n${operationsTable(plan.contract)}`,
  );
  return 0;
}

/** What a run of this plan would judge and observe, in the rows' order. */
export function listed({ chosen, observations }: Plan): readonly ListedRequirement[] {
  const rows: readonly Applicable[] = [...chosen, ...observations];
  return rows.map(({ id, row, check, operations }) => ({
    id,
    section: row.section,
    level: 'level' in row ? row.level : 'observation',
    description: row.description,
    ...('source' in row && present({ source: row.source, reading: row.reading })),
    operations: operations.map((each) => each.id),
    needs: check.needs,
  }));
}

/** How each operation of the contract is interpreted, and what of the document is not tested. */
function operationsTable({ operations, skipped }: Contract): string {
  const width = Math.max(0, ...operations.map(({ id }) => id.length));
  const lines = operations.map(
    (each) => `${each.id.padEnd(width)}  ${each.method} ${each.path}:  ${interpretation(each)}`,
  );
  const left = skipped.map((line) => `not tested: ${line}`);
  return [...lines, ...left, plural(operations.length, 'operation'), ''].join('\n');
}

function interpretation(operation: Operation): string {
  const { authenticated, otherSchemes, alternatives, pagination, unpaged } = operation;
  const scopes = alternatives.map((all) => all.map(({ name }) => name).join(' and ')).join(' or ');
  const credentials = authenticated
    ? `a token${scopes && ` with ${scopes}`}`
    : otherSchemes.length > 0
      ? `${otherSchemes.join(', ')}, so the requirements on tokens do not apply`
      : 'no credentials';
  if (pagination === undefined)
    return unpaged === undefined ? credentials : `${credentials}; not read in pages: ${unpaged}`;
  const { size, items } = pagination;
  const start = pagination.kind === 'checkpoint' ? pagination.from : pagination.page;
  return `${credentials}; a listing of ${items || 'its array'} by ${start} and ${size.parameter.name}`;
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
      truncateToWidth(row.description, 100),
      ...(row.source === undefined ? [] : [`(${[row.source, row.reading].filter(Boolean).join('. ')})`]),
    ].join('  '),
  );
  const of = (level: ListedRequirement['level']) => count(listed.filter((row) => row.level === level).length);
  const sum = `${of('stated')} stated, ${of('inferred')} inferred, ${of('observation')} observations`;
  return [...lines, sum, ''].join('\n');
}
