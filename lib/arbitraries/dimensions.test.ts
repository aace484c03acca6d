import { expect, test } from 'vitest';
import { loadContract } from '../contract/load.ts';
import { operation } from '../contract/model.ts';
import { classesOf, dimensionsOf } from './dimensions.ts';
import type { ReceivedRequest } from './received-request.ts';

const contract = await loadContract();
const update = operation(contract, 'put_factor_phone_templates');
const experiments = operation(contract, 'listExperiments');
const jwt = (claims: object) => `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

const received = (changes: Partial<ReceivedRequest>): ReceivedRequest => ({
  operation: update,
  target: '/api/v2/guardian/factors/phone/templates',
  headers: {},
  body: new Uint8Array(),
  clockOffset: 0,
  ...changes,
});

test('a body is classified as it is received', () => {
  const body = Buffer.from(
    JSON.stringify({ __proto___: 1, verification_message: 'é\n', enrollment_message: '' }),
  );
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'transfer-encoding': 'chunked',
    'x-correlation-id': 'x'.repeat(65),
    authorization: jwt({ nbf: 1, aud: ['a'], scopes: { a: {}, b: {} } }),
  };
  expect(classesOf(received({ body, headers, clockOffset: 3600 }))).toEqual([
    'media type: application/json',
    'framing: chunked',
    'JSON notation: compact',
    'form encoding: none',
    'body size: at most 2 kB',
    'charset: charset',
    'text: empty',
    'text: beyond ASCII',
    'text: line feed',
    'text: blank at an end',
    'order of members: other',
    'extra member: first',
    'headers: usual',
    'claims: nbf',
    'claims: audience list',
    'scopes: several',
    'correlation ID: present',
    'correlation ID: over 64',
    'clock: minutes',
    'clock: hours',
  ]);
});

test('a query is classified by its parameters, their number and the page', () => {
  const target = '/experimentation/experiments?take=50&from=x&authentication_flow=a%25&feature_flag_id=b';
  const found = classesOf(received({ operation: experiments, target }));
  expect(found).toContain('query take: maximum');
  expect(found).toContain('query authentication_flow: wildcard');
  expect(found).toContain('query status: absent');
  expect(found).toContain('filters: several');
  expect(found).toContain('page: later');
});

test('every class that a request is in is a class of its dimension', () => {
  for (const each of contract.operations) {
    const known = dimensionsOf(each).flatMap(({ name, classes }) =>
      classes.map((member) => `${name}: ${member.name}`),
    );
    const found = classesOf(received({ operation: each, headers: { 'content-type': 'application/json' } }));
    expect(known).toEqual(expect.arrayContaining([...found]));
  }
});
