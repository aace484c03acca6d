import { expect, test } from 'vitest';
import { conformingRun, failingRun, hostileRun, littleRun } from '../../test/sample-runs.ts';
import { renderMarkdown } from './github.ts';

test('begins with the verdict and how much was judged', () => {
  const { length } = conformingRun().contract.operations;
  expect(renderMarkdown(conformingRun())).toMatch(
    new RegExp(
      `^## ✅ Conforms: (\\d+) of \\1 stated requirements judged, ${length} of ${length} operations conform\\n\\n\`\`\`text\\n`,
    ),
  );
  expect(renderMarkdown(failingRun())).toMatch(/^## ❌ Does not conform: /);
  expect(renderMarkdown(littleRun())).toMatch(/^## ⚪ Incomplete: /);
});

test('a failure says its clause, expected, received and input', () => {
  const failure = /4\.2\/take-maximum\n(.+\n)+/.exec(renderMarkdown(failingRun()))?.[0] ?? '';
  for (const part of ['A take above the maximum', 'expected  400', 'received  200 with', 'because   take='])
    expect(failure).toContain(part);
});

test('what was not judged stands with its flags', () => {
  expect(renderMarkdown(littleRun())).toMatch(/^ *\d+ {2}no valid token\n {5}needs {5}--[a-z-]+/m);
});

test('a hostile target cannot add markup, mentions, links or a way out of its block', () => {
  const markdown = renderMarkdown(hostileRun());
  // What is left outside of code.
  const outside = markdown.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
  expect(outside).toMatch(/^## ❌ Does not conform: [\w ,]+\n\n\n$/);
  expect(markdown.length).toBeLessThan(65_536);
});
