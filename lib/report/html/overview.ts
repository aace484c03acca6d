import { adviceOn } from '../advice.ts';
import { baselineEntries } from '../baseline.ts';
import { entryLines } from '../difference.ts';
import { findingsOf } from '../findings.ts';
import type { Report } from '../report.ts';
import { bySection, excuseOf, notJudgedGroups, tally, wordsOf } from '../summary.ts';
import { type Html, html, type Part } from '../template.ts';
import { headlineParts, verdictSigns } from '../terminal.ts';
import { count, duration, inputText, line, plural, sentenceCase } from '../text.ts';
import {
  bar,
  chip,
  counts,
  countsText,
  furtherResults,
  link,
  operationNames,
  sign,
  table,
  withInlineCode,
} from './components.ts';

/** The verdict, how much was judged, and of what. */
export function head(report: Report): Html {
  const stated = tally(report.requirements.filter(({ level }) => level === 'stated'));
  const inferred = countsText(tally(report.requirements.filter(({ level }) => level === 'inferred')));
  const { verdict, judged } = headlineParts(report);
  return html`<header class="head head-${report.verdict}">
<h1><span class="sign" aria-hidden="true">${verdictSigns[report.verdict]}</span> ${sentenceCase(verdict)}</h1>
<p class="judged"><strong>${judged}</strong></p>
${bar(stated)}
<ul class="legend">${counts(stated).map(
    ({ verdict, words }) => html`<li class="v-${verdict}">${sign(verdict)} ${words}</li>`,
  )}${inferred !== '' && html`<li class="quiet">inferred: ${inferred}</li>`}</ul>
${report.run.ended_early !== undefined && html`<p class="notice"><strong>Ended early:</strong> ${line(report.run.ended_early, 600)}</p>`}${(report.run.notes ?? []).map((note) => html`<p class="notice"><strong>Note:</strong> ${line(note, 600)}</p>`)}
<dl class="facts">${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>`;
}

function facts({ suite, specification, contract, target, run }: Report): (readonly [string, Part])[] {
  const capabilities = target.capabilities.map((capability) => line(capability, 60)).join(', ');
  const operations = plural(contract.operations.length, 'operation');
  return [
    ['Target', html`<code>${line(target.base_url, 300)}</code> (${target.cloud} cloud)`],
    ['Capabilities', capabilities === '' ? 'none: requests without a token only' : capabilities],
    ['Suite', `${line(suite.name, 80)} ${line(suite.version, 40)}`],
    ['Specification', line(specification.version, 40)],
    ['Contract', `${line(contract.title, 80)} ${line(contract.version, 40)}, ${operations}`],
    ['Started', run.started_at.replace('T', ' ').replace(/\.\d+/, '')],
    ['Duration', `${duration(run.duration_ms)}, ${plural(run.requests, 'request')}`],
    ['Seed', html`<code>${run.seed}</code>`],
    ...(run.shard === null ? [] : [['Shard', run.shard] as const]),
    ...(run.strict === true ? [['Strict', 'a warning fails the run'] as const] : []),
  ];
}

/** The sections of the specification, each one's state at a glance. */
export function sectionStrip(report: Report): Html {
  return html`<nav class="strip" aria-label="Sections of the specification"><ol>${bySection(report).map(
    ({ section, name, tally }) => {
      const { verdict, number } = counts(tally)[0] ?? { verdict: 'not-judged', number: 0 };
      return html`<li><a class="section-card t-${verdict}" href="#section-${section}" title="${line(name, 120)}: ${countsText(tally)}">
<span class="number">§${section}</span> <span class="state v-${verdict}">${sign(verdict)} ${count(number)}<span class="hidden"> ${wordsOf(verdict)}</span></span>
<span class="name">${line(name.replace(/^\S+\s*/, ''), 80)}</span>${bar(tally)}</a></li>`;
    },
  )}</ol></nav>`;
}

/** What is broken, by cause, before anything else; the warnings if nothing is. */
export function broken(report: Report): Html | undefined {
  const failures = [...findingsOf(report, 'failed'), ...findingsOf(report, 'error')];
  const findings = failures.length > 0 ? failures : findingsOf(report, 'warned');
  return table(
    'broken',
    failures.length > 0 ? 'What is broken' : 'Warnings',
    ['Requirement', 'What the specification asks for', 'Expected', 'Received'],
    findings.map(({ result, same, consequences }) => {
      const { difference, source, reason = '' } = result;
      const advice = adviceOn(result);
      const excuse = excuseOf(report, result);
      const received = difference && [difference.received, ...entryLines(difference)].join('; ');
      return [
        html`${chip(result.verdict)} ${link(result.id)}${excuse && html` <span class="chip quiet" title="${line(excuse.reason, 300)}">known</span>`}${furtherResults('for the same reason', same)}${furtherResults('causes', consequences)}`,
        html`${line(result.description, 400)}${source !== undefined && html` <span class="quiet">${line(source, 200)}</span>`}`,
        html`<code>${line(difference?.expected ?? '', 160)}</code>${difference?.because !== undefined && html` <span class="quiet">${line(difference.because, 160)}</span>`}`,
        html`<code>${line(received ?? reason, 240)}</code>${advice !== undefined && html`<p class="quiet">${withInlineCode(advice)}</p>`}`,
      ];
    }),
  );
}

/** What was not judged, by reason, with the flags that it needs. */
export function notJudged(report: Report): Html | undefined {
  const groups = notJudgedGroups(report.requirements);
  if (groups.length === 0) return undefined;
  return html`<section aria-labelledby="not-judged"><h2 id="not-judged">What was not judged</h2>
<p>None of these counts as passed.</p><ul class="unjudged">${groups.map(
    ({ reason, requiredFlags, items }) =>
      html`<li><p>${chip('not-judged', count(items.length))} ${line(reason, 400)}</p>
${requiredFlags.length > 0 && html`<p class="needs">Needs ${requiredFlags.map((flag) => html`<code>${line(flag, 200)}</code> `)}</p>`}
<details><summary>${plural(items.length, 'requirement')}</summary><ul class="ids">${items.map(
        ({ id, operations }) =>
          html`<li>${link(id)}${operations.length > 0 && html` <span class="quiet">on ${operationNames(operations)}</span>`}</li>`,
      )}</ul></details></li>`,
  )}</ul></section>`;
}

/** What the server does where the specification is silent. */
export function observations(report: Report): Html | undefined {
  return table(
    'observations',
    'Where the specification is silent',
    ['Observation', 'Description', 'This server'],
    report.observations.map(({ id, description, value }) => [
      html`<code>${line(id, 120)}</code>`,
      line(description, 400),
      html`<code>${inputText(value, 600)}</code>`,
    ]),
  );
}

/** How the failures compare with the list of known ones. */
export function baseline(report: Report): Html | undefined {
  return table(
    'baseline',
    'Known failures',
    ['State', 'Requirement', 'Reason'],
    baselineEntries(report).map(({ state, id, note }) => [state, link(id), line(note, 600)]),
  );
}
