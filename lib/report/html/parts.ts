import type { Verdict } from '../report.ts';
import type { SectionTally, Tally } from '../summary.ts';
import { count, line, plural } from '../text.ts';
import { type Html, html, type Part } from './template.ts';

/** Signs beside the colours, so that colour is never the only one. */
export const signs: Readonly<Record<Verdict, string>> = {
  failed: '✗',
  error: '?',
  warned: '!',
  'not-judged': '○',
  passed: '✓',
};

/** Verdicts in words. */
export const words: Readonly<Record<Verdict, string>> = {
  failed: 'failed',
  error: 'error',
  warned: 'warned',
  'not-judged': 'not judged',
  passed: 'passed',
};

/** `4 failed`, `2 errors`. */
export function said(verdict: Verdict, number: number): string {
  return verdict === 'error' ? plural(number, 'error') : `${count(number)} ${words[verdict]}`;
}

/** A verdict as a sign and a word. */
export function chip(verdict: Verdict, text: string = words[verdict]): Html {
  return html`<span class="chip v-${verdict}"><span aria-hidden="true">${signs[verdict]}</span> ${text}</span>`;
}

/** A link to a requirement on the same page. */
export function link(id: string): Html {
  return html`<a class="id" href="#${id}">${line(id, 160)}</a>`;
}

/** A section with a table, whose rows become blocks where the page is narrow; nothing without rows. */
export function table(
  id: string,
  title: string,
  heads: readonly string[],
  rows: readonly (readonly Part[])[],
): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title} <span class="quiet">${count(rows.length)}</span></h2>
<div class="scroll" tabindex="0" role="group" aria-label="${title}, a table"><table class="stacked ${id}"><thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${row.map((cell, index) => (index === 0 ? html`<th scope="row">${cell}</th>` : html`<td data-label="${heads[index]}">${cell}</td>`))}</tr>`,
  )}</tbody></table></div></section>`;
}

/** How many have each verdict, the worst first, without those that are none. */
export function counts(tally: Tally): { readonly verdict: Verdict; readonly count: number }[] {
  const all: readonly (readonly [Verdict, number])[] = [
    ['failed', tally.failed],
    ['error', tally.error],
    ['warned', tally.warned],
    ['not-judged', tally.not_judged],
    ['passed', tally.passed],
  ];
  return all.filter(([, count]) => count > 0).map(([verdict, count]) => ({ verdict, count }));
}

/** Counts as a stacked bar, from the best to the worst. */
export function bar(tally: Tally): Html {
  const parts = counts(tally).reverse();
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  let x = 0;
  const rects = parts.map(({ verdict, count }) => {
    const width = (count / total) * 100;
    const rect = html`<rect class="f-${verdict}" x="${x.toFixed(3)}" width="${width.toFixed(3)}" height="8"/>`;
    x += width;
    return rect;
  });
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>`;
}

/** `4 failed, 2 passed`. */
export function inWords(tally: Tally): string {
  return counts(tally)
    .map((part) => said(part.verdict, part.count))
    .join(', ');
}

/** The id of a section's heading. */
export function sectionAnchor(section: SectionTally['section']): string {
  return `section-${section}`;
}

/** A command or value with a button that copies it. */
export function copyable(text: string): Html {
  return html`<div class="copyable"><pre tabindex="0"><code>${text}</code></pre><button type="button" class="copy needs-js">Copy</button></div>`;
}
