import { expect, test } from 'vitest';
import { keepText, writeJson } from './written.ts';

const text = (body: unknown): string =>
  Buffer.concat(
    writeJson(body).map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  ).toString();

const items = ['a', 'ü', '\ud83d\ude00"\\', ''].map((name, at) => ({ name, at, none: undefined }));
for (const item of items) keepText(item);

test.each([
  [{ items }],
  [{ items: items.slice(1), next: 'x' }],
  [{ items: items.slice(1, 3), next: undefined }],
  [{ items: items.toReversed(), again: items, nothing: null, empty: [] }],
  [{ before: 'ß', items: [...items, ...items] }],
  [{ items: [items[0], { ...items[1] }] }],
  [{ items: [{ name: 'new' }, ...items] }],
  [{ items: [items[0], 1, null] }],
  [{ items: [undefined, items[0]] }],
  [{ function: () => 1, items }],
  [items],
  [[]],
  [{}],
  ['text'],
  [null],
  [{ toJSON: () => 'itself' }],
])('%# is written as JSON.stringify does, each time', (body) => {
  const usual = JSON.stringify(body);
  expect([text(body), text(body), text(body)]).toEqual([usual, usual, usual]);
});

test('a list that begins with the same item is another list', () => {
  expect([items.slice(0, 2), items.slice(0, 3), items.slice(0, 2)].map((list) => text({ list }))).toEqual(
    [items.slice(0, 2), items.slice(0, 3), items.slice(0, 2)].map((list) => JSON.stringify({ list })),
  );
});
