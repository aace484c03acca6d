import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EndedCli, runCli } from '../../test/child-process.ts';
import { runHere } from '../../test/in-process.ts';
import { brokenJunit } from '../../test/junit-schema.ts';
import { type Fake, startFake } from '../fake/index.ts';

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

test('JUnit XML matches the common schema, and counts what it contains', () => {
  expect(ended?.code).toBe(1);
  const xml = readFileSync(join(folder, 'loud', 'junit.xml'), 'utf8');
  expect(brokenJunit(xml)).toEqual([]);
  for (const [, attributes = '', cases = ''] of xml.matchAll(/<testsuite ([^>]*)>(.*?)<\/testsuite>/gs)) {
    const count = (name: string) => Number(new RegExp(`${name}="(\\d+)"`).exec(attributes)?.[1]);
    const found = (element: string) => cases.split(`<${element}`).length - 1;
    expect([count('tests'), count('failures'), count('errors'), count('skipped')]).toEqual(
      ['testcase', 'failure', 'error', 'skipped'].map(found),
    );
  }
});

test('GitHub gets annotations and the summary of the step; others get neither', () => {
  expect(ended?.stdout).toMatch(/^::error title=4\.2\/take-[\w-]+::[^\n]*%0Aexpected /m);
  expect(readFileSync(summary, 'utf8')).toMatch(/^## ❌ Does not conform/);
  expect(quiet?.stdout).not.toContain('::error');
});

test('only text goes to what is not a terminal, and quiet prints the verdict and what is broken only', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences and carriage returns begin with them
  expect((ended?.stdout ?? '') + ended?.stderr + quiet?.stdout).not.toMatch(/[\u001b\r]/);
  expect(quiet?.stderr).toBe('');
  expect(quiet?.stdout).toMatch(/DOES NOT CONFORM/);
  expect(quiet?.stdout).toMatch(/4\.2\/take-maximum/);
  expect((quiet?.stdout ?? '').length).toBeLessThan((ended?.stdout ?? '').length);
});

test.each([
  ['a terminal is written to in color', true, {}, true],
  ['not if NO_COLOR is set', true, { NO_COLOR: '1' }, false],
  ['nor if the terminal supports none', true, { TERM: 'dumb' }, false],
  ['nor is anything else', false, {}, false],
])('%s', async (_, isTTY, environment, colored) => {
  const streams = [process.stdout, process.stderr];
  const were = streams.map((stream) => stream.isTTY);
  for (const stream of streams) stream.isTTY = isTTY;
  const args = ['--only', '4.5/reads', '--seed', '1', '--report-dir', join(folder, 'color')];
  const { code, stdout, stderr } = await runHere(args, { NO_COLOR: '', TERM: 'xterm', ...environment });
  for (const [index, stream] of streams.entries()) stream.isTTY = were[index] === true;
  expect(code).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with an escape character
  const colors = /\u001b\[[\d;]*m/;
  expect(colors.test(stdout)).toBe(colored);
  if (!colored) expect(stderr).not.toMatch(colors);
});

const commands = '::add-mask::x ##[error]y ##vso[task.complete]z\u001b[2J';

test.each([
  ['a pattern', ['--only', commands]],
  ['a flag', [`--${commands}`]],
  ['a value', ['--runs', commands]],
  ['a URL', ['--base-url', `https://x.example/${commands}?a`]],
  ['a command', [commands]],
  ['merge', ['merge', commands]],
  ['render', ['render', commands]],
  ['token', ['token', '--signing-key', commands]],
  [
    'a baseline',
    ['--baseline', join(folder, `nowhere/${commands}`), '--update-baseline', '--only', '4.5/reads'],
  ],
])('no CI runner or terminal reads a command in what standard error says of %s', async (_, args) => {
  const { code, stderr } = await runHere(
    ['--report-dir', join(folder, 'commands'), ...args].slice(isRun(args) ? 0 : 2),
  );
  expect(code).toBe(2);
  expectNoCommands(stderr);
});

test.each([503, 200])(
  'nor in what it and standard output say of a target that answers %i',
  async (status) => {
    const server = createServer((_request, response) => {
      response
        .writeHead(status, { 'content-type': 'text/plain', location: '/::add-mask::x' })
        .end(`\n${commands}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const args = ['--base-url', `http://127.0.0.1:${port}/api/v2`, '--control', `http://127.0.0.1:${port}`];
    const reportDir = ['--report-dir', join(folder, 'hostile')];
    const runs = [await runHere([...args, ...reportDir]), await runHere([...args.slice(0, 2), ...reportDir])];
    server.close();
    for (const { code, stdout, stderr } of runs) {
      expect(code).toBe(3);
      expectNoCommands(stderr + stdout);
    }
  },
);

function isRun([first = '']: readonly string[]): boolean {
  return first.startsWith('--');
}

function expectNoCommands(printed: string): void {
  expect(printed).not.toBe('');
  expect(printed).not.toMatch(/::add|##\[|##vso\[/);
  expect(printed).not.toContain('\u001b');
}
