import { fieldsOf } from '../findings.ts';
import type { Report, RequirementResult } from '../report.ts';
import { scriptName } from '../scripts.ts';
import {
  bySection,
  excuseOf,
  isPartial,
  operationsShown,
  operationsWith,
  verdicts,
  wordsOf,
} from '../summary.ts';
import { type Html, html } from '../template.ts';
import { count, duration, line, plural, truncate } from '../text.ts';
import { chip, copyable, countsText, filters, operationNames } from './components.ts';
import { transcripts } from './exchange.ts';

/** Up to this many failures are unfolded at first. */
const openFailures = 3;

/** Characters of exchanges in one page: a page of many megabytes opens slowly, on phones not at all. */
const exchangeBudget = 2_000_000;

/** Characters of a script that the page shows; a longer one is in its file only. */
const scriptCharacters = 8_000;

/** All requirements by section, with their filters. */
export function requirements(report: Report): Html {
  const budget = { left: exchangeBudget };
  const places = new Map(report.contract.operations.map(({ id }, index) => [id, index]));
  const failures = report.requirements.filter(({ verdict }) => verdict === 'failed').length;
  const sections = bySection(report).map(
    ({ section, name, results, tally }) => html`<section class="group" aria-labelledby="section-${section}">
<h3 id="section-${section}">${line(name, 120)} <span class="quiet">${countsText(tally)}</span></h3>
${results.map((result) => requirement(report, result, { places, budget, open: failures <= openFailures }))}</section>`,
  );
  const present = verdicts.filter((verdict) =>
    report.requirements.some((result) => result.verdict === verdict),
  );
  const choices = present.map((verdict) => ({ value: verdict, color: verdict, words: wordsOf(verdict) }));
  const further = html`<label>Level <select name="level"><option value="">both</option><option>stated</option><option>inferred</option></select></label>
<label>Operation <select name="operation"><option value="">all</option>${report.contract.operations.map(({ id }, index) => html`<option value="${index}">${line(id, 100)}</option>`)}</select></label>`;
  return html`<section aria-labelledby="requirements"><h2 id="requirements">Requirements</h2>${filters('requirement', report.requirements.length, choices, further)}
${sections}<p class="nothing" hidden>No requirement matches these filters.</p></section>`;
}

interface Setting {
  /** Places of the operations in the contract: shorter than their names, of which there may be hundreds in each row. */
  readonly places: ReadonlyMap<string, number>;
  readonly budget: { left: number };
  readonly open: boolean;
}

function requirement(report: Report, result: RequirementResult, { places, budget, open }: Setting): Html {
  const { id, verdict, level, reproduce, rerun, requests, duration_ms } = result;
  const labels = [
    ...(level === 'inferred' ? ['inferred'] : []),
    ...(excuseOf(report, result) === undefined ? [] : ['known']),
    ...(isPartial(result) ? ['in part'] : []),
  ];
  const operations = result.operations.flatMap((operation) => places.get(operation) ?? []);
  return html`<details class="requirement r-${verdict}" id="${id}" data-verdict="${verdict}" data-level="${level}" data-operations="${operations.join(' ')}"${open && verdict === 'failed' && html` open`}>
<summary>${chip(verdict)} <span class="id">${id}</span> <span class="description">${line(result.description, 400)}</span>${labels.map((label) => html` <span class="chip quiet">${label}</span>`)}</summary>
<div class="inside"><dl class="points">${points(report, result).map(([name, value]) => html`<div class="p-${name.replace(/\W+/g, '-')}"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${reproduce !== undefined && (reproduce.length <= scriptCharacters ? copyable('Repeat it', reproduce) : html`<h4>Repeat it</h4><p>bash <code>repeat/${scriptName(id)}</code></p>`)}
${rerun !== undefined && copyable('Run it again', truncate(rerun, 2_000))}
${exchanges(result, budget)}
<p class="quiet"><a href="#${id}">Link to this requirement</a>${requests !== undefined && ` · ${plural(requests, 'request')}`}${duration_ms !== undefined && ` · ${duration(duration_ms)}`}</p></div></details>
`;
}

function points(report: Report, result: RequirementResult): (readonly [string, Html])[] {
  const { operations, required_flags: flags = [] } = result;
  const rows: [string, Html][] = [];
  for (const { label, text } of fieldsOf(report, result)) {
    if (label === 'elsewhere') continue;
    const isCode = ['', 'expected', 'received', 'input'].includes(label);
    const words = isCode ? html`<code>${line(text)}</code>` : html`${line(text)}`;
    const shown = label === 'on' ? operationNames(operationsShown(result), true) : words;
    const last = rows.at(-1);
    if (label === '' && last !== undefined) last[1] = html`${last[1]}<br>${shown}`;
    else rows.push([label, shown]);
  }
  if (flags.length > 0)
    rows.push(['needs', html`${flags.map((flag) => html`<code>${line(flag, 200)}</code> `)}`]);
  const level = result.level === 'stated' ? 'stated by a sentence' : 'inferred, so breaking it is a warning';
  rows.push(['level', html`${level}`]);
  // Do not repeat what the rows above say about an operation.
  const shown = result.by_operation.find(({ verdict }) => verdict === result.verdict);
  const others = result.by_operation.filter((each) => each.verdict !== 'passed' && each !== shown);
  const parts = others.map(
    ({ operation, verdict, reason }) =>
      html`<li>${chip(verdict)} <a href="#operation:${operation}">${line(operation, 100)}</a> ${line(reason ?? '', 300)}</li>`,
  );
  if (parts.length > 12) parts.splice(12, parts.length, html`<li>and ${count(parts.length - 12)} more</li>`);
  if (parts.length > 0) rows.push(['by operation', html`<ul>${parts}</ul>`]);
  if (operationsWith(result, result.verdict).length < operations.length || result.verdict === 'passed')
    rows.push(['operations', operationNames(operations)]);
  return rows;
}

function exchanges(result: RequirementResult, budget: { left: number }): Html | undefined {
  const all = result.exchanges;
  if (all.length === 0) return undefined;
  const shown = transcripts(result);
  const size = shown.reduce((sum, part) => sum + part.markup.length, 0);
  if (size > budget.left)
    return html`<p class="cut">${plural(all.length, 'exchange')}: see report.json or exchanges.har, this page is full.</p>`;
  budget.left -= size;
  return html`<h4>${plural(all.length, 'exchange')}</h4>${shown}`;
}
