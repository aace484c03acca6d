import { describe, expect, test } from 'vitest';
import { classesOf, dimensionsOf } from '../arbitraries/dimensions.ts';
import { minimalInput } from '../arbitraries/input.ts';
import { loadContract } from '../contract/load.ts';
import { formType } from '../contract/media-types.ts';
import { operation, scopesClaim } from '../contract/model.ts';
import type { Call } from './call.ts';
import { plain, variedClaims, variedRequest, variedScopes } from './vary.ts';

const contract = await loadContract();
const update = operation(contract, 'put_factor_phone_templates');

/** The update of this call, in these classes, with its body as text. */
function varied(call: Call, classes: Readonly<Record<string, string>>) {
  const input = minimalInput(contract, update);
  const changes = dimensionsOf(update).flatMap((dimension) => {
    const wanted = dimension.classes.find(({ name }) => name === classes[dimension.name]);
    return wanted?.change ?? [];
  });
  const request = variedRequest(
    { operation: update, input, call, authorization: undefined },
    { ...plain, changes },
  );
  return { ...request, text: Buffer.from(request.body?.bytes ?? []).toString() };
}

const messages = {
  enrollment_message: 'Ihr Code (neu): {{code}} + 1 %20',
  verification_message: "it's ~*!_-. &=äöü😀",
};

describe('what is varied keeps its meaning', () => {
  test('a form with every second blank as %20 and everything else encoded', () => {
    const { text } = varied({ form: messages }, { 'media type': formType });
    expect(text).not.toMatch(/=[^&]*[^\w%&+]/);
    expect(text).toContain('Ihr%20Code+');
    expect(Object.fromEntries(new URLSearchParams(text))).toEqual(messages);
  });

  test('JSON in another order, padded to over 16 kB, in chunks', () => {
    const row = {
      'order of members': 'other',
      'body size': 'over 16 kB',
      framing: 'chunked',
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

test.each(contract.operations)('each change puts a request to $id in its class', (operation) => {
  const input = minimalInput(contract, operation, { rate_limit_policy: 'ä', self_service_profile: 'ä' });
  const queries = operation.parameters.filter((parameter) => parameter.in === 'query');
  const usual = { iat: 1_700_000_000, exp: 1_700_003_600, aud: '/api/v2/', sub: 'client' };
  for (const { name, classes } of dimensionsOf(operation))
    for (const each of classes) {
      if (each.change === undefined) continue;
      const variation = { changes: [each.change], key: '7', requestKey: '8' };
      const scopes = variedScopes(contract, operation.scopes, variation);
      const claims = { ...variedClaims(usual, variation), scopes: scopesClaim(scopes) };
      const value = `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
      const query = Object.fromEntries(queries.map((parameter) => [parameter.name, 'ä']));
      const isOfTarget = ['percent-encoding', 'order of parameters'].includes(name);
      const call = isOfTarget ? { query } : {};
      const plainRequest = { operation, input, call, authorization: { value }, mayAddContent: true };
      const { target, headers = [], body } = variedRequest(plainRequest, variation);
      const received = {
        operation,
        target,
        headers: {
          ...Object.fromEntries(headers),
          authorization: value,
          'content-type': body?.mediaType,
          'transfer-encoding': body?.chunked ? 'chunked' : undefined,
        },
        body: body?.bytes ?? new Uint8Array(),
        clockOffset: 0,
      };
      expect(classesOf(received)).toContain(`${name}: ${each.name}`);
    }
});
