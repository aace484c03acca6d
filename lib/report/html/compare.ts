import { type Change, type Comparison, compareExitCode } from '../compare.ts';
import {
  changeSigns,
  changeWords,
  compareHeadline,
  reportLabel,
  stateText,
  statusText,
  valueText,
} from '../compare-text.ts';
import { count, line } from '../text.ts';
import { renderPage } from './page.ts';
import { table } from './parts.ts';
import { type Html, html } from './template.ts';

const shownCells = 500;

const looks: Readonly<Record<Change, string>> = {
  worse: 'v-failed',
  better: 'v-passed',
  unknown: 'v-not-judged',
  other: 'quiet',
};

/** The comparison as one page. */
export function renderCompareHtml(comparison: Comparison): string {
  const headline = compareHeadline(comparison);
  const [word = '', rest = ''] = headline.split(': ');
  const worse = compareExitCode(comparison) === 1;
  const content = html`<header class="head head-${worse ? 'does-not-conform' : 'conforms'}"><h1><span class="sign" aria-hidden="true">${worse ? '✗' : '✓'}</span> ${word.charAt(0)}${word.slice(1).toLowerCase()}</h1>
<p class="judged"><strong>${rest}</strong></p><dl class="facts"><div class="wide"><dt>Before</dt><dd>${reportLabel(comparison.before)}</dd></div><div class="wide"><dt>After</dt><dd>${reportLabel(comparison.after)}</dd></div></dl></header>
<main>${requirements(comparison)}${cells(comparison)}${observations(comparison)}</main>`;
  return renderPage(headline, content);
}

function requirements({ requirements }: Comparison): Html | undefined {
  return table(
    'requirements',
    'Requirements',
    ['Change', 'Requirement', 'Description', 'Before', 'After'],
    requirements.map(({ id, description, before, after, change, difference }) => [
      chip(change),
      html`<code>${line(id, 160)}</code>`,
      line(description, 400),
      stateText(before),
      html`${stateText(after)}${difference !== undefined && html`: <code>${line(difference, 200)}</code>`}`,
    ]),
  );
}

function cells({ cells }: Comparison): Html {
  const rest = cells.length - shownCells;
  return html`${table(
    'scopes',
    'Scopes',
    ['Change', 'Operation', 'Scope', 'Before', 'After'],
    cells
      .slice(0, shownCells)
      .map(({ operation, scope, before, after, change }) => [
        chip(change),
        html`<code>${line(operation, 160)}</code>`,
        html`<code>${line(scope, 160)}</code>`,
        statusText(before),
        statusText(after),
      ]),
  )}${rest > 0 && html`<p class="cut">and ${count(rest)} more</p>`}`;
}

function observations({ observations }: Comparison): Html | undefined {
  return table(
    'observations',
    'Where the specification is silent',
    ['Observation', 'Description', 'Before', 'After'],
    observations.map(({ id, description, before, after }) => [
      html`<code>${line(id, 160)}</code>`,
      line(description, 400),
      html`<code>${valueText(before)}</code>`,
      html`<code>${valueText(after)}</code>`,
    ]),
  );
}

function chip(change: Change): Html {
  return html`<span class="chip ${looks[change]}"><span aria-hidden="true">${changeSigns[change]}</span> ${changeWords[change]}</span>`;
}
