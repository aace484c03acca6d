import { describe, expect, test } from 'vitest';
import { loadContract } from '../contract/load.ts';
import { exampleOf } from '../contract/valid.ts';
import { CheckpointCodec } from './checkpoint.ts';
import { indexFrom } from './pages.ts';
import { projection } from './project.ts';
import { templateProblem } from './templates.ts';
import { parsePairs } from './urlencoded.ts';

describe('checkpoints', () => {
  const checkpoint = { seed: 3, position: 2 ** 40, issuedAt: 1_700_000_000_000.5 };
  const codec = new CheckpointCodec();

  test('say what was encoded, and never look the same', () => {
    const encoded = codec.encode('list', checkpoint);
    expect(codec.decode('list', encoded)).toEqual(checkpoint);
    expect(codec.encode('list', checkpoint)).not.toBe(encoded);
  });

  test('are invalid elsewhere, and with any character changed', () => {
    const encoded = codec.encode('list', checkpoint);
    expect(codec.decode('other', encoded)).toBeUndefined();
    expect(new CheckpointCodec().decode('list', encoded)).toBeUndefined();
    for (let at = 0; at < encoded.length; at += 1) {
      const changed = encoded.slice(0, at) + (encoded[at] === 'A' ? 'B' : 'A') + encoded.slice(at + 1);
      expect(codec.decode('list', changed)).toBeUndefined();
    }
    for (const other of ['', 'x', `${encoded}=`, ` ${encoded}`, encoded.slice(1), `${encoded}AAAA`]) {
      expect(codec.decode('list', other)).toBeUndefined();
    }
  });
});

test('the index of a position among ascending ones', () => {
  expect([0, 4, 5, 1000].map((position) => indexFrom([4, 10, 16], position))).toEqual([0, 0, 1, 3]);
});

describe('templates', () => {
  test.each([
    '',
    'plain',
    '} { }} %}',
    '{{code}}',
    '{{ unknown | upcase }}',
    '{% if a %}b{% endif %}',
    '{ {code',
  ])('%j is valid', (text) => expect(templateProblem(text)).toBeUndefined());

  test.each(['{{code', 'a {% if', '{% if a %}', '{% nothing %}', '\n\n{{code', '{% liquid echo a %}'])(
    '%j is not',
    (text) => expect(templateProblem(text)).toMatch(/[^.\s]$/),
  );

  test('more tags than the parser takes in a second are refused', () => {
    expect(templateProblem('{{a}}'.repeat(5000))).toBeUndefined();
    expect(templateProblem('{{a}}'.repeat(200_000))).toBe('more than 5000 tags');
  });
});

test.each([
  ['', []],
  [
    'a=b&c',
    [
      ['a', 'b'],
      ['c', ''],
    ],
  ],
  [
    'a+b=%2B%20%C3%A9&&=x',
    [
      ['a b', '+ é'],
      ['', 'x'],
    ],
  ],
  ['a=%', undefined],
  ['a=%ff', undefined],
])('the pairs of %j', (text, pairs) => {
  expect(parsePairs(text)).toEqual(pairs);
});

test('an answer keeps declared fields only, and examples match their schemas', async () => {
  const contract = await loadContract();
  const action = contract.component('ActionVersion') ?? {};
  const kept = projection(contract, action)({ secrets: [{ name: 'a', value: 'b' }], other: 1, number: 2 });
  expect(kept).toEqual({ secrets: [{ name: 'a' }], number: 2 });
  for (const { success } of contract.operations) {
    for (const content of success.flatMap((each) => each.content)) {
      const whole = exampleOf(contract, content);
      expect(content.validate(whole)).toEqual([]);
      expect(projection(contract, content.schema)({ ...Object(whole) })).toEqual(whole);
    }
  }
});
