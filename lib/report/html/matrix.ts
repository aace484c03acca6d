import type { Report, ScopeRow } from '../report.ts';
import { brokenOn } from '../summary.ts';
import { type Html, html } from '../template.ts';
import { count, line, plural, truncateToWidth } from '../text.ts';
import { link } from './components.ts';

/** Pixels from one cell to the next, and of the labels above. */
const step = 12;
const labelHeight = 132;
const labelLetters = 22;

/** Up to this many operations are unfolded; if there are more, only those with wrong cells. */
const openOperations = 8;
const listedWrong = 24;

/** The scope matrix: each operation a row, the wrong ones first. */
export function matrix(report: Report): Html | undefined {
  const rows = Object.entries(report.scope_matrix.operations);
  if (rows.length === 0) return undefined;
  const grid = gridOf(rows.map(([, row]) => row));
  const isWrong = ([, row]: (typeof rows)[number]) => wrongScopes(row).length > 0;
  const ordered = [...rows.filter(isWrong), ...rows.filter((row) => !isWrong(row))];
  const wrong = rows.filter(isWrong).length;
  const sent = rows.reduce((sum, [, row]) => sum + Object.keys(row.cells).length, 0);
  const many = rows.length > openOperations;
  return html`<section aria-labelledby="scopes"><h2 id="scopes">Scopes</h2>
<p>${plural(rows.length, 'operation')}, each requested with tokens of a single scope: ${plural(sent, 'request')} of ${count(rows.length * grid.cells.length)} possible. ${
    wrong === 0
      ? 'Every response is right.'
      : html`<strong class="v-failed">✗ ${plural(wrong, 'operation')} responded wrongly.</strong>`
  }</p>
<ul class="legend">${(['allowed', 'refused', 'wrong', 'unsent'] as const).map(
    (kind) =>
      html`<li><svg class="key" viewBox="0 0 12 12" aria-hidden="true">${cell(kind, 0, 0)}</svg> ${meanings[kind]}</li>`,
  )}</ul>${definitions(grid)}
<div class="matrix">${ordered.map(([id, row]) => strip(report, id, row, grid, !many))}</div></section>`;
}

/** What every strip shares, drawn once: the names of the resources, all cells refused, all cells not sent. */
function definitions(grid: Grid): Html {
  const squares = grid.cells.map(({ x, y }) => squareAt(x, y)).join('');
  const labels = grid.resources.map(
    (name, index) =>
      html`<text transform="translate(${index * step + 9} ${labelHeight - 5}) rotate(-90)">${truncateToWidth(line(name, 60), labelLetters)}</text>`,
  );
  return html`<svg class="definitions" width="0" height="0" aria-hidden="true"><defs><g id="mx-labels" class="labels">${labels}</g>
<path id="mx-refused" class="c-refused" d="${squares}"/><path id="mx-unsent" class="c-unsent" d="${squares}"/></defs></svg>`;
}

function strip(report: Report, id: string, row: ScopeRow, grid: Grid, open: boolean): Html {
  const wrong = wrongScopes(row);
  const operation = report.contract.operations.find((candidate) => candidate.id === id);
  const sent = Object.keys(row.cells).length;
  const blamed = report.requirements.find(
    (result) => result.section === '5.5' && brokenOn(result).includes(id),
  );
  const [verdict, result] =
    sent === 0
      ? ['not-judged', '○ nothing sent']
      : wrong.length > 0
        ? ['failed', `✗ ${count(wrong.length)} of ${count(sent)} wrong`]
        : ['passed', `✓ ${count(sent)} of ${count(grid.cells.length)} sent, all right`];
  const width = grid.resources.length * step;
  const height = labelHeight + grid.verbs.length * step;
  return html`<details class="operation"${(open || wrong.length > 0) && html` open`}>
<summary><span class="v-${verdict}">${result}</span> <strong>${line(id, 120)}</strong> <code>${operation !== undefined && line(`${operation.method} ${operation.path}`, 200)}</code> <span class="quiet">needs <code>${line(row.required, 200)}</code></span></summary>
<div class="plot"><ol class="verbs" aria-hidden="true">${grid.verbs.map((verb) => html`<li>${line(verb, 10)}</li>`)}</ol>
<div class="scroll" tabindex="0" role="group" aria-label="Cells of ${line(id, 120)}"><svg class="cells" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${line(id, 120)}: ${result}"><use href="#mx-labels"/><g transform="translate(0 ${labelHeight})">${cells(row, grid)}</g></svg></div></div>
${wrong.length > 0 && html`<p class="wrong-list">Wrong: ${wrong.slice(0, listedWrong).map((scope) => html`<code>${line(scope, 100)} <span aria-hidden="true">→</span> ${row.cells[scope] ?? ''}</code> `)}${wrong.length > listedWrong && `and ${count(wrong.length - listedWrong)} more`}${blamed !== undefined && html` ${link(blamed.id)}`}</p>`}</details>
`;
}

