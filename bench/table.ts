import { type Goal, isHeld, type Measured, type Row, ratioOf } from './row.ts';

const head = ['what', 'figure', 'beside', 'ratio', 'goal', 'held'];

/** Rows as text for a terminal, one line each. */
export function table(rows: readonly Row[]): string {
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) => {
    // A line's last cell needs no room for others beside it.
    const before = lines.filter((line) => column < line.length - 1);
    return Math.max(0, ...before.map((line) => line[column]?.length ?? 0));
  });
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells(row: Row): string[] {
  if ('notMeasured' in row) return [row.what, `not measured: ${row.notMeasured}`];
  const { what, value, unit, beside, goal } = row;
  const ratio = ratioOf(row);
  return [
    what,
    `${figure(value)} ${unit}`,
    beside === undefined ? '' : `${figure(beside.value)} ${beside.what}`,
    ratio === undefined ? '' : `${figure(ratio)}×`,
    goal === undefined ? '' : goalText(goal, row),
    { true: 'yes', false: 'NO', undefined: '' }[`${isHeld(row)}`],
  ];
}

function goalText({ bound, limit }: Goal, { beside, unit }: Measured): string {
  return `${bound === 'at_most' ? '≤' : '≥'} ${figure(limit)}${beside === undefined ? ` ${unit}` : '×'}`;
}

/** Three digits say all that such a measurement knows. */
export function figure(value: number): string {
  return value.toLocaleString(
    'en',
    Math.abs(value) < 1000 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
}
