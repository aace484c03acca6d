// The page's one script. It is text because it runs in browsers, for which nothing else here is written; the browser tests run it.
// It only reads what the page holds, and writes text, never markup.

export const script = `
'use strict';
document.documentElement.classList.add('js');
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

const plural = (count, word) => count.toLocaleString('en-US') + ' ' + word + (count === 1 ? '' : 's');

// Filters of the requirements.
const filters = document.getElementById('filters');
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
        (operation === '' || operations.split(' ').includes(operation)) &&
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
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = 'Selected';
  }
}
document.addEventListener('click', (event) => {
  const button = event.target.closest('button.copy');
  if (button) copy(button);
});

// On paper what did not pass stands open.
let opened = [];
addEventListener('beforeprint', () => {
  opened = all('.r-failed:not([open]), .r-error:not([open]), .r-warned:not([open]), .unjudged details:not([open])');
  for (const details of opened) details.open = true;
});
addEventListener('afterprint', () => { for (const details of opened) details.open = false; });
`;
