import type { Report } from '../report.ts';
import { unjudged } from '../summary.ts';
import { count, inputText, line, plural } from '../text.ts';
import { type Html, html } from './template.ts';

const shownIds = 200;

/** What was not judged, by reason, with what would unlock it. */
export function notJudged(report: Report): Html | undefined {
  const groups = unjudged(report.requirements);
  if (groups.length === 0) return undefined;
  return html`<section aria-labelledby="not-judged"><h2 id="not-judged">What was not judged</h2>
<p>None of these counts as passed.</p><ul class="unjudged">${groups.map(
    (
      group,
    ) => html`<li><p><span class="chip v-not-judged"><span aria-hidden="true">○</span> ${count(group.items.length)}</span> ${line(group.reason, 400)}</p>
${group.requiredFlags.length > 0 && html`<p class="unlock">Unlocked by ${group.requiredFlags.map((flag) => html`<code>${line(flag, 200)}</code> `)}</p>`}
<details><summary>${plural(group.items.length, 'requirement')}</summary><ul class="ids">${group.items
      .slice(0, shownIds)
      .map(
        ({ id, operations }) =>
          html`<li><a href="#${id}">${id}</a>${operations.length > 0 && html` <span class="quiet">on ${line(operations.slice(0, 6).join(', '), 300)}${operations.length > 6 && ` and ${count(operations.length - 6)} more`}</span>`}</li>`,
      )}</ul></details></li>`,
  )}</ul></section>`;
}

/** What the server does where the specification is silent. */
export function observations(report: Report): Html | undefined {
  if (report.observations.length === 0) return undefined;
  return html`<section aria-labelledby="observations"><h2 id="observations">Where the specification is silent</h2>
<p>What this server does there. None of it is right or wrong.</p>
<div class="scroll" tabindex="0" role="group" aria-label="Observations, a table"><table><thead><tr><th scope="col">Observation</th><th scope="col">What was looked at</th><th scope="col">This server</th></tr></thead><tbody>${report.observations.map(
    ({ id, description, value }) =>
      html`<tr><th scope="row"><code>${line(id, 120)}</code></th><td>${line(description, 400)}</td><td><code>${inputText(value, 600)}</code></td></tr>`,
  )}</tbody></table></div></section>`;
}

/** How the failures stand to the list of known ones. */
export function baseline(report: Report): Html | undefined {
  if (report.baseline === undefined) return undefined;
  const { known, unlisted, expired, fixed } = report.baseline;
  const link = (id: string) => html`<a href="#${id}">${id}</a>`;
  return html`<section aria-labelledby="baseline"><h2 id="baseline">Known failures</h2><ul>
<li>${count(known.length)} known${known.length > 0 && html`<ul>${known.map((row) => html`<li>${link(row.id)}: ${line(row.reason, 300)}${row.issue !== undefined && ` (${line(row.issue, 200)})`}${row.expires !== undefined && `, until ${row.expires}`}</li>`)}</ul>`}</li>
<li>${count(unlisted.length)} new${unlisted.length > 0 && html`<ul>${unlisted.map((id) => html`<li>${link(id)}</li>`)}</ul>`}</li>
${expired.length > 0 && html`<li>${count(expired.length)} expired<ul>${expired.map((row) => html`<li>${link(row.id)} on ${row.expires}</li>`)}</ul></li>`}
${fixed.length > 0 && html`<li>${count(fixed.length)} to remove, for they pass now<ul>${fixed.map((row) => html`<li>${link(row.id)}: line ${row.line} of the baseline</li>`)}</ul></li>`}</ul></section>`;
}
