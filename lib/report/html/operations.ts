import { didNotPass } from '../findings.ts';
import type { Report, RunVerdict, Verdict } from '../report.ts';
import { byOperation, bySection, notJudgedGroups, type Section, signs, tally, wordsOf } from '../summary.ts';
import { type Html, html } from '../template.ts';
import { count, line, plural } from '../text.ts';
import { chip, counts, countsText, filters, link, sign } from './components.ts';

/** Broken requirements that one row names. */
const namedBroken = 12;

/** The verdicts in the order of the groups, each with the color that requirements have for it. */
const groups: readonly (readonly [verdict: RunVerdict, color: Verdict])[] = [
  ['does-not-conform', 'failed'],
  ['incomplete', 'not-judged'],
  ['conforms', 'passed'],
];

/** Operations by sections of the specification, folded by verdict; a row unfolds to what did not pass on its operation. */
export function operations(report: Report): Html {
  const { contract, requirements, run } = report;
  const all = byOperation(requirements, contract.operations, run);
  const sections = bySection(report).filter(({ results }) =>
    results.some((each) => each.by_operation.length > 0),
  );
  const present = groups.filter(([verdict]) => all.some((each) => each.verdict === verdict));
  const choices = present.map(([verdict, color]) => ({ value: verdict, color, words: wordsOf(verdict) }));
  return html`<section aria-labelledby="operations"><h2 id="operations">Operations <span class="quiet">${count(all.length)}</span></h2>
${filters('operation', all.length, choices)}${present.map(([verdict, color], index) => {
  const words = wordsOf(verdict);
  const rows = all.filter((each) => each.verdict === verdict);
  return html`<details class="group"${index === 0 && html` open`}><summary><h3><span class="v-${color}">${sign(color)} ${words}</span> ${plural(rows.length, 'operation')}</h3></summary>
<div class="scroll" tabindex="0" role="group" aria-label="Operations with the verdict '${words}', a table"><table class="operations"><thead><tr><th scope="col">Operation</th>${sections.map(({ section, name }) => html`<th scope="col"><a href="#section-${section}" title="${line(name, 120)}">§${section}</a></th>`)}</tr></thead><tbody>${rows.map((each) => row(each, sections))}</tbody></table></div></details>`;
})}<p class="nothing" hidden>No operation matches these filters.</p></section>`;
}

function row(
  { id, method, path, results, verdict }: ReturnType<typeof byOperation>[number],
  sections: readonly Section[],
): Html {
  const broken = results.filter(didNotPass);
  const cells = sections.map(({ section }) => {
    const found = tally(results.filter((each) => each.section === section));
    const [worst, ...others] = counts(found);
    if (worst === undefined) return html`<td>`;
    // There are thousands of these: each is as short as it can be.
    return html`<td class="v-${worst.verdict}"${others.length > 0 && html` title="${countsText(found)}"`}>${signs[worst.verdict]} ${worst.number}`;
  });
  return html`<tr data-verdict="${verdict}"><th scope="row"><details id="operation:${id}"><summary>${line(id, 120)} <code>${line(`${method} ${path}`, 200)}</code></summary>
<ul><li>${countsText(tally(results))}</li>${broken.slice(0, namedBroken).map((each) => html`<li>${chip(each.verdict)} ${link(each.id)} ${line(each.reason ?? '', 200)}</li>`)}${broken.length > namedBroken && html`<li>and ${count(broken.length - namedBroken)} more</li>`}${notJudgedGroups(results).map(({ reason, items }) => html`<li>${count(items.length)} not judged: ${line(reason, 200)}</li>`)}</ul></details></th>${cells}</tr>`;
}
