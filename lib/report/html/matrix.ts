import type { Report, ScopeRow } from '../report.ts';
import { type CellKind, cellKind, wrongScopes } from '../scope-row.ts';
import { count, line, plural } from '../text.ts';
import { embedded, type Html, html } from './template.ts';

/** Pixels from one cell to the next, and of its square. The inline script has the first too. */
const step = 12;
const square = 10;

/** Columns and verbs beyond these would make the picture unusable; a real catalogue has 91 and 4. */
const shownColumns = 400;
const shownVerbs = 12;

const labelLetters = 22;
const labelHeight = 132;

/** So few operations stand open; of more, only those with wrong cells. */
const openOperations = 8;
const listedWrong = 24;

/** From so many on, browsers skip the strips that are out of sight. */
const skippedOperations = 40;

/** The usual order of verbs; others come after them. */
const verbOrder = ['create', 'read', 'update', 'delete'];

/** Where each scope stands in the picture: resources from left to right, verbs from top to bottom. */
interface Grid {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly cells: readonly { readonly scope: string; readonly x: number; readonly y: number }[];
}

/** Operations by scopes as a picture, each operation a strip. */
export function matrix(report: Report): Html | undefined {
  const rows = Object.entries(report.scope_matrix.operations);
  if (rows.length === 0) return undefined;
  const grid = gridOf(rows.map(([, row]) => row));
  const wrong = rows.filter(([, row]) => wrongScopes(row).length > 0).length;
  const sent = rows.reduce((sum, [, row]) => sum + Object.keys(row.cells).length, 0);
  const many = rows.length > openOperations;
  return html`<section aria-labelledby="scopes"><h2 id="scopes">Scopes</h2>
<p>${plural(rows.length, 'operation')}, each requested with tokens of a single scope: ${plural(sent, 'request')} of ${count(rows.length * grid.cells.length)} possible. ${
    wrong === 0
      ? 'Every response is right.'
      : html`<strong class="v-failed">✗ ${plural(wrong, 'operation')} responded wrongly.</strong>`
  }</p>
${legend()}${definitions(grid)}
<form class="filters needs-js" id="matrix-filters"><label class="text">Operation <input type="search" name="text" placeholder="id or path"></label>
<label class="check"><input type="checkbox" name="wrong"> only with wrong cells</label> <output id="matrix-shown" role="status">${plural(rows.length, 'operation')}</output></form>
<div class="matrix${rows.length > skippedOperations && ' many'}">${rows.map(([id, row], index) => strip(report, id, row, index, grid, !many))}</div>
<p class="tell needs-js" id="tell" role="status">Point at a cell, or move with the arrow keys, to see its request and response here.</p>
<script type="application/json" id="matrix-data">${embedded(data(report, rows, grid))}</script></section>`;
}

function legend(): Html {
  const key = (kind: CellKind, text: string) =>
    html`<li><svg class="key" viewBox="-1 -1 12 12" aria-hidden="true"><path class="c-${kind}" d="M0 0h10v10h-10z"/>${mark(kind, 0, 0)}</svg> ${text}</li>`;
  return html`<ul class="legend">${key('allowed', 'accepted, correctly')}${key('refused', 'refused with 403, correctly')}${key('wrong', 'wrong response')}${key('unanswered', 'no response')}${key('unsent', 'not sent')}</ul>`;
}

function gridOf(rows: readonly ScopeRow[]): Grid {
  const scopes = new Set(rows.flatMap((row) => Object.keys(row.cells)));
  const parts = [...scopes].map((scope) => {
    const colon = scope.indexOf(':');
    return { scope, verb: scope.slice(0, Math.max(0, colon)), resource: scope.slice(colon + 1) };
  });
  const resources = [...new Set(parts.map(({ resource }) => resource))].sort().slice(0, shownColumns);
  const place = (verb: string) => (verbOrder.includes(verb) ? verbOrder.indexOf(verb) : verbOrder.length);
  const verbs = [...new Set(parts.map(({ verb }) => verb))]
    .sort((a, b) => place(a) - place(b))
    .slice(0, shownVerbs);
  const columns = new Map(resources.map((resource, index) => [resource, index]));
  const cells = parts.flatMap(({ scope, verb, resource }) => {
    const x = columns.get(resource);
    const y = verbs.indexOf(verb);
    return x === undefined || y === -1 ? [] : [{ scope, x, y }];
  });
  return { resources, verbs, cells };
}

/** What every strip shares, drawn once: the labels, all cells refused, all cells not sent. */
function definitions(grid: Grid): Html {
  const all = grid.cells.map(({ x, y }) => squareAt(x, y)).join('');
  return html`<svg class="definitions" width="0" height="0" aria-hidden="true"><defs>
<g id="mx-labels" class="labels">${grid.resources.map((resource, index) => html`<text transform="translate(${index * step + 9} ${labelHeight - 5}) rotate(-90)">${line(shortened(resource), 60)}</text>`)}</g>
<path id="mx-refused" class="c-refused" d="${all}"/><path id="mx-unsent" class="c-unsent" d="${all}"/></defs></svg>`;
}

