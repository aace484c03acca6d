import {
  cellDiffers,
  isDifferent,
  reportLabel,
  type State,
  statusText,
  type Table,
  valueText,
} from '../compare.ts';
import type { Report } from '../report.ts';
import { bySection, judgedOfStated } from '../summary.ts';
import { count, line, plural } from '../text.ts';
import { chip } from './components.ts';
import { pageOf } from './page.ts';
import { type Html, html, type Part } from './template.ts';

/** The filter and the folds need no script. */
const tableStyle = `
summary h2 { display: inline; } .side-by-side { table-layout: fixed; min-width: 48rem; } .side-by-side th:first-child { width: 22rem; }
.page:has(#only-differences:checked) :is(tr.same, details.same) { display: none; }
`;

interface Row {
  readonly name: Part;
  readonly cells: readonly Part[];
  readonly differs: boolean;
}

/** Reports side by side as one page: a column for each, the requirements by section, observations and scopes. */
export function renderTable(table: Table): string {
  const { reports, requirements, observations, cells } = table;
  const rows = new Map(
    requirements.map(({ id, results, states }) => {
      const { description = '' } = results.find((each) => each !== undefined) ?? {};
      const name = html`<span class="id">${line(id, 160)}</span><br><span class="quiet">${line(description, 400)}</span>`;
      return [id, { name, cells: states.map(stateChip), differs: isDifferent(states) }] as const;
    }),
  );
  // The sections of all reports: one of them may know of requirements that others do not.
  const results = requirements.flatMap((each) => each.results.find((result) => result !== undefined) ?? []);
  const titles = Object.assign({}, ...reports.map(({ specification }) => specification.sections));
  const sections = bySection({ requirements: results, specification: { version: '', sections: titles } });
  const parts = [
    ...sections.map(({ name, results }) =>
      group(
        reports,
        name,
        results.flatMap(({ id }) => rows.get(id) ?? []),
      ),
    ),
    group(
      reports,
      'Scopes that differ',
      cells.filter(cellDiffers).map(({ operation, scope, statuses }) => ({
        name: html`<code>${line(scope, 160)}</code> on <code>${line(operation, 160)}</code>`,
        cells: statuses.map(statusText),
        differs: true,
      })),
    ),
    group(
      reports,
      'Observations',
      observations.map(({ id, values }) => ({
        name: html`<span class="id">${line(id, 160)}</span>`,
        cells: values.map((value) => html`<code>${valueText(value)}</code>`),
        differs: isDifferent(values),
      })),
    ),
  ];
  const differing = [...rows.values()].filter(({ differs }) => differs).length;
  const title = `${plural(reports.length, 'report')}, ${plural(differing, 'requirement differs', 'requirements differ')}`;
  const body = html`<header class="head"><h1>${title}</h1><ol>${reports.map((report) => html`<li>${reportLabel(report)}: ${judged(report)}</li>`)}</ol>
<label><input type="checkbox" id="only-differences"> Only differences</label></header><main>${parts}</main>`;
  return pageOf(title, body, '', tableStyle);
}

function judged(report: Report): string {
  const { judged, of } = judgedOfStated(report.requirements);
  return `${count(judged)} of ${count(of)} stated requirements judged`;
}

function stateChip(state: State): Html {
  if (state === 'absent') return html`<span class="quiet">absent</span>`;
  return state === 'passed in part' ? chip('passed', state) : chip(state);
}

/** Rows under a heading that unfolds them; nothing without rows. */
function group(reports: readonly Report[], title: string, rows: readonly Row[]): Html | undefined {
  if (rows.length === 0) return undefined;
  const differing = rows.filter(({ differs }) => differs).length;
  const mark = (differs: boolean) => (differs ? 'differs' : 'same');
  return html`<details class="${mark(differing > 0)}"><summary><h2>${title} <span class="quiet">${count(differing)} of ${count(rows.length)} differ</span></h2></summary>
<div class="scroll" tabindex="0" role="group" aria-label="${title}, a table"><table class="side-by-side"><thead><tr><th scope="col">What</th>${reports.map(({ target }) => html`<th scope="col">${line(target.base_url, 200)}</th>`)}</tr></thead>
<tbody>${rows.map(({ name, cells, differs }) => html`<tr class="${mark(differs)}"><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div></details>`;
}
