import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { UsageError } from '../lib/cli/usage.ts';
import { root } from './command.ts';
import { readFlags } from './flags.ts';

const sections = ['suite', 'start', 'size'];

test('all sections unless some are named, in their own order', () => {
  expect(readFlags([], sections)).toEqual({ sections, compare: undefined, isQuick: false });
  expect(readFlags(['--only', 'size', '--only=suite', '--quick', '--compare', 'a.json'], sections)).toEqual({
    sections: ['suite', 'size'],
    compare: 'a.json',
    isQuick: true,
  });
});

test.each([[['--onli', 'suite']], [['--compare']], [['--quick=yes']], [['old.json']]])(
  '%j is wrong usage',
  (argv) => {
    expect(() => readFlags(argv, sections)).toThrow(UsageError);
  },
);

test('a section that there is not is answered with those that there are', () => {
  expect(() => readFlags(['--only', 'sise'], sections)).toThrow(
    '--only sise: the bench has suite, start, size; did you mean size?',
  );
});

test.each([
  [['--only', 'nothing'], /^error: --only nothing: the bench has .*\n$/],
  [['--compare', 'no/such.json'], /^error: --compare no\/such\.json: .*\n$/],
])('%j ends with one line and 2, before anything is measured', async (argv, line) => {
  const main = promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/main.ts', ...argv], {
    cwd: root,
  });
  await expect(main).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(line) });
});
