import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { type OptionName, options } from './options.ts';

const folder = mkdtempSync(`${tmpdir()}/values-`);
const environment = { SECRET: 'from-outside', EMPTY: '' };
const parse = (name: OptionName, raw: unknown) =>
  options[name].type.parse(raw, { label: `--${name}`, folder: '', environment });

test.each<[OptionName, unknown, string]>([
  [
    'baseUrl',
    'tenant.example/api/v2',
    'must be an http or https URL: did you mean https://tenant.example/api/v2?',
  ],
  ['baseUrl', 'localhost:3000/api', 'must be an http or https URL: did you mean https://localhost:3000/api?'],
  ['baseUrl', 'ftp://x', 'must be an http or https URL'],
  ['baseUrl', 'http://me:pw@x.example', 'must not contain a user or password'],
  ['baseUrl', 'http://x.example/api?x=1', 'must not have a query or a fragment'],
  ['baseUrl', '', 'is empty'],
  ['contract', '/nowhere/at-all.yaml', 'there is no file /nowhere/at-all.yaml'],
  ['contract', folder, 'is a directory, not a file'],
  ['runs', '0', 'must be an integer from 1 to 1000000'],
  ['runs', '1.5', 'must be an integer'],
  ['runs', 'many', "not 'many'"],
  ['runs', '-3', 'must be an integer'],
  ['seed', '2147483648', 'must be an integer from 0 to 2147483647'],
  ['rate', '0', 'must be a number from 0.001'],
  ['rate', '1e3', 'must be a number'],
  ['timeout', '', 'is empty'],
  ['cloud', 'hybrid', "must be public or private, not 'hybrid'"],
  ['shard', '3/2', 'must be i/n with i from 1 to n'],
  ['shard', '0/2', 'must be i/n'],
  ['shard', '1', 'must be i/n'],
  ['header', 'no colon', "must be 'Name: value'"],
  ['header', 'Bad Name: x', "must be 'Name: value'"],
  ['header', ['X-A: 1\n2'], "must be 'Name: value'"],
  ['header', 'Content-Length: 5', 'must not contain Content-Length: the suite sets it itself'],
  ['header', 'x-correlation-id: 5', 'must not contain x-correlation-id: the suite sets it itself'],
  ['header', ['X-A: \u20ac'], 'the value of X-A has characters that HTTP does not allow'],
  ['token', 'env:MISSING', 'the environment variable MISSING is not set'],
  ['token', 'env:EMPTY', 'the environment variable EMPTY is not set'],
  ['strict', 'perhaps', "must be true or false, not 'perhaps'"],
  ['token', 17, 'must be a string'],
  ['only', 3, 'must be a string or a list of strings'],
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
