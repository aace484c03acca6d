import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fake, startFake } from '../fake/index.ts';
import { type EndedCli, runCli } from './child-process.ts';

/** What a pipeline sees of a run that fails: JUnit, annotations, the step's summary, plain text. */

let fake: Fake;
let [ended, quiet]: (EndedCli | undefined)[] = [];
const folder = mkdtempSync(join(tmpdir(), 'ci-'));
const summary = join(folder, 'summary.md');

beforeAll(async () => {
  // A server that takes every page size.
  fake = await startFake({
    rules: (usual) => ({ ...usual, parameters: { ...usual.parameters, violations: () => [] } }),
  });
  const args = ['--base-url', fake.url, '--only', '4.2/take*', '--only', '4.4', '--seed', '1', '--runs', '2'];
  const token = { CONFORMANCE_TOKEN: await fake.token(), NO_COLOR: '' };
  const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
  [ended, quiet] = await Promise.all([
    runCli([...args, '--report-dir', join(folder, 'loud')], { ...token, ...github }),
    runCli([...args, '--report-dir', join(folder, 'quiet'), '--quiet'], token),
  ]);
});
afterAll(() => fake.close());

/** Elements of JUnit XML as the usual readers know them: where each stands, and its attributes (* must be there). */
const schema: Readonly<Record<string, { in: readonly string[]; attributes: readonly string[] }>> = {
  testsuites: { in: [''], attributes: ['name', 'tests', 'failures', 'errors', 'time'] },
  testsuite: {
    in: ['testsuites'],
    attributes: [
      '*name',
      '*tests',
      '*failures',
      '*errors',
      'skipped',
      'time',
      'timestamp',
      'hostname',
      'id',
      'package',
    ],
  },
  properties: { in: ['testsuite'], attributes: [] },
  property: { in: ['properties'], attributes: ['*name', '*value'] },
  testcase: {
    in: ['testsuite'],
    attributes: ['*name', '*classname', 'time', 'assertions', 'status', 'file', 'line'],
  },
  failure: { in: ['testcase'], attributes: ['message', 'type'] },
  error: { in: ['testcase'], attributes: ['message', 'type'] },
  skipped: { in: ['testcase'], attributes: ['message', 'type'] },
  'system-out': { in: ['testcase', 'testsuite'], attributes: [] },
};

/** What the document breaks of the schema; empty where nothing. */
function broken(xml: string): string[] {
  const faults: string[] = [];
  const path = [''];
  for (const [, close, name = '', text = '', empty] of xml.matchAll(
    /<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    if (close === '/') {
      if (path.pop() !== name) faults.push(`</${name}> closes something else`);
      continue;
    }
    const rule = schema[name];
    const given = [...text.matchAll(/([\w-]+)="[^"]*"/g)].map(([, attribute]) => attribute);
    if (!rule?.in.includes(path.at(-1) ?? '')) faults.push(`${name} in ${path.at(-1)}`);
    const known = rule?.attributes.map((each) => each.replace('*', '')) ?? [];
    faults.push(...given.filter((each) => !known.includes(each ?? '')).map((each) => `${name} ${each}`));
    for (const needed of rule?.attributes.filter((each) => each.startsWith('*')) ?? [])
      if (!given.includes(needed.slice(1))) faults.push(`${name} without ${needed.slice(1)}`);
    if (empty !== '/') path.push(name);
  }
  if (path.length > 1) faults.push(`${path.at(-1)} is not closed`);
  return faults;
}

test('JUnit XML holds against the common schema, and counts what it holds', () => {
  expect(ended?.code).toBe(1);
  const xml = readFileSync(join(folder, 'loud', 'junit.xml'), 'utf8');
  expect(broken(xml)).toEqual([]);
  for (const [, attributes = '', cases = ''] of xml.matchAll(/<testsuite ([^>]*)>(.*?)<\/testsuite>/gs)) {
    const count = (name: string) => Number(new RegExp(`${name}="(\\d+)"`).exec(attributes)?.[1]);
    const found = (element: string) => cases.split(`<${element}`).length - 1;
    expect([count('tests'), count('failures'), count('errors'), count('skipped')]).toEqual(
      ['testcase', 'failure', 'error', 'skipped'].map(found),
    );
  }
});

test('GitHub gets annotations and the summary of the step; others get neither', () => {
  expect(ended?.stdout).toMatch(/^::error title=4\.2\/take-[\w-]+::[^\n]*%0Aexpected: /m);
  expect(readFileSync(summary, 'utf8')).toMatch(/^## ❌ Does not conform/);
  expect(quiet?.stdout).not.toContain('::error');
});

test('nothing but text goes to what is no terminal, and quiet says the verdict and what is broken only', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences and carriage returns begin with them
  expect((ended?.stdout ?? '') + ended?.stderr + quiet?.stdout).not.toMatch(/[\u001b\r]/);
  expect(quiet?.stderr).toBe('');
  expect(quiet?.stdout).toMatch(/DOES NOT CONFORM/);
  expect(quiet?.stdout).toMatch(/4\.2\/take-maximum/);
  expect((quiet?.stdout ?? '').length).toBeLessThan((ended?.stdout ?? '').length);
});
