import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import type { OptionName } from './options.ts';
import { parseValue } from './values.ts';

const folder = mkdtempSync(`${tmpdir()}/values-`);
const environment = { SECRET: 'from-outside', EMPTY: '' };
const parse = (name: OptionName, raw: unknown) =>
  parseValue(name, raw, { label: `--${name}`, folder: '', environment });

test.each<[OptionName, unknown, string]>([
  ['baseUrl', 'tenant.example/api/v2', 'must be an http or https URL: https://tenant.example/api/v2?'],
  ['baseUrl', 'localhost:3000/api', 'must be an http or https URL: https://localhost:3000/api?'],
  ['baseUrl', 'ftp://x', 'must be an http or https URL'],
  ['baseUrl', 'http://me:pw@x.example', 'must hold no user or password'],
  ['baseUrl', 'http://x.example/api?x=1', 'must have no query and no fragment'],
  ['baseUrl', '', 'is empty'],
  ['contract', '/nowhere/at-all.yaml', 'there is no file /nowhere/at-all.yaml'],
  ['contract', folder, 'is a folder, not a file'],
  ['runs', '0', 'must be a whole number from 1 to 1000000'],
  ['runs', '1.5', 'must be a whole number'],
  ['runs', 'many', "not 'many'"],
  ['runs', '-3', 'must be a whole number'],
  ['seed', '2147483648', 'must be a whole number from 0 to 2147483647'],
  ['rate', '0', 'must be a number from 0.001'],
  ['rate', '1e3', 'must be a number'],
  ['timeout', '', 'is empty'],
  ['cloud', 'hybrid', "is public or private, not 'hybrid'"],
  ['shard', '3/2', 'must read i/n with i from 1 to n'],
  ['shard', '0/2', 'must read i/n'],
  ['shard', '1', 'must read i/n'],
  ['header', 'no colon', "must read 'Name: value'"],
  ['header', 'Bad Name: x', "must read 'Name: value'"],
  ['header', ['X-A: 1\n2'], "must read 'Name: value'"],
  ['header', ['X-A: \u20ac'], "the value of X-A holds characters that HTTP can't carry"],
  ['token', 'env:MISSING', 'the variable MISSING is not set'],
  ['token', 'env:EMPTY', 'the variable EMPTY is not set'],
  ['strict', 'perhaps', "is on or off: true or false, not 'perhaps'"],
  ['token', 17, 'must be text'],
  ['only', 3, 'must be text or a list of texts'],
])('%s %j is refused', (name, raw, message) => {
  expect(() => parse(name, raw)).toThrow(message);
  expect(() => parse(name, raw)).toThrow(/^[^\n]+$/);
});

test('a header that is refused does not show its value', () => {
  expect(() => parse('header', ['X Key: s3cret'])).not.toThrow(/s3cret/);
});

test.each<[OptionName, unknown, unknown]>([
  ['baseUrl', ' https://x.example/api/v2/ ', 'https://x.example/api/v2'],
  ['rate', '0.5', 0.5],
  ['seed', 7, 7],
  ['token', 'env:SECRET', 'from-outside'],
  ['only', '4.2, 5/* 8', ['4.2', '5/*', '8']],
  ['header', 'A: 1, 2\nB:  x ', ['A: 1, 2', 'B: x']],
  ['header', { 'X-Key': 'env:SECRET', 'X-B': 'plain' }, ['X-Key: from-outside', 'X-B: plain']],
  ['strict', 'Yes', true],
  ['strict', '0', false],
])('%s %j is read', (name, raw, value) => {
  expect(parse(name, raw)).toEqual(value);
});
