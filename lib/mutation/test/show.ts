import { blamed, type Matrix } from './matrix.ts';
import type { Finding } from './subject.ts';

/** The matrix as Markdown: problems first, then for each requirement its faults, then what else each fault breaks. */
export function markdown(matrix: Matrix): string {
  const { counts, milliseconds, seeds, problems } = matrix;
  const others = (each: Finding) => ({
    blamed: blamed(each).filter((id) => id !== each.breaks),
    following: each.following.filter((id) => id !== each.breaks),
  });
  const shared = matrix.findings.filter(
    (each) => each.kind === 'fault' && [...others(each).blamed, ...others(each).following].length > 0,
  );
  return [
    '# Kill matrix',
    '',
    summary(matrix),
    '',
    `Seeds ${seeds.join(', ')}; ${(milliseconds / 1000).toFixed(1)} s; ${counts.blamedAlone} faults are blamed on their own requirement alone; a fault reaches ${counts.reached.toFixed(1)} rows of the suite on average, and is judged by all of them.`,
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
    '## Faults that break more than their own requirement',
    '',
    '| fault | breaks | also blamed | what follows |',
    '|---|---|---|---|',
    ...shared.map(
      (each) =>
        `| ${each.name} | ${each.breaks} | ${others(each).blamed.join(', ')} | ${others(each).following.join(', ')} |`,
    ),
    '',
  ].join('\n');
}

/** The matrix in one line. */
export function summary({ counts, findings }: Matrix): string {
  const runs = findings.filter(({ pace }) => pace !== undefined).length;
  if (runs > 0) return `${runs} runs against the fake as it is, ${counts.accused} accusations`;
  return `${counts.faults} faults, ${counts.caught} caught by their own requirement (${counts.blamedAlone} by nothing else); ${counts.variants} variants, ${counts.accused} accusations; ${counts.breakagesCaught} of ${counts.breakages} breakages of the plain server seen; ${counts.requirements} requirements`;
}
