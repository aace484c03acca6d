import { fieldsOf } from '../findings.ts';
import type { Report, RequirementResult } from '../report.ts';
import { bySection, verdicts } from '../summary.ts';
import { count, cut, duration, line, plural } from '../text.ts';
import { decisiveIndex, transcript } from './exchange.ts';
import { bar, chip, copyable, inWords, sectionAnchor, signs, words } from './parts.ts';
import { type Html, html } from './template.ts';

/** So few failures stand open from the start. */
const openFailures = 3;

/** Exchanges of one requirement that the page shows; the archive has them all. */
const shownExchanges = 8;

/** Characters of exchanges in one page: a page of many megabytes opens slowly, on phones not at all. */
const exchangeBudget = 2_000_000;

const namedOperations = 12;

/** All requirements by section, with their filters. */
export function requirements(report: Report): Html {
  const budget = { left: exchangeBudget };
  const places = new Map(report.contract.operations.map(({ id }, index) => [id, index]));
  const failures = report.requirements.filter(({ verdict }) => verdict === 'failed').length;
  const sections = bySection(report).map((section) => {
    const results = report.requirements.filter((result) => result.section === section.section);
    return html`<section class="group" aria-labelledby="${sectionAnchor(section.section)}">
<h3 id="${sectionAnchor(section.section)}">§${section.section} ${line(section.title ?? '', 120)} <span class="quiet">${inWords(section)}</span></h3>${bar(section)}
${results.map((result) => requirement(report, result, { places, budget, open: failures <= openFailures }))}</section>`;
  });
  return html`<section aria-labelledby="requirements"><h2 id="requirements">Requirements</h2>${filters(report)}
${sections}<p class="nothing" hidden>No requirement matches these filters.</p></section>`;
}

function filters(report: Report): Html {
  const present = verdicts.filter((verdict) =>
    report.requirements.some((result) => result.verdict === verdict),
  );
  return html`<form class="filters needs-js" id="filters">
<label class="text">Text <input type="search" name="text" placeholder="id, words, operation"></label>
<fieldset><legend>Verdict</legend>${present.map(
    (verdict) =>
      html`<label class="check v-${verdict}"><input type="checkbox" name="verdict" value="${verdict}" checked> <span aria-hidden="true">${signs[verdict]}</span> ${words[verdict]}</label>`,
  )}</fieldset>
<label>Level <select name="level"><option value="">both</option><option value="stated">stated</option><option value="inferred">inferred</option></select></label>
<label>Operation <select name="operation"><option value="">all</option>${report.contract.operations.map(({ id }, index) => html`<option value="${index}">${line(id, 100)}</option>`)}</select></label>
<button type="reset">Reset</button> <output id="shown" role="status">${plural(report.requirements.length, 'requirement')}</output></form>`;
}

interface Setting {
  readonly places: ReadonlyMap<string, number>;
  readonly budget: { left: number };
  readonly open: boolean;
}

