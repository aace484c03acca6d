import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderProfile } from './init.ts';
import { optionNames, options, profileKeyOf } from './options.ts';
import { readProfile } from './profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'init-'));
const out = join(folder, 'conformance.yaml');

test('a profile of nothing names every option as a comment, and is a profile', () => {
  const text = renderProfile({}, out);
  for (const name of optionNames) {
    if (!options[name].notInProfile) expect(text).toContain(`\n# ${profileKeyOf(name)}: `);
  }
  writeFileSync(out, text);
  expect(readProfile(out, {})).toEqual({});
});

test('every comment becomes a valid profile when its mark is taken away', () => {
  const text = renderProfile({}, out);
  const uncommented = text
    .replaceAll(/^# ((?:[a-z_2]+| {2}.*):( .*)?)$/gm, '$1')
    .replaceAll(/^# ( {2}.*)$/gm, '$1');
  writeFileSync(out, uncommented);
  expect(() => readProfile(out, { READER_SECRET: 'x' })).not.toThrow();
  expect(Object.keys(readProfile(out, { READER_SECRET: 'x' })).length).toBeGreaterThan(20);
});

test('given values are in the profile, secrets are not', () => {
  const values = {
    baseUrl: 'http://x.example/api/v2',
    clientId: 'me',
    token: 's3cret',
    header: ['X-Api-Key: s3cret'],
    rateLimitPolicyId: ['a', 'b'],
  };
  const text = renderProfile(values, out);
  expect(text).toContain('\nbase_url: http://x.example/api/v2\n');
  expect(text).toContain('\nclient_id: me\n');
  expect(text).toContain('\nclient_secret: env:CONFORMANCE_CLIENT_SECRET\n');
  expect(text).toContain('\ntoken: env:CONFORMANCE_TOKEN\n');
  expect(text).toContain('\nheader:\n  X-Api-Key: env:X_API_KEY\n');
  expect(text).toContain('\nrate_limit_policy_id:\n  - a\n  - b\n');
  expect(text).not.toContain('s3cret');
});
