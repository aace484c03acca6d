import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadContract } from '../contract/load.ts';
import { operation } from '../contract/model.ts';
import { arbitraryOf } from '../contract/valid.ts';
import { invalidText, minimalInput } from './input.ts';
import { invalidWays } from './invalid.ts';
import { correlationId, invalidTemplate, plainText } from './text.ts';

const contract = await loadContract();
const contents = contract.operations.flatMap(({ body, success }) => [
  ...(body?.content ?? []),
  ...success.flatMap(({ content }) => content),
]);

describe.each(contents.map((content, index) => [index, content] as const))(
  'schema %i of the contract',
  (_index, { schema, validate }) => {
    test('valid values match the schema', () => {
      fc.assert(
        fc.property(arbitraryOf(contract, schema), (value) => validate(value).length === 0),
        { numRuns: 50 },
      );
    });

    test('invalid values violate it, and the label names the keyword', () => {
      const ways = invalidWays(contract, schema, validate);
      expect(ways).not.toHaveLength(0);
      fc.assert(
        fc.property(fc.oneof(...ways), ({ value, keyword }) =>
          validate(value).some((error) => error.keyword === keyword),
        ),
        { numRuns: 50 },
      );
    });
  },
);

test.each(
  contract.operations.flatMap((each) =>
    each.parameters.map((parameter) => [`${each.id} ${parameter.name}`, parameter] as const),
  ),
)('invalid texts for %s violate its schema', (_name, parameter) => {
  const texts = invalidText(contract, parameter);
  if (texts === undefined) return expect(parameter.schema.type).toMatch(/string|integer/);
  return fc.assert(
    fc.property(texts, ({ text }) => {
      const value = parameter.schema.type === 'integer' ? Number(text) : text;
      expect(parameter.validate(value).length).toBeGreaterThan(0);
    }),
  );
});

test('the smallest input uses known data, defaults and enums', () => {
  const input = minimalInput(contract, operation(contract, 'getSelfServiceProfileCustomText'), {
    self_service_profile: 'ssp_1',
  });
  expect(input).toEqual({
    path: { id: 'ssp_1', language: 'en', page: 'get-started' },
    query: {},
    headers: {},
    body: undefined,
  });
  const update = operation(contract, 'put_factor_phone_templates');
  expect(update.body?.content[0]?.validate(minimalInput(contract, update).body)).toEqual([]);
});

test('plain texts contain no template syntax and are well-formed', () => {
  fc.assert(
    fc.property(
      plainText,
      (text) => /[{}\0]/.test(text) === false && text.isWellFormed() && text.trim() !== '',
    ),
  );
});

test('invalid templates have an opening that is never closed', () => {
  fc.assert(fc.property(invalidTemplate(), (text) => text.lastIndexOf('{{') > text.lastIndexOf('}}')));
});

test('correlation IDs are visible ASCII of the requested length', () => {
  fc.assert(fc.property(correlationId({ min: 3, max: 9 }), (id) => /^[\x21-\x7e]{3,9}$/.test(id)));
});