function requirement(report: Report, result: RequirementResult, { places, budget, open }: Setting): Html {
  const known = report.baseline?.known.find(({ id }) => id === result.id);
  const isOpen = open && result.verdict === 'failed';
  return html`<details class="requirement r-${result.verdict}" id="${result.id}" data-verdict="${result.verdict}" data-level="${result.level}" data-operations="${ranges(result.operations, places)}"${isOpen && html` open`}>
<summary>${chip(result.verdict)} <span class="id">${result.id}</span> <span class="description">${line(result.description, 400)}</span>${result.level === 'inferred' && html` <span class="chip quiet">inferred</span>`}${known && html` <span class="chip quiet">known</span>`}${(result.not_judged_on ?? []).length > 0 && html` <span class="chip quiet">in part</span>`}</summary>
<div class="inside"><dl class="points">${points(report, result).map(([name, value]) => html`<div class="p-${name.replace(/\W+/g, '-')}"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${result.reproduce !== undefined && html`<h4>Repeat it</h4>${copyable(cut(result.reproduce, 8_000))}`}
${result.rerun !== undefined && html`<h4>Run it again</h4>${copyable(cut(result.rerun, 2_000))}`}
${exchanges(result, budget)}
<p class="quiet"><a href="#${result.id}">Link to this requirement</a>${result.requests !== undefined && ` · ${plural(result.requests, 'request')}`}${result.duration_ms !== undefined && ` · ${duration(result.duration_ms)}`}</p></div></details>
`;
}

function points(report: Report, result: RequirementResult): (readonly [string, Html])[] {
  const rows: [string, Html[]][] = [];
  for (const { label, text } of fieldsOf(report, result)) {
    const isCode = ['', 'expected', 'received', 'input'].includes(label);
    const shown = isCode ? html`<code>${line(text)}</code>` : html`${line(text)}`;
    if (label !== '') rows.push([label, [shown]]);
    else rows.at(-1)?.[1].push(html`<br>${shown}`);
  }
  if (result.required_flags !== undefined && result.required_flags.length > 0)
    rows.push(['needs', result.required_flags.map((flag) => html`<code>${line(flag, 200)}</code> `)]);
  const level =
    result.level === 'stated'
      ? 'stated: a sentence of the specification says it'
      : 'inferred: no sentence says it, so breaking it is a warning';
  rows.push(['level', [html`${level}`]]);
  const partly = (result.not_judged_on ?? []).map(({ operation, reason }) => `${operation}: ${reason}`);
  const rest = partly.length - namedOperations;
  if (partly.length > 0)
    rows.push([
      'not judged on',
      [
        html`<ul>${partly.slice(0, namedOperations).map((text) => html`<li>${line(text, 300)}</li>`)}${rest > 0 && html`<li>and ${count(rest)} more</li>`}</ul>`,
      ],
    ]);
  const { failed_on: on = result.operations } = result;
  if (result.verdict === 'passed' || on.length < result.operations.length)
    rows.push(['operations', [names(result.operations)]]);
  return rows.map(([name, parts]) => [name, html`${parts}`]);
}

function exchanges(result: RequirementResult, budget: { left: number }): Html | undefined {
  const all = result.exchanges;
  if (all.length === 0) return undefined;
  const decisive = decisiveIndex(all);
  // The decisive one is shown whatever else is left out.
  const first = Math.max(0, Math.min(decisive, all.length - shownExchanges));
  const shown = all.slice(first, first + shownExchanges).map((exchange, index) =>
    transcript(exchange, result, {
      place: `Exchange ${first + index + 1} of ${all.length}`,
      decisive: first + index === decisive,
    }),
  );
  const size = shown.reduce((sum, part) => sum + part.markup.length, 0);
  if (size > budget.left)
    return html`<p class="cut">${plural(all.length, 'exchange')}: see report.json or exchanges.har, this page is full.</p>`;
  budget.left -= size;
  return html`<h4>${plural(all.length, 'exchange')}</h4>${shown.length < all.length && html`<p class="cut">${count(shown.length)} of them are shown.</p>`}${shown}`;
}

function names(operations: readonly string[]): Html {
  const rest = operations.length - namedOperations;
  return html`${operations.slice(0, namedOperations).map((operation) => html`<code>${line(operation, 100)}</code> `)}${rest > 0 && `and ${count(rest)} more`}`;
}

/** Places of the operations in the contract as ranges: `0-4,7`. Naming several hundred in every row would fill the page. */
export function ranges(operations: readonly string[], places: ReadonlyMap<string, number>): string {
  const sorted = operations.flatMap((operation) => places.get(operation) ?? []).sort((a, b) => a - b);
  const found: [number, number][] = [];
  for (const place of sorted) {
    const last = found.at(-1);
    if (last !== undefined && place <= last[1] + 1) last[1] = place;
    else found.push([place, place]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
