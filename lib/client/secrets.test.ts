import { describe, expect, test } from 'vitest';
import { answer, listen } from '../../test/socket-server.ts';
import { Driver } from './driver.ts';
import { Secrets } from './secrets.ts';

const token = `eyJ${'hbGciOiJFZERTQSJ9'}.eyJ${'zY29wZXMiOnt9LCJpc3MiOiJtZSJ9'}.${'c-_9Zk'.repeat(10)}`;

const secretsOf: Readonly<Record<string, string>> = {
  'a JSON Web Token': token,
  'an opaque token': 'v2.local.Zx81-kLmN_opaque+token/ending=',
  'a client secret': 'p&ss "wörd" \\ 100% + <b>\'s\'',
  'a header value': 'key-of-the-gateway:0123456789abcdef',
};

const each = (text: string, write: (code: string, character: string) => string) =>
  Array.from(text, (character) =>
    write(character.charCodeAt(0).toString(16).padStart(2, '0'), character),
  ).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');

const encodings: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in upper case': (secret) => secret.toUpperCase(),
  'without its last characters': (secret) => secret.slice(0, -5),
  'without its first characters': (secret) => secret.slice(5),
  'as a JSON string': (secret) => JSON.stringify({ echo: secret }),
  'as a JSON string in a JSON string': (secret) => JSON.stringify(JSON.stringify([secret])),
  'in \\u escapes': (secret) => each(secret, (code) => `\\u${code.padStart(4, '0').toUpperCase()}`),
  'in \\x escapes': (secret) =>
    each(secret, (code, character) => (code.length > 2 ? character : `\\x${code}`)),
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoded, every octet': (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
  'in a form': (secret) => new URLSearchParams({ echo: secret }).toString(),
  'in HTML': (secret) =>
    each(secret, (code, character) => (/\w/.test(character) ? character : `&#x${code};`)),
  'in base64': base64,
  'in base64 behind a user name': (secret) => base64(`me:${secret}`),
  'in base64url': (secret) => Buffer.from(`Bearer ${secret}`).toString('base64url'),
  'in base64, percent-encoded': (secret) => encodeURIComponent(base64(secret)),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'in upper-case hexadecimal': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
};

/** Stretches of 16 characters that both texts contain. */
function common(text: string, encoded: string): string[] {
  const found: string[] = [];
  for (let start = 0; start + 16 <= encoded.length; start++)
    if (text.includes(encoded.slice(start, start + 16))) found.push(encoded.slice(start, start + 16));
  return found;
}

describe.each(Object.entries(secretsOf))('%s is scrubbed', (_, secret) => {
  test.each(Object.entries(encodings))('%s', async (_, encode) => {
    const secrets = new Secrets();
    secrets.add(secret, '$SECRET');
    const encoded = encode(secret);
    for (const text of [`before ${encoded}, after`, `{"a":"${encoded}"}`, `x${encoded}x`]) {
      const scrubbed = secrets.scrub(text);
      expect(scrubbed).toMatch(/\$(SECRET|TOKEN)/);
      expect(common(scrubbed, encoded)).toEqual([]);
    }
    expect(secrets.scrub(`before ${encoded}, after`)).toMatch(/^before.*, after$/s);
  });
});

test('what surrounds a secret stays, and JSON stays JSON', () => {
  const secrets = new Secrets();
  secrets.add('nine-lives-of-a-cat\\', '$CLIENT_SECRET');
  secrets.add(token);
  secrets.add('opaque-token');
  expect(secrets.scrub(`a ${token}. "${token}",opaque-token x.${token}.y`)).toBe(
    'a $TOKEN. "$TOKEN",$TOKEN x.$TOKEN.y',
  );
  for (const value of ['\nine-lives-of-a-cat\\"', 'ine-lives-of-a-cat\\\\', '\\nine-lives-of-a-cat\\'])
    expect(JSON.parse(secrets.scrub(JSON.stringify({ value, more: 1 })))).toEqual({
      value: expect.stringContaining('$CLIENT_SECRET'),
      more: 1,
    });
});

test('unknown JSON Web Tokens are found by their shape, whatever their length', () => {
  const secrets = new Secrets();
  expect(secrets.scrub('eyJabc.eyJdef.ghijklmnopqrstuvw eyJ.e30.x')).toBe('$TOKEN $TOKEN');
  expect(secrets.scrub('unsigned: eyJabc.eyJdef.')).toBe('unsigned: $TOKEN');
  expect(secrets.scrub('eyJabc eyJ.. eyJa.b')).toBe('eyJabc eyJ.. eyJa.b');
});

test('a checkpoint with the time of the token stays', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64url');
  const secrets = new Secrets();
  secrets.add(
    `${base64('{"alg":"ES256"}')}.${base64('{"iat":1795958520,"sub":"abc"}')}.${'s1g-'.repeat(20)}`,
  );
  const checkpoint = base64('{"cat":1795958520,"from":25}');
  expect(secrets.scrub(checkpoint)).toBe(checkpoint);
});

test('short texts are not secrets, and secrets of few characters are words', () => {
  const secrets = new Secrets();
  secrets.add('a', '$A');
  secrets.add('hunter', '$CLIENT_SECRET');
  secrets.add(' '.repeat(20), '$HEADER');
  expect(secrets.scrub('banana')).toBe('banana');
  expect(secrets.scrub('"Hunter", the_hunter, hunters%20hunter')).toBe(
    '"$CLIENT_SECRET", the_hunter, hunters%20$CLIENT_SECRET',
  );
  expect(secrets.scrub(' '.repeat(50))).toBe(' '.repeat(50));
});

test('nothing that is written of an exchange contains a secret', async () => {
  const server = await listen((socket, head) => {
    const authorization = /^authorization: (.*)$/im.exec(head)?.[1]?.trim() ?? '';
    const body = JSON.stringify({ echo: authorization, half: authorization.slice(0, 40) });
    socket.write(answer(200, body, [`X-Echo: ${base64(authorization)}`]));
  });
  const driver = new Driver({ baseUrl: server.url });
  try {
    for (const value of ['opaque-but-valuable-token-of-the-run', token]) {
      const { request, response } = await driver.send({
        operation: undefined,
        method: 'GET',
        target: `/?t=${value}`,
        authorization: { value: `Bearer ${value}` },
      });
      const { text, json, headers } = response ?? {};
      for (const part of [request, text, json, headers]) {
        const scrubbed = driver.secrets.scrub(JSON.stringify(part));
        expect(scrubbed).toContain('$TOKEN');
        expect(common(scrubbed, value)).toEqual([]);
        expect(common(scrubbed, base64(`Bearer ${value}`))).toEqual([]);
      }
    }
  } finally {
    await driver.close();
    await server.close();
  }
});

test('of minted tokens the last ones are known in every encoding', () => {
  const secrets = new Secrets();
  for (let index = 0; index < 5_000; index++) secrets.addMinted(`${token}${index}`);
  expect(secrets.scrub(base64(`${token}4999`))).toMatch(/^\$TOKEN=*$/);
  expect(secrets.scrub(`${token}1`)).toBe('$TOKEN');
});

// Time that grows with the square of the length would exceed the limit of the test.
test('hostile text is scrubbed in time that grows with its length', () => {
  const secrets = new Secrets();
  secrets.add(token);
  for (const text of ['eyJ', 'eyJ.', '.', 'a.eyJ-', `${token} `, '%41', '\\u0041', '&amp;'])
    expect(secrets.scrub(`eyJ${text.repeat(1_000_000 / text.length)}`).includes(token)).toBe(false);
});
