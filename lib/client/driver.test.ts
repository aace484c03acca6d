import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { answer, listen, type SocketServer } from '../../test/socket-server.ts';
import { Driver, type DriverOptions } from './driver.ts';
import type { Exchange, Failure, Request } from './exchange.ts';
import { curl } from './reproduce.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Answerer = (socket: Socket, head: string, number: number, connection: number) => void;

async function serve(answerer: Answerer, options: Parameters<typeof listen>[1] = {}): Promise<SocketServer> {
  const server = await listen(answerer, options);
  open.push(server);
  return server;
}

function drive(url: string, options: Partial<DriverOptions> = {}): Driver {
  const driver = new Driver({ baseUrl: `${url}/api/v2`, timeout: 2000, ...options });
  open.push(driver);
  return driver;
}

function get(target = '/a', more: Partial<Request> = {}): Request {
  return { operation: undefined, method: 'GET', target, ...more };
}

async function exchange(answerer: Answerer, options: Partial<DriverOptions> = {}): Promise<Exchange> {
  return drive((await serve(answerer)).url, options).send(get());
}

describe('what is sent', () => {
  test.each(['/a%2Fb/%20/../c//d?x=&y=%20&z&x=2', '/a?b=c+d&e=%zz', '/%C3%A9?q=é', '/?'])(
    'target %s exactly',
    async (target) => {
      const heads: string[] = [];
      const server = await serve((socket, head) => {
        heads.push(Buffer.from(head, 'latin1').toString());
        socket.write(answer(200, ''));
      });
      await drive(server.url).send(get(target));
      expect(heads[0]?.split('\r\n')[0]).toBe(`GET /api/v2${target} HTTP/1.1`);
    },
  );

  test('duplicate fields in order, values in UTF-8', async () => {
    let sent = '';
    const server = await serve((socket, head) => {
      sent = Buffer.from(head, 'latin1').toString();
      socket.write(answer(200, ''));
    });
    const headers = [
      ['X-A', '1'],
      ['x-b', 'é'],
      ['X-A', '2'],
    ] as const;
    await drive(server.url).send(get('/', { headers }));
    expect(sent).toContain('X-A: 1\r\nX-A: 2\r\nx-b: é');
    expect(sent).toContain('accept-encoding: identity');
  });

  test('lone surrogates', async () => {
    const server = await serve((socket) => socket.write(answer(200, '{"next":"\\ud800"}')));
    const driver = drive(server.url, { headers: [['X-Key', 'surrogate\udc00-key']] });
    driver.secrets.add('lone \ud800 surrogate', '$CLIENT_SECRET');
    const authorization = { value: 'Bearer lone-\ud800-token' };
    const { response } = await driver.send(get('/?from=\ud800', { authorization }));
    expect(response?.text).toBe('{"next":"\\ud800"}');
  });

  test.each<[string, Partial<Request>]>([
    ['a line break in a field', { headers: [['x', 'a\r\nb: c']] }],
    ['a control character in a field', { headers: [['x', '\u0001']] }],
    ['a blank in a name', { headers: [['x y', 'a']] }],
    ['a blank in the target', { target: '/a b' }],
    ['a method that is none', { method: 'G T' }],
  ])('%s is the caller’s fault', async (_, more) => {
    const server = await serve((socket) => socket.write(answer(200, '')));
    const driver = drive(server.url);
    await expect(driver.send(get('/', more))).rejects.toThrow(TypeError);
    expect((await driver.send(get())).response?.status).toBe(200);
  });

  test('a URL of its own in place of base address and target', async () => {
    let line = '';
    const server = await serve((socket, head) => {
      line = head;
      socket.write(answer(200, ''));
    });
    const secretive = { headers: [['X-Key', 'for-the-tenant-only']] } as const;
    await drive('http://127.0.0.1:1', secretive).send(get('', { url: `${server.url}/oauth/token/?a=..` }));
    expect(line).toMatch(/^GET \/oauth\/token\/\?a=\.\. /);
    expect(line).not.toContain('for-the-tenant-only');
  });

  test.each(['GET', 'PUT', 'DELETE', 'POST'])('a chunked body with %s', async (method) => {
    let sent = '';
    const server = await serve((socket, head) => {
      sent = head;
      socket.write(answer(200, '{}'));
    });
    const body = { bytes: Buffer.from('abc'), chunked: true };
    const { response } = await drive(server.url).send(get('/', { method, body }));
    expect(sent.toLowerCase()).toContain('transfer-encoding: chunked');
    expect(sent.toLowerCase()).not.toContain('content-length');
    expect(response?.status).toBe(200);
  });
});

