import { expect, test } from 'vitest';
import { brokenJunit } from '../../test/junit-schema.ts';
import { sampleReport, sampleResult } from '../../test/sample-report.ts';
import { conformingRun, failingRun, hostileRun, largeRun, littleRun } from '../../test/sample-runs.ts';
import { renderJunit } from './junit.ts';
import { html } from './template.ts';

const number = (xml: string, pattern: RegExp) => xml.match(pattern)?.length ?? 0;

test('a suite is a section, a case a requirement', () => {
  const xml = renderJunit(failingRun());
  const { summary, requirements } = failingRun();
  expect(xml).toMatch(
    new RegExp(
      `^<testsuites name="[^"]+" tests="${requirements.length}" failures="${summary.stated.failed}"`,
      'm',
    ),
  );
  expect(number(xml, /<testsuite /g)).toBe(new Set(requirements.map(({ section }) => section)).size);
  expect(number(xml, /<testcase /g)).toBe(requirements.length);
  expect(number(xml, /<failure /g)).toBe(summary.stated.failed);
  expect(summary.stated.failed).toBeGreaterThan(5);
  // Warnings pass, and say so.
  expect(number(xml, /<system-out>warning: /g)).toBe(summary.inferred.warned);
});

test('what was not judged is skipped, with the flags that it needs', () => {
  const xml = renderJunit(littleRun());
  const { stated, inferred } = littleRun().summary;
  expect(number(xml, /<skipped /g)).toBe(stated.not_judged + inferred.not_judged);
  expect(xml).toMatch(/\(needs (?=[^)]*--token)[^)]*--signing-key/);
});

test('under --strict a warning fails', () => {
  const { stated, inferred } = failingRun().summary;
  expect(renderJunit({ ...failingRun(), run: { ...failingRun().run, strict: true } })).toContain(
    `failures="${stated.failed + inferred.warned}"`,
  );
});

test('a known failure is skipped', () => {
  const failed = sampleResult({ id: '4.2/a', verdict: 'failed' });
  const known = [{ id: '4.2/a', reason: 'known & fine', line: 1 }];
  const xml = renderJunit(
    sampleReport({ requirements: [failed], baseline: { known, unlisted: [], expired: [], fixed: [] } }),
  );
  expect(xml).toContain('<skipped message="known failure: known &amp; fine"/>');
  expect(xml).toContain('failures="0"');
});

test.each([
  ['that conforms', conformingRun],
  ['that fails', failingRun],
  ['under --strict', () => ({ ...failingRun(), run: { ...failingRun().run, strict: true } })],
  ['of a hostile target', hostileRun],
  ['of many requirements', largeRun],
  ['that judged little', littleRun],
  ['that judged nothing', () => sampleReport({ requirements: [] })],
])('the document of a run %s matches the common schema', (_, run) => {
  expect(brokenJunit(renderJunit(run()))).toEqual([]);
});

test.each([
  ['<testcase ', '<case '],
  ['<testcase name=', '<testcase title='],
  ['</testsuite>', ''],
  [' tests="', ' tests="many'],
  [' time="', ' time="soon '],
  ['<properties>', '<properties>text'],
  ['clause:', '<b>clause</b>'],
  ['clause:', 'clause & more:'],
])('a document with %s changed into %s does not', (from, to) => {
  expect(brokenJunit(renderJunit(failingRun()).replace(from, to))).not.toEqual([]);
});

test('nothing that a target sends gets out of its place', () => {
  const xml = renderJunit(hostileRun());
  expect(xml).not.toContain('<script');
  expect(xml).not.toContain('<!--');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids control characters
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  expect(xml.length).toBeLessThan(1_000_000);
});

test('XML text escapes markup and what XML cannot contain', () => {
  expect(html`<a b="${'<a b="c">&\u0000\ud800\ufffe]]></a>'}"/>`.markup).toBe(
    '<a b="&lt;a b=&quot;c&quot;&gt;&amp;\\u{0}\\u{d800}\\u{fffe}]]&gt;&lt;/a&gt;"/>',
  );
});