/** Most cells are of two plain kinds: a shared path and one over it. Each other cell has its scope and status. */
function cells(row: ScopeRow, grid: Grid): Html {
  const all = grid.cells.map((place) => ({ ...place, kind: cellKind(row, place.scope) }));
  const base = all.filter(({ kind }) => kind === 'unsent').length * 2 > all.length ? 'unsent' : 'refused';
  const over = base === 'unsent' ? 'refused' : 'unsent';
  const squares = all.flatMap(({ kind, x, y }) => (kind === over ? squareAt(x, y) : []));
  const exceptions = all.filter(({ kind }) => kind !== base && kind !== over);
  return html`<use href="#mx-${base}"/><path class="c-${over}" d="${squares.join('')}"/>${exceptions.map(
    ({ scope, x, y, kind }) =>
      html`<g><title>${line(scope, 100)} → ${row.cells[scope] ?? ''}: ${meanings[kind]}</title>${cell(kind, x, y)}</g>`,
  )}`;
}

const meanings = {
  allowed: 'accepted, correctly',
  refused: 'refused with 403, correctly',
  wrong: 'wrong response',
  unsent: 'not sent',
} as const;

/** The signs in the cells, so that color is not the only one. */
const marks: Readonly<Partial<Record<CellKind, string>>> = {
  wrong: 'm2.5 2.5l5 5m0-5l-5 5',
  allowed: 'm2 5.2l2.2 2.4l4-5',
};

function cell(kind: CellKind, x: number, y: number): Html {
  const sign = marks[kind];
  return html`<path class="c-${kind}" d="${squareAt(x, y)}"/>${sign && html`<path class="mark" d="M${x * step + 1} ${y * step + 1}${sign}"/>`}`;
}

function squareAt(x: number, y: number): string {
  return `M${x * step + 1} ${y * step + 1}h10v10h-10z`;
}

/** The usual order of verbs; others come after them. */
const verbOrder = ['create', 'read', 'update', 'delete'];

/** The position of each scope in the matrix: resources from left to right, verbs from top to bottom. */
function gridOf(rows: readonly ScopeRow[]) {
  const scopes = [...new Set(rows.flatMap((row) => Object.keys(row.cells)))].map((scope) => {
    const colon = scope.indexOf(':');
    return { scope, verb: scope.slice(0, Math.max(0, colon)), resource: scope.slice(colon + 1) };
  });
  const resources = [...new Set(scopes.map(({ resource }) => resource))].toSorted();
  const place = (verb: string) => (verbOrder.includes(verb) ? verbOrder.indexOf(verb) : verbOrder.length);
  const verbs = [...new Set(scopes.map(({ verb }) => verb))].toSorted((a, b) => place(a) - place(b));
  const columns = new Map(resources.map((resource, index) => [resource, index]));
  const cells = scopes.map(({ scope, verb, resource }) => ({
    scope,
    x: columns.get(resource) ?? 0,
    y: verbs.indexOf(verb),
  }));
  return { resources, verbs, cells };
}

type Grid = ReturnType<typeof gridOf>;

/** What the response to a request with one scope means. */
type CellKind = keyof typeof meanings;

/** What a cell of the row means. */
function cellKind(row: ScopeRow, scope: string): CellKind {
  const status = row.cells[scope];
  const suffices = row.required === scope;
  if (status === undefined) return 'unsent';
  // Without a known scope nothing can be judged.
  if (row.required !== '') {
    const isRefused = suffices ? status === 401 || status === 403 : status === 403;
    if (isRefused === suffices) return 'wrong';
  }
  return suffices ? 'allowed' : 'refused';
}

/** Scopes of the row whose response was wrong. */
function wrongScopes(row: ScopeRow): string[] {
  return Object.keys(row.cells).filter((scope) => cellKind(row, scope) === 'wrong');
}