test.each([
  ['a character', 'aéb', ['a\xc3', '\xa9b']],
  ['a percent-encoded octet', 'a=%7B', ['a=%', '7B']],
])('a chunk of a body ends within %s', async (_, text, expected) => {
  const chunks: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => chunks.push(chunk.toString('latin1')));
    request.on('end', () => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const body = { bytes: Buffer.from(text), chunked: true };
  await drive(`http://127.0.0.1:${port}`).send(get('/', { method: 'PUT', body }));
  server.close();
  expect(chunks).toEqual(expected);
});

describe('answers', () => {
  test('JSON, fields and media type', async () => {
    const { response, failure } = await exchange((socket) =>
      socket.write(
        answer(200, '\uFEFF{"a": "é"}', [
          'Content-Type: Application/JSON; charset=utf-8',
          'X-A: 1',
          'x-a: 2',
        ]),
      ),
    );
    expect(failure).toBeUndefined();
    expect(response?.mediaType).toBe('application/json');
    expect(response?.json).toEqual({ a: 'é' });
    expect(response?.header('X-A')).toBe('1');
    expect(response?.headers.filter(([name]) => name === 'x-a')).toHaveLength(2);
  });

  test('invalid UTF-8 and garbage for JSON', async () => {
    const { response } = await exchange((socket) =>
      socket.write(
        Buffer.concat([
          Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{'),
          Buffer.from([0xff, 0x7d]),
        ]),
      ),
    );
    expect(response?.json).toBeUndefined();
  });

  test('deep nesting is not read as JSON', async () => {
    const { response } = await exchange((socket) => socket.write(answer(200, '['.repeat(1_000_000))));
    expect(response?.json).toBeUndefined();
    const closed = await exchange((socket) =>
      socket.write(answer(200, `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)),
    );
    expect(closed.response?.json).toBeUndefined();
  });

  test('half of the requests accept compressed responses', async () => {
    const server = await serve((socket, head) => {
      const coding = /^accept-encoding: (.*)$/im.exec(head)?.[1]?.trim();
      const body = coding === 'gzip, br' ? gzipSync('{"a":1}') : Buffer.from('{"a":1}');
      const more = coding === 'gzip, br' ? 'Content-Encoding: gzip\r\n' : '';
      socket.write(`HTTP/1.1 200 OK\r\n${more}Content-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    const driver = drive(server.url);
    const codings: unknown[] = [];
    for (let round = 0; round < 4; round++) {
      const { request, response } = await driver.send(get());
      expect(response?.json).toEqual({ a: 1 });
      codings.push(request.headers.find(([name]) => name === 'accept-encoding')?.[1]);
      expect(curl({ request }).includes('--compressed')).toBe(round % 2 === 1);
    }
    expect(codings).toEqual(['identity', 'gzip, br', 'identity', 'gzip, br']);
  });

  test.each<[string, Buffer]>([
    ['gzip', gzipSync('é'.repeat(1000))],
    ['x-gzip', gzipSync('é'.repeat(1000))],
    ['br', brotliCompressSync('é'.repeat(1000))],
    ['deflate', deflateSync('é'.repeat(1000))],
    ['gzip, br', brotliCompressSync(gzipSync('é'.repeat(1000)))],
    ['identity', Buffer.from('é'.repeat(1000))],
    ['unheard-of', Buffer.from('é'.repeat(1000))],
  ])('a body in the content coding %s', async (coding, body) => {
    const { response } = await exchange((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body);
    });
    expect(response?.text).toBe('é'.repeat(1000));
  });

  test.each<[Failure['kind'], string, Buffer]>([
    ['malformed', 'garbage', Buffer.from('garbage')],
    ['malformed', 'a truncated body', gzipSync('a'.repeat(10_000)).subarray(0, 30)],
    ['too-large', 'a decompression bomb', gzipSync(Buffer.alloc(50_000_000))],
  ])('%s: %s declared as gzip', async (kind, _, body) => {
    const { failure } = await exchange((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    expect(failure?.kind).toBe(kind);
  });

  test('a redirect is not followed', async () => {
    const server = await serve((socket) => socket.write(answer(302, '', ['Location: http://127.0.0.1:1/'])));
    const driver = drive(server.url);
    const { response } = await driver.send(get('/', { authorization: { value: 'Bearer s3cr3t-token' } }));
    expect(response?.status).toBe(302);
    expect(driver.requests).toBe(1);
  });
});

describe('429 and 503', () => {
  function limited(status: number, fields: () => readonly string[], times = 1): Promise<SocketServer> {
    let left = times;
    return serve((socket) => socket.write(left-- > 0 ? answer(status, '', fields()) : answer(200, 'a')));
  }

  test.each<[string, number, () => readonly string[], number, number]>([
    ['Retry-After in seconds', 429, () => ['Retry-After: 1'], 950, 2500],
    [
      'Retry-After as a date',
      429,
      () => [`Retry-After: ${new Date(Date.now() + 2000).toUTCString()}`],
      900,
      3000,
    ],
    ['X-RateLimit-Reset', 429, () => [`X-RateLimit-Reset: ${Math.ceil(Date.now() / 1000) + 1}`], 900, 3000],
    ['neither', 429, () => [], 950, 2500],
    ['503 with Retry-After', 503, () => ['Retry-After: 1'], 950, 2500],
    ['0 seconds', 429, () => ['Retry-After: 0'], 40, 900],
  ])('%s is waited out', async (_, status, fields, least, most) => {
    const driver = drive((await limited(status, fields)).url);
    const start = Date.now();
    const { response } = await driver.send(get());
    expect(response?.status).toBe(200);
    expect(Date.now() - start).toBeGreaterThanOrEqual(least);
    expect(Date.now() - start).toBeLessThan(most);
    expect(driver.requests).toBe(2);
  });

  test('the bounds of a request and of the run', async () => {
    const server = await limited(429, () => ['Retry-After: 3600'], Number.POSITIVE_INFINITY);
    expect((await drive(server.url).send(get())).response?.status).toBe(429);
    const storm = await limited(429, () => ['Retry-After: 0'], Number.POSITIVE_INFINITY);
    const driver = drive(storm.url, { maximumTotalWaitMs: 300 });
    const start = Date.now();
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => driver.send(get())));
    expect(exchanges.every(({ response }) => response?.status === 429)).toBe(true);
    expect(Date.now() - start).toBeLessThan(10_000);
  });

  test.each([
    [1, 200, 2],
    [10, 503, 6],
  ])('of %d without Retry-After, the answer is %d', async (times, status, requests) => {
    const driver = drive((await limited(503, () => [], times)).url);
    expect((await driver.send(get())).response?.status).toBe(status);
    expect(driver.requests).toBe(requests);
  });

  test('503 beyond a number of requests at the same time', async () => {
    let underWay = 0;
    const server = await serve(async (socket) => {
      underWay += 1;
      const isBusy = underWay > 4;
      await sleep(5);
      underWay -= 1;
      socket.write(isBusy ? answer(503, '') : answer(200, 'a'));
    });
    const driver = drive(server.url, { concurrency: 32 });
    const exchanges = await Promise.all(Array.from({ length: 100 }, () => driver.send(get())));
    expect(exchanges.filter(({ response }) => response?.status !== 200)).toEqual([]);
  });
});

describe('records', () => {
  test('no secrets', async () => {
    const token = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.c-${'_'.repeat(20)}`;
    const server = await serve((socket) =>
      socket.write(
        answer(200, JSON.stringify({ error: `token ${token}. key top-secret-key` }), [
          `X-Echo: Bearer ${token}`,
        ]),
      ),
    );
    const driver = drive(server.url, { headers: [['X-Api-Key', 'top-secret-key']] });
    const first = await driver.send(
      get(`/?access_token=${token}`, {
        authorization: { value: `Bearer ${token}`, claims: { sub: 'me' } },
        headers: [['Cookie', `t=${token}`]],
        method: 'PUT',
        body: { bytes: Buffer.from('client_secret=abcdefgh'), recorded: 'client_secret=$CLIENT_SECRET' },
      }),
    );
    const { request, response } = first;
    const text = driver.secrets.scrub(
      JSON.stringify({ request, text: response?.text, headers: response?.headers }),
    );
    for (const secret of [token, 'top-secret-key', 'abcdefgh']) expect(text).not.toContain(secret);
    expect(first.request.headers).toContainEqual(['authorization', 'Bearer $TOKEN']);
    expect(first.request.headers).toContainEqual(['x-api-key', '$HEADER_X_API_KEY']);
    expect(text).toContain('access_token=$TOKEN');
    expect(first.request.token?.claims).toEqual({ sub: 'me' });
    expect(first.request.bodyBytes).toBe(22);
    expect(first.request.body).toBe('client_secret=$CLIENT_SECRET');
    expect(text).toContain('token $TOKEN. key $HEADER_X_API_KEY');
    expect(text).toContain('["x-echo","Bearer $TOKEN"]');
  });

  test('all that comes before a token is recorded', async () => {
    const server = await serve((socket) => socket.write(answer(401, '')));
    const authorization = { value: 'Basic Bearer abcdefgh' };
    const { request } = await drive(server.url).send(get('/', { authorization }));
    expect(request.headers).toContainEqual(['authorization', 'Basic Bearer $TOKEN']);
  });

  test('a value that is not a secret is recorded as it is', async () => {
    const server = await serve((socket) => socket.write(answer(401, 'garbage is not a token')));
    const authorization = { value: 'Bearer garbage', secret: false };
    const { request, response } = await drive(server.url).send(get('/', { authorization }));
    expect(request.headers).toContainEqual(['authorization', 'Bearer garbage']);
    expect(response?.text).toBe('garbage is not a token');
  });

  test('large bodies are cut, padding is counted', async () => {
    const server = await serve((socket) => socket.write(answer(200, '')));
    const bytes = Buffer.from(`{"é":1${' '.repeat(1_000_000)}}`);
    const { request } = await drive(server.url).send(get('/', { method: 'PUT', body: { bytes } }));
    expect(request.body?.length).toBeLessThanOrEqual(16_384);
    expect(request.bodyParts?.map((part) => [part.bytes.toString(), part.count])).toEqual([
      ['{"é":1', 1],
      [' ', 1_000_000],
      ['}', 1],
    ]);
  });
});

test('the rate is kept, evenly', async () => {
  const times: number[] = [];
  const server = await serve((socket) => {
    times.push(Date.now());
    socket.write(answer(200, ''));
  });
  const driver = drive(server.url, { rate: 50 });
  await Promise.all(Array.from({ length: 26 }, () => driver.send(get())));
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(400);
});

test('repeats and requests out of band keep the rate', async () => {
  const times: number[] = [];
  const server = await serve((socket, _, number) => {
    times.push(Date.now());
    if (number === 2) socket.destroy();
    else if (times.length % 3 === 0) socket.write(answer(429, '', ['Retry-After: 0']));
    else socket.write(answer(200, ''));
  });
  const driver = drive(server.url, { rate: 50 });
  await driver.send(get());
  await Promise.all(Array.from({ length: 6 }, () => [driver.send(get()), driver.call(get())]).flat());
  expect(times.length).toBeGreaterThan(16);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan((times.length - 5) * 20);
});

test('IPv6', async () => {
  const server = await serve((socket, head) => socket.write(answer(200, /host: .*/i.exec(head)?.[0] ?? '')), {
    host: '::1',
  });
  const { response } = await drive(server.url).send(get());
  expect(response?.text).toBe(`host: [::1]:${server.port}`);
});
