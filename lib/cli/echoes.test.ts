import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';

/** A target that echoes what it is sent, in every encoding and everywhere: no output of a run contains a secret. */

const folder = mkdtempSync(join(tmpdir(), 'echoes-'));
const hex = (text: string) => Buffer.from(text).toString('hex');
const encodings: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => secret.toUpperCase(),
  (secret) => secret.slice(0, -4),
  (secret) => secret.slice(10),
  (secret) => JSON.stringify({ echo: secret }),
  (secret) => JSON.stringify(JSON.stringify(secret)),
  (secret) => Array.from(secret, (each) => `\\u00${hex(each)}`).join(''),
  (secret) => hex(secret).replace(/../g, '%$&'),
  (secret) => encodeURIComponent(`${secret}&`),
  (secret) => `a=${new URLSearchParams({ secret })}`,
  (secret) => Array.from(secret, (each) => `&#x${hex(each)};`).join(''),
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => Buffer.from(`me:${secret}`).toString('base64'),
  (secret) => Buffer.from(` ${secret}`).toString('base64url'),
  (secret) => hex(secret),
  (secret) => hex(secret).toUpperCase(),
];

/** Enough to have something of every kind in the report. */
const only = ['4.1/answer*', '4.2/take*', '4.4/p*', '5.1', '5.4', '7'].flatMap((each) => ['--only', each]);

/** Everything secret that the server was sent. */
const seen = new Set<string>();
const given = new Set<string>();
let count = 0;

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const { authorization = '', 'x-key': key = '' } = request.headers;
    const form = new URLSearchParams(body);
    // What the suite makes up to be refused is not a secret.
    for (const each of [authorization.replace(/^\S+ /, ''), String(key), form.get('client_secret') ?? ''])
      if (given.has(each) || isMinted(each)) seen.add(each);
    const echoes = [...seen].slice(-3).flatMap((secret) => encodings.map((encode) => encode(secret)));
    // Each response shows some of the echoes, so that each gets to stand somewhere.
    const echo = (index: number) => echoes[(count + index) % Math.max(1, echoes.length)] ?? '';
    count += 5;
    const record = { id: echo(0), name: echo(1), [echo(2)]: echo(3), total: echo(4) };
    const isToken = request.url?.startsWith('/oauth') && form.get('client_secret') !== null;
    const json = isToken
      ? { access_token: randomToken(), token_type: echo(0), expires_in: 3600, scope: echo(1) }
      : {
          experiments: [record],
          versions: [record],
          next: echo(2),
          total: echo(3),
          message: echo(4),
          echoes: Array.from({ length: 8 }, (_, index) => echo(5 + index)),
        };
    response.setHeader('x-echo', encodeURIComponent(echo(0)));
    response.setHeader(
      'content-type',
      count % 4 ? 'application/json' : `application/${hex(echo(1)).slice(0, 200)}`,
    );
    response.statusCode = isToken || count % 3 ? 200 : 500;
    response.end(JSON.stringify(json));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());
const address = server.address();
const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/v2`;

function randomToken(): string {
  const token = randomBytes(40).toString('base64url');
  given.add(token);
  return token;
}

/** With this key the suite signs its tokens itself. */
const signingKeyFile = join(folder, 'key.jwk');
const { privateKey } = generateKeyPairSync('ed25519');
writeFileSync(signingKeyFile, JSON.stringify(privateKey.export({ format: 'jwk' })));

/** The suite makes one signature up of the letter A alone. */
function isMinted(token: string): boolean {
  return /^eyJ[\w-]+\.eyJ[\w-]+\.(?!A+$)[\w-]+$/.test(token);
}

/** Stretches of the text that are 12 characters of a secret, or a little more, in one of the encodings. */
function leaksIn(text: string): string[] {
  const stretches = new Set<string>();
  for (const secret of [...seen].slice(-6))
    for (const encode of encodings) {
      // What surrounds the secret in an encoding is not a secret, nor are the header and claims of a token that the suite has minted.
      const signature = given.has(secret) ? 0 : (secret.lastIndexOf('.') + 1) / secret.length;
      const whole = encode(secret).toLowerCase();
      const encoded = whole.slice(Math.ceil(whole.length * signature) + 10, -10);
      const length = Math.ceil((14 * whole.length) / secret.length) + 2;
      const step = Math.ceil(encoded.length / 20);
      for (let start = 0; start + length <= encoded.length; start += step)
        stretches.add(encoded.slice(start, start + length));
    }
  const lower = text.toLowerCase();
  return [...stretches].filter((stretch) => lower.includes(stretch));
}

test.each<[string, Record<string, string>]>([
  ['an opaque token', { CONFORMANCE_TOKEN: randomToken() }],
  ['a JSON Web Token', { CONFORMANCE_TOKEN: `eyJhbGciOiJub25lIn0.e30.${randomToken()}` }],
  [
    'a client secret',
    { CONFORMANCE_CLIENT_ID: 'me', CONFORMANCE_CLIENT_SECRET: 'Secret/of the+client: ä"\\' },
  ],
  ['minted tokens', { CONFORMANCE_SIGNING_KEY: signingKeyFile }],
  ['a header field', { CONFORMANCE_HEADER: `X-Key: ${randomToken()}` }],
])('%s is echoed', async (_, environment) => {
  seen.clear();
  for (const value of Object.values(environment)) given.add(value.replace('X-Key: ', ''));
  const reportDir = mkdtempSync(join(folder, 'report-'));
  const { stdout, stderr } = await runHere(
    [
      '--base-url',
      baseUrl,
      '--seed',
      '1',
      '--runs',
      '3',
      '--har',
      'full',
      '--report-dir',
      reportDir,
      ...only,
    ],
    environment,
  );
  expect(seen.size, stderr).toBeGreaterThan(0);
  const files = readdirSync(reportDir, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(reportDir, file)).isFile(),
  );
  expect(files).toEqual(expect.arrayContaining(['report.json', 'junit.xml', 'index.html', 'exchanges.har']));
  const outputs = files.map((file): [string, string] => [file, readFileSync(join(reportDir, file), 'utf8')]);
  for (const [name, text] of [...outputs, ['stdout', stdout], ['stderr', stderr]] as const)
    expect({ name, leaks: leaksIn(text).slice(0, 5) }).toEqual({ name, leaks: [] });
  expect(outputs.some(([, text]) => /\$(TOKEN|CLIENT_SECRET|HEADER_X_KEY)/.test(text))).toBe(true);
});
