import { causesFirst } from '../causes.ts';
import { entryLines } from '../difference.ts';
import type { Report } from '../report.ts';
import { bySection, judgedOfStated, tally } from '../summary.ts';
import { verdictWords } from '../terminal.ts';
import { count, duration, line, plural } from '../text.ts';
import { bar, chip, counts, inWords, said, sectionAnchor, signs, words } from './signs.ts';
import { type Html, html } from './template.ts';

const verdictSigns = { conforms: '✓', 'does-not-conform': '✗', incomplete: '○' };

/** The verdict, how much was judged, and of what. */
export function head(report: Report): Html {
  const { judged, of, partly, deselected } = judgedOfStated(report.requirements);
  const stated = tally(report.requirements.filter(({ level }) => level === 'stated'));
  const inferred = tally(report.requirements.filter(({ level }) => level === 'inferred'));
  const word = verdictWords[report.verdict];
  return html`<header class="head head-${report.verdict}">
<h1><span class="sign" aria-hidden="true">${verdictSigns[report.verdict]}</span> ${word.charAt(0)}${word.slice(1).toLowerCase()}</h1>
<p class="judged"><strong>${count(judged)} of ${plural(of, 'stated requirement')} judged</strong>${deselected > 0 && `, ${count(deselected)} deselected`}${partly > 0 && `, ${count(partly)} of them in part`}</p>
${bar(stated)}
<ul class="legend">${counts(stated).map(
    (part) =>
      html`<li class="v-${part.verdict}"><span aria-hidden="true">${signs[part.verdict]}</span> ${said(part.verdict, part.count)}</li>`,
  )}${inferred.passed + inferred.warned + inferred.not_judged + inferred.error > 0 && html`<li class="quiet">inferred: ${inWords(inferred)}</li>`}</ul>
${report.run.ended_early !== undefined && html`<p class="notice"><strong>Ended early:</strong> ${line(report.run.ended_early, 600)}</p>`}
<dl class="facts">${facts(report).map(([name, value]) => html`<div${wide.has(name) && html` class="wide"`}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>`;
}

/** Facts too long for one column. */
const wide = new Set(['Target', 'What the suite could do', 'Contract', 'Suite', 'Started', 'Took']);

function facts(report: Report): (readonly [string, string | Html])[] {
  const { suite, specification, contract, target, run } = report;
  const capabilities = target.capabilities.map((capability) => line(capability, 60)).join(', ');
  return [
    ['Target', html`<code>${line(target.base_url, 300)}</code>`],
    ['Cloud', target.cloud],
    ['What the suite could do', capabilities === '' ? 'no more than ask' : capabilities],
    ['Suite', `${line(suite.name, 80)} ${line(suite.version, 40)}`],
    [
      'Contract',
      `${line(contract.title, 80)} ${line(contract.version, 40)}, ${plural(contract.operations.length, 'operation')}`,
    ],
    ['Specification', line(specification.version, 40)],
    [
      'Started',
      html`<time datetime="${run.started_at}">${run.started_at.replace('T', ' ').replace(/\.\d+/, '')}</time>`,
    ],
    ['Took', `${duration(run.duration_ms)}, ${plural(run.requests, 'request')}`],
    ['Seed', html`<code>${run.seed}</code>`],
    ...(run.shard === null ? [] : [['Shard', run.shard] as const]),
    ...(run.strict === true ? [['Strict', 'a warning fails the run'] as const] : []),
  ];
}

/** The sections of the specification, each one's state at a glance. */
export function sectionStrip(report: Report): Html {
  return html`<nav class="strip" aria-label="Sections of the specification"><ol>${bySection(report).map(
    (section) => {
      const [worst] = counts(section);
      const verdict = worst?.verdict ?? 'not-judged';
      return html`<li><a class="tile t-${verdict}" href="#${sectionAnchor(section.section)}" title="${line(section.title ?? '', 120)}: ${inWords(section)}">
<span class="number">§${section.section}</span> <span class="state v-${verdict}"><span aria-hidden="true">${signs[verdict]}</span> ${count(worst?.count ?? 0)}<span class="hidden"> ${words[verdict]}</span></span>
<span class="name">${line(section.title ?? '', 60)}</span>${bar(section)}</a></li>`;
    },
  )}</ol></nav>`;
}

/** What is broken, before anything else. */
export function broken(report: Report): Html | undefined {
  const results = causesFirst(
    report.requirements.filter(({ verdict }) => verdict === 'failed' || verdict === 'error'),
  );
  if (results.length === 0) return undefined;
  const known = new Map(report.baseline?.known.map((row) => [row.id, row]));
  return html`<section aria-labelledby="broken"><h2 id="broken">What is broken</h2>
<div class="scroll" tabindex="0" role="group" aria-label="What is broken, a table"><table class="broken stacked"><thead><tr><th scope="col">Requirement</th><th scope="col">What it says</th><th scope="col">Expected</th><th scope="col">Received</th></tr></thead>
<tbody>${results.map((result) => {
    const excuse = known.get(result.id);
    return html`<tr><th scope="row">${chip(result.verdict)} <a href="#${result.id}">${result.id}</a>${excuse && html` <span class="chip quiet" title="${line(excuse.reason, 300)}">known</span>`}${result.caused_by && html` <span class="chip quiet" title="caused by: ${line(result.caused_by.join(', '), 300)}">caused by another</span>`}</th>
<td>${line(result.description, 400)}</td><td data-label="expected"><code>${line(result.difference?.expected ?? '', 160)}</code></td><td data-label="received"><code>${line(result.difference === undefined ? (result.reason ?? '') : [result.difference.received, ...entryLines(result.difference)].join('; '), 240)}</code></td></tr>`;
  })}</tbody></table></div></section>`;
}
