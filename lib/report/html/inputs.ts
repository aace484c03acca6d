import type { InputCoverage, Report } from '../report.ts';
import { type Html, html } from '../template.ts';
import { count, line, plural } from '../text.ts';

type Counts = InputCoverage['operations'][string];

/** How the requests of the run cover the input dimensions, by operation. */
export function inputs({ input_coverage: coverage }: Report): Html | undefined {
  const rows = Object.entries(coverage?.operations ?? {});
  if (coverage === undefined || rows.length === 0) return undefined;
  const leftOut = Object.entries(coverage.left_out).flatMap(([location, classes]) =>
    Object.entries(classes).map(
      ([name, reason]) => html`<li>${line(`${location}, ${name}: ${reason}`, 200)}</li>`,
    ),
  );
  return html`<section aria-labelledby="inputs"><h2 id="inputs">Input coverage</h2>
<p>Requests by class of each input dimension: sent, accepted (2xx), rejected (4xx).</p>
${leftOut.length > 0 && html`<p>Left out:</p><ul>${leftOut}</ul>`}${rows.map(([id, counts]) => operation(id, counts))}</section>`;
}

function operation(id: string, counts: Counts): Html {
  const classes = Object.entries(counts);
  const missing = classes.filter(([, [sent]]) => sent === 0).length;
  return html`<details><summary>${line(id, 120)} <span class="quiet">${plural(classes.length, 'class', 'classes')}, ${count(missing)} never sent</span></summary>
<div class="scroll" tabindex="0" role="group" aria-label="Classes of ${line(id, 120)}, a table"><table><thead><tr><th scope="col">Class</th><th scope="col">Sent</th><th scope="col">Accepted</th><th scope="col">Rejected</th></tr></thead><tbody>${classes.map(([name, numbers]) => html`<tr><th scope="row">${line(name, 120)}</th>${numbers.map((each) => html`<td>${count(each)}</td>`)}</tr>`)}</tbody></table></div></details>`;
}
