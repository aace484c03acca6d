import { describe, expect, test } from 'vitest';
import { minimalInput } from '../arbitraries/input.ts';
import { loadContract } from '../contract/load.ts';
import { operation } from '../contract/model.ts';
import type { Call } from './call.ts';
import { variedRequest } from './vary.ts';

const contract = await loadContract();
const update = operation(contract, 'put_factor_phone_templates');

/** The update of this call, varied by this row, with its body as text. */
function varied(call: Call, row: Readonly<Record<string, string>>) {
  const input = minimalInput(contract, update);
  const request = variedRequest(
    { operation: update, input, call, authorization: undefined },
    { ...row, key: '7' },
  );
  return { ...request, text: Buffer.from(request.body?.bytes ?? []).toString() };
}

const messages = {
  enrollment_message: 'Ihr Code (neu): {{code}} + 1 %20',
  verification_message: "it's ~*!_-. &=äöü😀",
};

describe('what is varied keeps its meaning', () => {
  test('a form with a blank as %20 and everything else encoded', () => {
    const { text } = varied({ form: messages }, { 'form encoding': 'blank as %20' });
    expect(text).not.toMatch(/=[^&]*[^\w%&]/);
    expect(text).toContain('Ihr%20Code%20');
    expect(Object.fromEntries(new URLSearchParams(text))).toEqual(messages);
  });

  test('JSON in another order, padded to over 16 kB, in chunks', () => {
    const row = {
      order: 'other',
      'body size': 'over 16 kB',
      framing: 'chunked',
      'form encoding': 'blank as %20',
    };
    const { text, body } = varied({ json: messages }, row);
    expect(JSON.parse(text)).toEqual(messages);
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(messages).toReversed());
    expect(text.length).toBeGreaterThan(16_000);
    expect(body?.chunked).toBe(true);
  });

  test('texts that a requirement has chosen stay', () => {
    const { text } = varied({ json: messages }, { text: 'beyond ASCII' });
    expect(JSON.parse(text)).toEqual(messages);
  });
});
