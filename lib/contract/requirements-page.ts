import type { Ledger, RequirementRow } from './ledger.ts';

/** `docs/requirements.md`: everything that the suite judges, records, and leaves to others. */
export function requirementsPage({ requirements, observations, excluded }: Ledger): string {
  const sections = [...new Set(requirements.map(({ section }) => section))].sort((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  );
  const stated = requirements.filter(({ level }) => level === 'stated').length;
  return [
    '# Requirements',
    '',
    '<!-- Made from fixtures/requirements.yaml by `npx vitest run lib/contract -u`. -->',
    '',
    `${stated} stated ones, which a server must meet; ${requirements.length - stated} inferred ones, of which the suite warns;`,
    `${observations.length} observations, which are recorded and never judged. An id is never reused or renumbered.`,
    '',
    '**On** names operations, or a kind of operation, in any contract. **Needs** is what the suite must be given:',
    '`token` (a valid one), `mint` (`--signing-key`), `seed`, `inspect`, `clock` and `logs` (`--control`), `write` (not',
    '`--read-only`), or data that exists (`--action-id` and the like).',
    ...sections.flatMap((section) => [
      '',
      `## §${section}`,
      '',
      ...table(
        ['id', 'level', 'requirement', 'on', 'needs'],
        requirements.filter((row) => row.section === section).map(requirementCells),
      ),
    ]),
    '',
    '## Observations',
    '',
    'Where the specification is silent.',
    '',
    ...table(
      ['id', 'what is recorded', 'on', 'needs'],
      observations.map(({ id, says, operations, needs }) => [id, says, on(operations), needs.join(', ')]),
    ),
    '',
    '## Not judged by any black box',
    '',
    ...table(
      ['id', 'sentence', 'why'],
      excluded.map(({ id, says, reason }) => [id, says, reason]),
    ),
    '',
  ].join('\n');
}

function requirementCells({ id, level, says, operations, needs }: RequirementRow): string[] {
  return [id, level, says, on(operations), needs.join(', ')];
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
