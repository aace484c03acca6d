import { expect, test } from 'vitest';
import { Secrets } from './secrets.ts';

const token = `eyJ${'a'.repeat(30)}.eyJ${'b'.repeat(30)}.${'c-_'.repeat(10)}`;

test('secrets are found in every form', () => {
  const secrets = new Secrets();
  secrets.add('p&ss "word"', '$CLIENT_SECRET');
  secrets.addToken(token);
  secrets.addToken('opaque-token');
  expect(secrets.scrub('p&ss "word" p%26ss%20%22word%22 p&ss \\"word\\"')).toBe(
    '$CLIENT_SECRET $CLIENT_SECRET $CLIENT_SECRET',
  );
  expect(secrets.scrub(`a ${token}. "${token}",opaque-token x.${token}.y`)).toBe(
    'a $TOKEN. "$TOKEN",$TOKEN x.$TOKEN.y',
  );
  expect(secrets.scrub('unknown: eyJabc.eyJdef.ghijklmnopqrstuvw')).toBe('unknown: $TOKEN');
  expect(secrets.scrub('unsigned: eyJabc.eyJdef.')).toBe('unsigned: $TOKEN');
  expect(secrets.scrub('eyJabc eyJ.. eyJa.b')).toBe('eyJabc eyJ.. eyJa.b');
});

test('short texts are no secrets', () => {
  const secrets = new Secrets();
  secrets.add('a', '$A');
  expect(secrets.scrub('banana')).toBe('banana');
});

test('hostile text takes no longer than its length', () => {
  const secrets = new Secrets();
  secrets.addToken(token);
  const start = Date.now();
  for (const text of ['eyJ', 'eyJ.', '.', 'a.eyJ-'])
    secrets.scrub(`eyJ${text.repeat(8_000_000 / text.length)}`);
  expect(Date.now() - start).toBeLessThan(15_000);
});
