import type { RequirementResult, Verdict } from '../report.ts';
import { signs, splitName, type Tally, verdicts, wordsOf } from '../summary.ts';
import { type Html, html, type Part } from '../template.ts';
import { count, line, plural } from '../text.ts';

/** A verdict's sign, which screen readers leave out: a word follows it. */
export function sign(verdict: Verdict): Html {
  return html`<span aria-hidden="true">${signs[verdict]}</span>`;
}

/** A verdict as a sign and a word. */
export function chip(verdict: Verdict, text: string = wordsOf(verdict)): Html {
  return html`<span class="chip v-${verdict}">${sign(verdict)} ${text}</span>`;
}

/** Text whose parts between backticks are code. */
export function withInlineCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** A link to a requirement on the same page, which may be named with an operation. */
export function link(id: string): Html {
  return html`<a class="id" href="#${splitName(id)[0]}">${line(id, 160)}</a>`;
}

/** A section with a table, whose rows become blocks if the page is narrow; nothing without rows. */
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

/** A form that filters the rows of its section by text, by verdict, and by further fields. @param of what the rows are */
export function filters(
  of: string,
  total: number,
  choices: readonly { readonly value: string; readonly color: Verdict; readonly words: string }[],
  further?: Html,
): Html {
  return html`<form class="filters needs-js" data-of="${of}">
<label class="text">Text <input type="search" name="text" placeholder="id, words, operation"></label>
<fieldset><legend>Verdict</legend>${choices.map(
    ({ value, color, words }) =>
      html`<label class="check v-${color}"><input type="checkbox" name="verdict" value="${value}" checked> ${sign(color)} ${words}</label>`,
  )}</fieldset>
${further}<button type="reset">Reset</button> <output role="status">${plural(total, of)}</output></form>`;
}

/** How many have each verdict, the worst first, without those that are none; in words `2 errors`. */
export function counts(tally: Tally) {
  return verdicts
    .map((verdict) => ({ verdict, number: tally[verdict] }))
    .filter(({ number }) => number > 0)
    .map(({ verdict, number }) => ({
      verdict,
      number,
      words: verdict === 'error' ? plural(number, 'error') : `${count(number)} ${wordsOf(verdict)}`,
    }));
}

/** `4 failed, 2 passed`. */
export function countsText(tally: Tally): string {
  return counts(tally)
    .map(({ words }) => words)
    .join(', ');
}

/** Counts as a stacked bar, from the best to the worst. */
export function bar(tally: Tally): Html {
  const parts = counts(tally).reverse();
  const total = parts.reduce((sum, { number }) => sum + number, 0);
  let x = 0;
  const rects = parts.map(({ verdict, number }) => {
    const width = (number / total) * 100;
    x += width;
    return html`<rect class="f-${verdict}" x="${(x - width).toFixed(3)}" width="${width.toFixed(3)}" height="8"/>`;
  });
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>`;
}

/** Operations in code, the first ones only; as links if there are few such rows on a page. */
export function operationNames(operations: readonly string[], isLinked = false): Html {
  const rest = operations.length - 12;
  const named = operations.slice(0, 12).map((operation) => {
    const name = html`<code>${line(operation, 100)}</code>`;
    return isLinked ? html`<a href="#operation:${operation}">${name}</a> ` : html`${name} `;
  });
  return html`${named}${rest > 0 && `and ${count(rest)} more`}`;
}

/** Requirements that are named under another one. */
export function furtherResults(what: string, results: readonly RequirementResult[]): Html | undefined {
  if (results.length === 0) return undefined;
  return html`<details class="others"><summary>${what}: ${count(results.length)} more</summary><ul>${results.map(({ id, verdict }) => html`<li><span class="v-${verdict}">${sign(verdict)}</span> ${link(id)}</li>`)}</ul></details>`;
}

/** A command with a button that copies it. */
export function copyable(title: string, text: string): Html {
  return html`<h4>${title}</h4><div class="copyable"><pre tabindex="0"><code>${text}</code></pre><button type="button" class="copy needs-js">Copy</button></div>`;
}
