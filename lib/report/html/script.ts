// The page's one script. It is text because it runs in browsers, for which nothing else here is written; the browser tests run it.
// It only reads what the page holds, and writes text, never markup.

export const script = `
'use strict';
document.documentElement.classList.add('js');
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

const plural = (count, word) => count.toLocaleString('en-US') + ' ' + word + (count === 1 ? '' : 's');

// Filters of the requirements.
const filters = document.getElementById('filters');
const covers = (ranges, place) => ranges !== '' && ranges.split(',').some((range) => {
  const [from, to = from] = range.split('-').map(Number);
  return place >= from && place <= to;
});
function filter() {
  const text = filters.elements.text.value.trim().toLowerCase();
  const level = filters.elements.level.value;
  const operation = filters.elements.operation.value;
  const verdicts = new Set(all('[name=verdict]:checked', filters).map((box) => box.value));
  let shown = 0;
  for (const group of all('section.group')) {
    let inGroup = 0;
    for (const row of all('.requirement', group)) {
      const { verdict, level: rowLevel, operations } = row.dataset;
      const fits = verdicts.has(verdict) && (level === '' || level === rowLevel) &&
        (operation === '' || covers(operations, Number(operation))) &&
        (text === '' || (row.querySelector('summary').textContent + ' ' + row.querySelector('.points').textContent).toLowerCase().includes(text));
      row.hidden = !fits;
      if (fits) inGroup += 1;
    }
    group.hidden = inGroup === 0;
    shown += inGroup;
  }
  document.querySelector('.nothing').hidden = shown > 0;
  document.getElementById('shown').textContent = plural(shown, 'requirement');
}
if (filters) {
  filters.addEventListener('input', filter);
  filters.addEventListener('submit', (event) => event.preventDefault());
  filters.addEventListener('reset', () => setTimeout(filter));
  filter();
}

// Links to a requirement or a section: shown and opened, whatever the filters say.
function follow() {
  let id;
  try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
  const target = id === '' ? null : document.getElementById(id);
  if (!target) return;
  if (target.closest('[hidden]') && filters) { filters.reset(); filter(); }
  if (target.matches('details')) {
    target.open = true;
    target.querySelector('summary').focus({ preventScroll: true });
  }
  target.scrollIntoView();
}
addEventListener('hashchange', follow);
follow();
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  // The same link once more changes no hash.
  if (link && link.getAttribute('href') === location.hash) follow();
});

// Copy buttons.
async function copy(button) {
  const code = button.parentElement.querySelector('code');
  let done = false;
  try {
    await navigator.clipboard.writeText(code.textContent);
    done = true;
  } catch {
    getSelection().selectAllChildren(code);
    done = document.execCommand('copy');
  }
  button.textContent = done ? 'Copied' : 'Selected';
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
}
document.addEventListener('click', (event) => {
  const button = event.target.closest('button.copy');
  if (button) copy(button);
});

// The matrix: a cell tells its request and its answer.
const source = document.getElementById('matrix-data');
if (source) {
  const data = JSON.parse(source.textContent);
  const tell = document.getElementById('tell');
  const height = data.scopes.length === 0 ? 0 : data.scopes[0].length;
  const decoded = new Map();
  const answers = (index) => {
    if (!decoded.has(index)) {
      decoded.set(index, data.operations[index].answers.split(' ').flatMap((run) => {
        const [value, times = '1'] = run.split('*');
        return Array(Number(times)).fill(value);
      }));
    }
    return decoded.get(index);
  };
  const part = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  };
  const show = (svg, x, y) => {
    const index = Number(svg.dataset.index);
    const scope = data.scopes[x]?.[y];
    if (!scope) return false;
    const operation = data.operations[index];
    const answer = answers(index)[x * height + y];
    const wrong = answer.endsWith('!');
    const status = answer.replace('!', '');
    const colon = scope.indexOf(':');
    const claims = { scopes: { [scope.slice(colon + 1)]: { actions: [scope.slice(0, Math.max(0, colon))] } } };
    const verdict = status === '-' ? 'not sent' : status === '0' ? 'no response'
      : wrong ? '✗ wrong: ' + (scope === operation.required ? 'this scope is enough' : 'this scope is not enough, 403 was expected')
      : scope === operation.required ? '✓ right: this scope is enough' : '✓ right';
    const result = part('strong', (status === '-' || status === '0' ? '' : status + ' ') + verdict);
    if (wrong) result.className = 'v-failed';
    tell.replaceChildren(part('code', scope), ' on ', part('strong', operation.id), ': ', part('code', operation.request), ' with a token of ',
      part('code', JSON.stringify(claims)), ' → ', result);
    const cursor = svg.querySelector('.cursor');
    for (const other of all('.cursor')) if (other !== cursor) other.setAttribute('x', '-20');
    cursor.setAttribute('x', x * data.step);
    cursor.setAttribute('y', y * data.step);
    return true;
  };
  const at = (svg, event) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    return [Math.floor((event.clientX - box.left) * scale / data.step), Math.floor(((event.clientY - box.top) * scale - data.top) / data.step)];
  };
  const places = new Map();
  for (const type of ['pointermove', 'click']) {
    document.addEventListener(type, (event) => {
      const svg = event.target.closest?.('svg.cells');
      if (!svg) return;
      const place = at(svg, event);
      if (show(svg, ...place)) places.set(svg, place);
    });
  }
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  document.addEventListener('keydown', (event) => {
    const svg = event.target.matches('.picture .scroll') && event.target.querySelector('svg.cells');
    const move = moves[event.key];
    if (!svg || !move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    let [x, y] = places.get(svg) ?? [-move[0], move[1] === 0 ? 0 : -move[1]];
    // Empty places are stepped over.
    do { x += move[0]; y += move[1]; } while (data.scopes[x]?.[y] === '');
    if (!show(svg, x, y)) return;
    places.set(svg, [x, y]);
    const left = x * data.step;
    if (left < event.target.scrollLeft || left > event.target.scrollLeft + event.target.clientWidth - data.step) {
      event.target.scrollLeft = left - event.target.clientWidth / 2;
    }
  });

  const form = document.getElementById('matrix-filters');
  const search = () => {
    const text = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const row of all('details.operation')) {
      const { id, request } = data.operations[Number(row.dataset.index)];
      const fits = (text === '' || (id + ' ' + request).toLowerCase().includes(text)) && (!form.elements.wrong.checked || 'wrong' in row.dataset);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    document.getElementById('matrix-shown').textContent = plural(shown, 'operation');
  };
  form.addEventListener('input', search);
  form.addEventListener('submit', (event) => event.preventDefault());
}

// On paper what did not pass stands open.
let opened = [];
addEventListener('beforeprint', () => {
  opened = all('.r-failed:not([open]), .r-error:not([open]), .r-warned:not([open]), .unjudged details:not([open])');
  for (const details of opened) details.open = true;
});
addEventListener('afterprint', () => { for (const details of opened) details.open = false; });
`;
