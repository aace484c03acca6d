import { expect, test } from 'vitest';
import { contractFile, loadContract } from './load.ts';
import { securityOf } from './security.ts';
import { writePairs, writeText } from './styles.ts';
import { upgraded } from './upgrade.ts';
import { arbitraryOf } from './valid.ts';
import { checkSchemas } from './validation.ts';

test('keywords of OpenAPI 3.0 become those of JSON Schema 2020-12, but not in examples and names', () => {
  const schema = {
    type: 'object',
    properties: { nullable: { type: 'string', enum: ['a'], nullable: true } },
    example: { nullable: true },
    additionalProperties: { type: 'integer', minimum: 1, exclusiveMinimum: true },
  };
  expect(upgraded(schema, false)).toEqual({
    type: 'object',
    properties: { nullable: { type: ['string', 'null'], enum: ['a', null] } },
    example: { nullable: true },
    additionalProperties: { type: 'integer', exclusiveMinimum: 1 },
  });
  expect(upgraded({ $ref: '#/a', nullable: true }, false)).toEqual({ $ref: '#/a' });
});

test.each([
  [{ type: 5 }, '/components/schemas/A/type: 5 is not allowed here'],
  [{ properties: true }, '/components/schemas/A/properties: true is not allowed here'],
])('the schema %j with a value of the wrong type is refused with its place', (schema, message) => {
  expect(() => checkSchemas({ components: { schemas: { A: schema } } })).toThrow(message);
});

test.each([
  { type: 'string', minLength: 1e9 },
  { type: 'array', minItems: 1e9 },
])('no value is generated for the schema %j', async (schema) => {
  const contract = await loadContract(contractFile);
  expect(() => arbitraryOf(contract, schema)).toThrow('its smallest value is too large');
});

const schemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  oauth: { type: 'oauth2', flows: {} },
  key: { type: 'apiKey' },
};
const names = (security: readonly object[]) => {
  const { authenticated, otherSchemes, alternatives } = securityOf(security, schemes);
  return [authenticated, otherSchemes, alternatives.map((all) => all.map(({ name }) => name))];
};

test.each([
  ['no requirement', [], [false, [], []]],
  ['an empty alternative', [{ bearer: [] }, {}], [false, [], []]],
  ['a token or a token with a scope', [{ bearer: [] }, { oauth: ['read:a'] }], [true, [], [['read:a']]]],
  ['one of two scopes', [{ oauth: ['read:a'] }, { oauth: ['read:b'] }], [true, [], [['read:a'], ['read:b']]]],
  ['both scopes', [{ oauth: ['read:a', 'read:b'] }], [true, [], [['read:a', 'read:b']]]],
  ['an empty list of scopes', [{ oauth: [] }, { oauth: ['read:a'] }], [true, [], []]],
  ['scopes of another form', [{ oauth: ['admin'] }], [true, [], []]],
  ['a key', [{ key: [] }], [false, ['apiKey'], []]],
  ['a key and a token', [{ key: [], bearer: [] }], [false, ['apiKey'], []]],
  ['a key or a token', [{ key: [] }, { bearer: [] }], [true, [], []]],
])('security: %s', (_what, security, wanted) => expect(names(security)).toEqual(wanted));

const array = ['a b', 'c'];
const object = { x: '1', y: '2/3' };

test.each([
  ['form', true, array, ['ids=a%20b', 'ids=c']],
  ['form', false, array, ['ids=a%20b,c']],
  ['pipeDelimited', false, array, ['ids=a%20b%7Cc']],
  ['form', true, object, ['x=1', 'y=2%2F3']],
  ['form', false, object, ['ids=x,1,y,2%2F3']],
  ['deepObject', true, object, ['ids%5Bx%5D=1', 'ids%5By%5D=2%2F3']],
])('a query in the style %s, exploded %s, is written', (style, explode, value, wanted) => {
  expect(writePairs({ name: 'ids', style, explode, json: false }, value)).toEqual(wanted);
});

test.each([
  ['simple', false, 'a%20b,c'],
  ['label', false, '.a%20b,c'],
  ['label', true, '.a%20b.c'],
  ['matrix', false, ';ids=a%20b,c'],
  ['matrix', true, ';ids=a%20b;ids=c'],
])('a path segment in the style %s, exploded %s, is written', (style, explode, wanted) => {
  expect(writeText({ name: 'ids', style, explode, json: false }, array)).toBe(wanted);
});

test('the operations of section 4 are those of the shipped contract', async () => {
  const { operations } = await loadContract(contractFile);
  expect(operations.every(({ specified }) => specified)).toBe(true);
});
