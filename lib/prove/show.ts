import { blamed, type Matrix } from './matrix.ts';

/** The matrix as Markdown: problems first, then for each requirement its faults, then what else each fault was blamed for. */
export function markdown(matrix: Matrix): string {
  const { counts, milliseconds, seeds, problems } = matrix;
  const shared = matrix.findings.filter(
    (each) => each.kind === 'fault' && blamed(each).some((id) => id !== each.breaks),
  );
  return [
    '# Kill matrix',
    '',
    summary(matrix),
    '',
    `Seeds ${seeds.join(', ')}; ${(milliseconds / 1000).toFixed(1)} s; of ${counts.whole} faults that met the whole suite ${counts.blamedAlone} are blamed on their own requirement alone.`,
    '',
    ...(problems.length === 0
      ? []
      : ['## Problems', '', ...problems.map(({ what, remedy }) => `- ${what}. *${remedy}*`), '']),
    '## Requirements and their faults',
    '',
    '| requirement | faults |',
    '|---|---|',
    ...Object.entries(matrix.requirements).map(
      ([id, faults]) =>
        `| ${id} | ${faults.map(({ fault, caught }) => (caught ? fault : `**${fault} survived**`)).join(', ') || '**none**'} |`,
    ),
    '',
    '## Faults blamed on more than their own requirement',
    '',
    '| fault | breaks | also blamed |',
    '|---|---|---|',
    ...shared.map(
      (each) =>
        `| ${each.name} | ${each.breaks} | ${blamed(each)
          .filter((id) => id !== each.breaks)
          .join(', ')} |`,
    ),
    '',
  ].join('\n');
}

/** The matrix in one line. */
export function summary({ counts, findings }: Matrix): string {
  const runs = findings.filter(({ pace }) => pace !== undefined).length;
  if (runs > 0) return `${runs} runs against the fake as it is, ${counts.accused} accusations`;
  return `${counts.faults} faults (${counts.whole} against the whole suite), ${counts.caught} caught by their own requirement; ${counts.variants} variants, ${counts.accused} accusations; ${counts.breakagesCaught} of ${counts.breakages} breakages of the plain server seen; ${counts.requirements} requirements`;
}
