import { columns, visibleLines, wrap } from '../report/text.ts';
import type { Preflight } from './preflight.ts';

/** The screen that is printed before a run. Ends with a line feed. */
export function renderPreflight(baseUrl: string, found: Preflight, width: number = 80): string {
  const lines: string[] = ['', `target ${baseUrl}`];
  const hang = (mark: string, content: string) => {
    const [first = '', ...rest] = wrap(
      visibleLines(content),
      Math.min(Math.max(width, 60), 120) - columns(mark),
    );
    lines.push(mark + first, ...rest.map((line) => ' '.repeat(columns(mark)) + line));
  };
  for (const [what, text] of found.facts) hang(`  ${what.padEnd(12)} `, text);
  for (const warning of found.warnings) hang('  warning      ', warning);
  if (found.changes.length > 0) lines.push('', '  This run will change the target:');
  for (const change of found.changes) hang('  - ', change);
  if (found.unjudged.length > 0) lines.push('', '  Not judged, and what is missing:');
  for (const group of found.unjudged) hang('  - ', group);
  if (found.fatal !== undefined) {
    lines.push('');
    hang('', found.fatal);
  }
  return `${lines.join('\n')}\n`;
}
