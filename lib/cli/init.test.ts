import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, renderProfile } from './init.ts';
import { optionNames, options, profileKeyOf } from './options.ts';
import { readProfile } from './profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'init-'));
const out = join(folder, 'conformance.yaml');

test('a profile of nothing names every option as a comment, and is a profile', () => {
  const text = renderProfile(new Map(), out);
  for (const name of optionNames) {
    if (!options[name].notInProfile) expect(text).toContain(`\n# ${profileKeyOf(name)}: `);
  }
  writeFileSync(out, text);
  expect(readProfile(out, {}).values).toEqual({});
});

test('every comment becomes a valid profile when its mark is taken away', () => {
  const text = renderProfile(new Map(), out);
  const uncommented = text
    .replaceAll(/^# ((?:[a-z_2]+| {2}.*):( .*)?)$/gm, '$1')
    .replaceAll(/^# ( {2}.*)$/gm, '$1');
  writeFileSync(out, uncommented);
  expect(() => readProfile(out, { READER_SECRET: 'x' })).not.toThrow();
  expect(Object.keys(readProfile(out, { READER_SECRET: 'x' }).values).length).toBeGreaterThan(20);
});

test('answers are asked for again until they can be used, and a secret is never asked for', async () => {
  const given = ['localhost:80', 'http://x.example/api/v2', '', '', 'me', '', '', 'a, b'];
  const asked: string[] = [];
  const values = await answers(async (question) => {
    asked.push(question);
    return given.shift() ?? '';
  });
  expect(asked[1]).toMatch(/must be an http or https URL.*\nBase URL/);
  expect([...values]).toEqual([
    ['baseUrl', 'http://x.example/api/v2'],
    ['clientId', 'me'],
    ['rateLimitPolicyId', ['a', 'b']],
    ['clientSecret', ''],
  ]);
  const text = renderProfile(values, out);
  expect(text).toContain('\nclient_secret: env:CONFORMANCE_CLIENT_SECRET\n');
  expect(text).toContain('\nrate_limit_policy_id:\n  - a\n  - b\n');
});