function strip(report: Report, id: string, row: ScopeRow, index: number, grid: Grid, open: boolean): Html {
  const wrong = wrongScopes(row);
  const operation = report.contract.operations.find((candidate) => candidate.id === id);
  const request = operation === undefined ? '' : `${operation.method} ${operation.path}`;
  const sent = Object.keys(row.cells).length;
  const verdict = sent === 0 ? 'not-judged' : wrong.length > 0 ? 'failed' : 'passed';
  const result =
    wrong.length > 0
      ? `✗ ${count(wrong.length)} of ${count(sent)} wrong`
      : `✓ ${count(sent)} of ${count(grid.cells.length)} sent, all right`;
  const width = grid.resources.length * step;
  const height = labelHeight + grid.verbs.length * step;
  return html`<details class="operation" data-index="${index}"${wrong.length > 0 && html` data-wrong`}${(open || wrong.length > 0) && html` open`}>
<summary><span class="v-${verdict}">${sent === 0 ? '○ nothing sent' : result}</span> <strong>${line(id, 120)}</strong> <code>${line(request, 200)}</code> <span class="quiet">needs <code>${line(row.required, 200)}</code></span></summary>
<div class="picture"><ol class="verbs" aria-hidden="true">${grid.verbs.map((verb) => html`<li>${line(verb, 10)}</li>`)}</ol>
<div class="scroll" tabindex="0" role="group" aria-label="Cells of ${line(id, 120)}; arrow keys move over them" aria-describedby="tell"><svg class="cells" data-index="${index}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${line(id, 120)}: ${result}"><use href="#mx-labels"/><g transform="translate(0 ${labelHeight})">${cellPaths(row, grid)}<rect class="cursor" x="-20" width="${step}" height="${step}"/></g></svg></div></div>
${wrong.length > 0 && html`<p class="wrong-list">Wrong: ${wrong.slice(0, listedWrong).map((scope) => html`<code>${line(scope, 100)} <span aria-hidden="true">→</span> ${row.cells[scope] ?? ''}</code> `)}${wrong.length > listedWrong && `and ${count(wrong.length - listedWrong)} more`}</p>`}</details>
`;
}

/** One shared path for what most cells are, and over it one path for each other kind: a strip of 250 cells stays small. */
function cellPaths(row: ScopeRow, grid: Grid): Html {
  const kinds = grid.cells.map((cell) => ({ ...cell, kind: cellKind(row, cell.scope) }));
  const base = kinds.filter(({ kind }) => kind === 'unsent').length * 2 > kinds.length ? 'unsent' : 'refused';
  const others: readonly CellKind[] = ['refused', 'unsent', 'unanswered', 'allowed', 'wrong'];
  const paths = others
    .filter((kind) => kind !== base)
    .flatMap((kind) => {
      const cells = kinds.filter((cell) => cell.kind === kind);
      if (cells.length === 0) return [];
      return html`<path class="c-${kind}" d="${cells.map(({ x, y }) => squareAt(x, y)).join('')}"/>${cells.map(({ x, y }) => mark(kind, x, y))}`;
    });
  return html`<use href="#mx-${base}"/>${paths}`;
}

function squareAt(x: number, y: number): string {
  return `M${x * step + 1} ${y * step + 1}h${square}v${square}h-${square}z`;
}

/** The sign in a cell, so that its colour is not the only one. */
function mark(kind: CellKind, x: number, y: number): Html | undefined {
  const at = `M${x * step + 1} ${y * step + 1}`;
  if (kind === 'wrong') return html`<path class="m-wrong" d="${at}m2.5 2.5l5 5m0-5l-5 5"/>`;
  if (kind === 'allowed') return html`<path class="m-allowed" d="${at}m2 5.2l2.2 2.4l4-5"/>`;
  if (kind === 'unanswered') return html`<path class="m-unanswered" d="${at}m2 5h6"/>`;
  return undefined;
}

/** What the inline script needs to tell a cell's request and answer. */
function data(report: Report, rows: readonly (readonly [string, ScopeRow])[], grid: Grid) {
  const operations = new Map(report.contract.operations.map((operation) => [operation.id, operation]));
  const at = new Map(grid.cells.map(({ scope, x, y }) => [`${x},${y}`, scope]));
  const scopes = grid.resources.map((_, x) => grid.verbs.map((_, y) => line(at.get(`${x},${y}`) ?? '', 200)));
  return {
    step,
    top: labelHeight,
    scopes,
    operations: rows.map(([id, row]) => ({
      id: line(id, 120),
      request: line(`${operations.get(id)?.method ?? ''} ${operations.get(id)?.path ?? ''}`, 200),
      required: line(row.required, 200),
      // Runs of equal answers, `403*120`: most of a row is one of them. Column by column, each from top to bottom.
      answers: runs(
        grid.resources.flatMap((_, x) => grid.verbs.map((_, y) => answer(row, at.get(`${x},${y}`)))),
      ),
    })),
  };
}

function answer(row: ScopeRow, scope: string | undefined): string {
  if (scope === undefined) return '';
  const status = row.cells[scope];
  if (status === undefined) return '-';
  return `${status}${cellKind(row, scope) === 'wrong' ? '!' : ''}`;
}

function runs(values: readonly string[]): string {
  const found: { value: string; times: number }[] = [];
  for (const value of values) {
    const last = found.at(-1);
    if (last?.value === value) last.times += 1;
    else found.push({ value, times: 1 });
  }
  return found.map(({ value, times }) => (times === 1 ? value : `${value}*${times}`)).join(' ');
}

function shortened(name: string): string {
  return name.length <= labelLetters ? name : `${name.slice(0, labelLetters - 1)}…`;
}
