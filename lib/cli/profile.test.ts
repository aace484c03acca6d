import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { profileSchema, readProfile } from './profile.ts';
import { readSettings } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'profile-'));

function profileFile(text: string, name = 'conformance.yaml'): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const read = (text: string, environment: Record<string, string> = {}) =>
  readProfile(profileFile(text), environment);

test('its JSON Schema is valid', () => {
  new Ajv2020({ strict: true, allowUnionTypes: true }).compile(profileSchema());
});

/** Expands to more than the memory has room for. */
const aliasBomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(9)}]`),
].join('\n');

test.each([
  ['base-url: http://x', 'unknown key base-url; did you mean base_url?'],
  ['baseURL: http://x', 'unknown key baseURL; did you mean base_url?'],
  ['zzzzzzzz: 1', 'unknown key zzzzzzzz'],
  ['auth: { cleints: [] }', 'auth: unknown key cleints; did you mean clients?'],
  [
    'auth: { clients: [{ client_id: a, clientsecret: b }] }',
    'auth.clients[0]: unknown key clientsecret; did you mean client_secret?',
  ],
  ['auth: { clients: [{ client_id: a }] }', 'auth.clients[0].client_secret is missing'],
  ['assume: { required_scope: {} }', 'assume: unknown key required_scope; did you mean required_scopes?'],
  ['runs: many', 'runs must be an integer'],
  ['cloud: hybrid', 'cloud must be public or private'],
  ['- base_url', 'the profile must be an object'],
  ['base_url: [', 'Flow sequence'],
  [aliasBomb, 'Excessive alias count'],
  ['auth: { claims: { exp: 1 } }', 'auth.claims: exp is not allowed'],
  ['assume: { subscription: maybe }', 'assume.subscription must be a boolean'],
  ['profile: x', 'unknown key profile'],
  ['matrix: some', 'matrix must be full or grouped'],
  ['logs: { url: /logs }', 'logs.correlation_id is missing'],
  ['logs: { url: /logs, correlation_id: a }', 'logs.url must be an http or https URL'],
  [
    'logs: { url: /logs, correlation-id: a }',
    'logs: unknown key correlation-id; did you mean correlation_id?',
  ],
])('%s is refused in one line', (text, message) => {
  expect(() => read(text)).toThrow(`conformance.yaml: ${message}`);
  expect(() => read(text)).toThrow(/^[^\n]+$/);
});

test('the extras are read, with secrets from the environment', () => {
  const extras = read(
    `auth:
  clients:
    - { client_id: env:ID, client_secret: env:SECRET, scopes: ['read:actions'] }
  claims: { client_id: me }
  header: { typ: at+jwt }
assume: { required_scopes: { listExperiments: 'read:flows' }, subscription: false }
limits: { log_wait_ms: 5, wait_ms: 6, total_wait_ms: 7, body_bytes: 2000000 }
phone_templates: { enrollment_message: a, verification_message: b }
`,
    { ID: 'reader', SECRET: 'hidden-one' },
  );
  expect(extras).toEqual({
    auth: {
      clients: [{ client_id: 'reader', client_secret: 'hidden-one', scopes: ['read:actions'] }],
      claims: { client_id: 'me' },
      header: { typ: 'at+jwt' },
    },
    assume: { required_scopes: { listExperiments: 'read:flows' }, subscription: false },
    limits: { log_wait_ms: 5, wait_ms: 6, total_wait_ms: 7, body_bytes: 2_000_000 },
    phone_templates: { enrollment_message: 'a', verification_message: 'b' },
  });
  expect(() => read('auth: { clients: [{ client_id: a, client_secret: env:NOPE }] }')).toThrow(
    'the environment variable NOPE is not set',
  );
});

test('an empty profile and one in JSON are profiles', () => {
  expect(read('# nothing yet\n')).toEqual({});
  const file = profileFile('{ "$schema": "x", "runs": 3 }', 'p.json');
  expect(readProfile(file, {})).toMatchObject({ runs: 3 });
});

test('files in a profile start from its own folder', () => {
  writeFileSync(join(folder, 'ca.pem'), 'x');
  const file = profileFile('base_url: https://x.example\nca: ca.pem\nreport_dir: out\n');
  const { settings } = readSettings({ profile: file }, {});
  expect(settings).toMatchObject({ ca: join(folder, 'ca.pem'), reportDir: join(folder, 'out') });
});
