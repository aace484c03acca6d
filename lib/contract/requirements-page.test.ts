import { expect, test } from 'vitest';
import { type Ledger, loadLedger, type RequirementRow } from './ledger.ts';

test('docs/requirements.md matches the fixtures', async () => {
  await expect(requirementsPage(loadLedger())).toMatchFileSnapshot('../../docs/requirements.md');
});

test('every row is listed once', () => {
  const ledger = loadLedger();
  const page = requirementsPage(ledger);
  const rows = [...ledger.requirements, ...ledger.observations, ...ledger.excluded];
  expect(rows.filter(({ id }) => page.split(`| ${id} |`).length !== 2)).toEqual([]);
});

/** `docs/requirements.md`: everything that the suite judges, records or excludes. */
function requirementsPage({ requirements, observations, excluded }: Ledger): string {
  const sections = [...new Set(requirements.map(({ section }) => section))].sort((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  );
  const stated = requirements.filter(({ level }) => level === 'stated').length;
  return [
    '# Requirements',
    '',
    '<!-- Generated from fixtures/requirements.yaml by `npx vitest run lib/contract -u`. -->',
    '',
    `${stated} stated requirements, which fail if broken; ${requirements.length - stated} inferred ones, which only cause warnings;`,
    `and ${observations.length} observations, which are recorded and never judged. Ids are never reused or renumbered.`,
    '',
    'The source is the place in the specification. If its words need an interpretation, that follows in italics. **On** names',
    'operations, or a kind of operation in any contract; some kinds occur in other contracts only, so a run with the shipped contract judges fewer. `--list` shows what the suite needs to judge each requirement.',
    ...sections.flatMap((section) => [
      '',
      `## §${section}`,
      '',
      ...table(
        ['id', 'level', 'requirement', 'source', 'on'],
        requirements.filter((row) => row.section === section).map(requirementCells),
      ),
    ]),
    '',
    '## Observations',
    '',
    'Where the specification is silent.',
    '',
    ...table(
      ['id', 'what is recorded', 'on'],
      observations.map(({ id, description, operations }) => [id, description, on(operations)]),
    ),
    '',
    '## Not testable as a black box',
    '',
    ...table(
      ['id', 'sentence', 'why'],
      excluded.map(({ id, description, reason }) => [id, description, reason]),
    ),
    '',
  ].join('\n');
}

function requirementCells({ id, level, description, source, reading, operations }: RequirementRow): string[] {
  return [id, level, description, reading === undefined ? source : `${source}. *${reading}*`, on(operations)];
}

/** The operations of a row: a list of ids, or the name of a selector. */
function on(operations: string | readonly string[]): string {
  if (typeof operations === 'string') return operations;
  return operations.length === 0 ? 'the tenant host' : operations.join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
