import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { optionNames, options, profileKeyOf } from './options.ts';
import { readProfile } from './profile.ts';

const out = join(mkdtempSync(join(tmpdir(), 'init-')), 'conformance.yaml');
const { code } = await runHere(['init', '--out', out]);
const text = readFileSync(out, 'utf8');

test('a new profile names every option as a comment, and is a profile', () => {
  expect(code).toBe(0);
  for (const name of optionNames) {
    if (!options[name].notInProfile) expect(text).toMatch(new RegExp(`\n# ${profileKeyOf(name)}:[ \n]`));
  }
  expect(readProfile(out, {})).toEqual({});
});

test('every comment becomes a valid profile when its mark is taken away', () => {
  const uncommented = text
    .replaceAll(/^# ((?:[a-z_2]+| {2}.*):( .*)?)$/gm, '$1')
    .replaceAll(/^# ( {2}.*)$/gm, '$1');
  const file = `${out}.yaml`;
  writeFileSync(file, uncommented);
  expect(Object.keys(readProfile(file, { READER_SECRET: 'x' })).length).toBeGreaterThan(40);
});

test('a file is replaced only with --force', async () => {
  expect((await runHere(['init', '--out', out])).stderr).toContain('exists; use --force');
  expect((await runHere(['init', '--out', out, '--force'])).code).toBe(0);
});
