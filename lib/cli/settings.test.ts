import { expect, test } from 'vitest';
import { readSettings, suspiciousVariables } from './settings.ts';

test.each([
  [{ token: 'x' }, '--token needs --base-url; without it the embedded fake is tested'],
  [{ control: 'http://x.example' }, '--control needs --base-url'],
  [{ baseUrl: 'http://x.example', clientId: 'a' }, '--client-id needs --client-secret'],
  [{ baseUrl: 'http://x.example', clientSecret: 'a' }, '--client-secret needs --client-id'],
  [{ baseUrl: 'http://x.example', issuer: 'a' }, '--issuer needs --signing-key'],
  [{ baseUrl: 'http://x.example', tokenUrl: 'http://x.example' }, '--token-url needs --client-id'],
  [{ baseUrl: 'http://x.example', data: 'package.json' }, '--data needs --control'],
  [{ json: true }, '--json needs --list'],
  [{ baseUrl: 'http://x.example', list: true, watch: true }, '--watch has no effect with --list'],
  [{ updateBaseline: true }, '--update-baseline needs --baseline'],
])('%j do not go together', (flags, message) => {
  expect(() => readSettings(flags, {})).toThrow(message);
});

test('a secret in the environment without a target is a mistake too: the fake would be judged in its place', () => {
  expect(() => readSettings({}, { CONFORMANCE_TOKEN: 'x' })).toThrow('CONFORMANCE_TOKEN needs --base-url');
});

test('an empty base URL in the environment is a mistake, unless the profile or a flag has one', () => {
  const environment = { CONFORMANCE_BASE_URL: '' };
  expect(() => readSettings({}, environment)).toThrow('CONFORMANCE_BASE_URL is empty');
  expect(readSettings({ baseUrl: 'http://x.example' }, environment).settings.baseUrl).toBeDefined();
});

test('a mistyped variable is noticed', () => {
  expect(suspiciousVariables({ CONFORMANCE_BASEURL: 'x', CONFORMANCE_SEED: '1', PATH: '/' })).toEqual([
    'CONFORMANCE_BASEURL is ignored; did you mean CONFORMANCE_BASE_URL?',
  ]);
});
