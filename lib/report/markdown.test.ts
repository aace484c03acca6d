import { expect, test } from 'vitest';
import { conformingRun, failingRun, hostileRun, littleRun } from '../../test/sample-runs.ts';
import { renderMarkdown, text } from './markdown.ts';

test('begins with the verdict and how much was judged', () => {
  const { length } = conformingRun().contract.operations;
  expect(renderMarkdown(conformingRun())).toMatch(
    new RegExp(
      `^## ✅ Conforms\\n\\n(\\d+) of \\1 stated requirements judged, ${length} of ${length} operations conform\\.\\n\\n\`\`\`text\\ntarget  http:`,
    ),
  );
  expect(renderMarkdown(failingRun())).toMatch(/^## ❌ Does not conform\n/);
  expect(renderMarkdown(littleRun())).toMatch(/^## ⚪ Incomplete\n/);
});

test('a failure says its clause, expected, received, input and both commands', () => {
  const markdown = renderMarkdown(failingRun());
  const start = markdown.indexOf('<code>4.2/take-maximum');
  const failure = markdown.slice(start, markdown.indexOf('</details>', start));
  for (const part of [
    'A take above the maximum',
    'expected:   400',
    'received:   200 with',
    'because:    take=',
    'repeat:     curl ',
    '--only',
  ]) {
    expect(failure).toContain(part);
  }
});

test('what was not judged stands with its flags', () => {
  expect(renderMarkdown(littleRun())).toMatch(/^ *\d+ {2}no valid token \(needs --[a-z-]+/m);
});

test('a hostile target cannot add markup, mentions, links or a way out of its block', () => {
  const markdown = renderMarkdown(hostileRun());
  // What is left outside of code.
  const outside = markdown.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
  const tags = new Set(outside.match(/<[^>]*>/g));
  expect([...tags].sort()).toEqual([
    '</code>',
    '</details>',
    '</summary>',
    '<code>',
    '<details open>',
    '<details>',
    '<summary>',
  ]);
  for (const part of ['![', '](', '@everyone', 'http://']) expect(outside).not.toContain(part);
  expect(markdown.length).toBeLessThan(65_536);
});

test('text escapes markup', () => {
  expect(text('<b>|*a* #1 `x`')).toBe('&lt;b&gt;&#124;&#42;a&#42; &#35;1 &#96;x&#96;');
  expect(text('&amp; @a http://b')).toBe('&amp;amp; @&#8205;a http:&#8205;//b');
});
