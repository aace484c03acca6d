import { TerminalText } from '../report/terminal-text.ts';
import { visible } from '../report/text.ts';
import type { Preflight } from './preflight.ts';

/** The screen that is printed before a run. Ends with a line feed. */
export function renderPreflight(baseUrl: string, found: Preflight, columns: number = 80): string {
  const page = new TerminalText({ columns });
  const list = (title: string, items: readonly string[]) => {
    if (items.length > 0) page.heading(`  ${title}`);
    for (const item of items) page.hang('  - ', visible(item));
  };
  page.heading(`target ${baseUrl}`);
  for (const [what, text] of found.facts) page.hang(`  ${what.padEnd(12)} `, visible(text));
  for (const warning of found.warnings) page.hang('  warning      ', visible(warning));
  list('This run will change the target:', found.changes);
  list('Not judged, and what is missing:', found.unjudged);
  if (found.fatal !== undefined) {
    page.line();
    page.hang('', visible(found.fatal));
  }
  return page.text();
}
