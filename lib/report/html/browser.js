// The script of the page. It only reads what the page contains, and writes text, never markup.

document.documentElement.classList.add('js');
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

const plural = (count, word) => `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`;

// Filters of the rows of a section.
function filter(form) {
  const section = form.closest('section');
  const value = (name) => form.elements[name]?.value ?? '';
  const text = value('text').trim().toLowerCase();
  const verdicts = new Set(all('[name=verdict]:checked', form).map((box) => box.value));
  let shown = 0;
  for (const group of all('.group', section)) {
    let inGroup = 0;
    for (const row of all('[data-verdict]', group)) {
      const { verdict, level, operations = '' } = row.dataset;
      const fits =
        verdicts.has(verdict) &&
        ['', level].includes(value('level')) &&
        ['', ...operations.split(' ')].includes(value('operation')) &&
        (text === '' ||
          all(':scope > summary, .points, th', row)
            .map((part) => part.textContent)
            .join(' ')
            .toLowerCase()
            .includes(text));
      row.hidden = !fits;
      if (fits) inGroup += 1;
    }
    group.hidden = inGroup === 0;
    if (text !== '' && group.matches('details')) group.open = true;
    shown += inGroup;
  }
  section.querySelector('.nothing').hidden = shown > 0;
  form.querySelector('output').textContent = plural(shown, form.dataset.of);
}
for (const form of all('form.filters')) {
  form.addEventListener('input', () => filter(form));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(filter, 0, form));
  filter(form);
}

// Links to a requirement, an operation or a section: shown and opened, whatever the filters say.
function follow() {
  let id;
  try {
    id = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  const target = id === '' ? null : document.getElementById(id);
  if (!target) return;
  if (target.closest('[hidden]'))
    for (const form of all('form.filters')) {
      form.reset();
      filter(form);
    }
  for (let fold = target.parentElement.closest('details'); fold; fold = fold.parentElement.closest('details'))
    fold.open = true;
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
  // The same link again does not change the hash.
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
  opened = all(
    '.r-failed:not([open]), .r-error:not([open]), .r-warned:not([open]), .unjudged details:not([open])',
  );
  for (const details of opened) details.open = true;
});
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false;
});
