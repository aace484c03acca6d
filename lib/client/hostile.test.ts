import type { Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { answer, listen, type SocketServer } from '../../test/socket-server.ts';
import { Driver, type DriverOptions } from './driver.ts';
import type { Exchange, Request } from './exchange.ts';

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of open) await each.close();
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

describe.concurrent('targets that misbehave', () => {
  test.each<[string, Answerer]>([
    ['before the answer', () => {}],
    ['in the header fields', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Le')],
    ['after the header fields', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')],
    [
      'a promise of more than comes',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'),
    ],
    [
      'a byte at a time',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n');
        const timer = setInterval(() => socket.write('a'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('hang: %s', async (_, answerer) => {
    const { response, failure, durationMs } = await exchange(answerer, { timeout: 200 });
    expect(response).toBeUndefined();
    expect(failure?.kind).toBe('timeout');
    expect(durationMs).toBeLessThan(5000);
  });

  test('a promise of more than is read ends at once', async () => {
    const { failure, durationMs } = await exchange((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n['),
    );
    expect(failure?.kind).toBe('too-large');
    expect(durationMs).toBeLessThan(5000);
  });

  test('an endless body is cut off', async () => {
    const { failure } = await exchange(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const more = () => {
          while (!socket.destroyed && socket.write('x'.repeat(65_536)));
        };
        socket.on('drain', more);
        more();
      },
      { maximumBodyBytes: 1_000_000 },
    );
    expect(failure).toEqual({ kind: 'too-large', message: 'the response has more than 1000000 bytes' });
  });

  test.each<[string, string, Answerer]>([
    ['closed', 'closed without a word', (socket) => socket.end()],
    ['closed', 'reset', (socket) => socket.resetAndDestroy()],
    ['closed', 'truncated', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')],
    [
      'closed',
      'truncated with Connection: close',
      (socket) => socket.end('HTTP/1.1 413 X\r\nConnection: close\r\nContent-Length: 9\r\n\r\nabc'),
    ],
    [
      'closed',
      'truncated chunks',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc'),
    ],
    ['malformed', 'no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'malformed',
      'a bad chunk',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    ],
    [
      'closed',
      'two lengths',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    ],
    [
      'malformed',
      'an unasked upgrade',
      (socket) => socket.write('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n'),
    ],
    [
      'too-large',
      'huge header fields',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(300_000)}\r\n\r\n`),
    ],
  ])('%s: %s', async (kind, _, answerer) => {
    const { response, failure } = await exchange(answerer);
    expect(response).toBeUndefined();
    expect(failure?.kind).toBe(kind);
    expect(failure?.message).toMatch(/^[^\n]+$/);
  });

  test('more than the Content-Length says spoils no later answer', async () => {
    const server = await serve((socket, _head, number) =>
      socket.write(`${answer(200, `${number}`)}${number === 1 ? 'HTTP/1.1 500 X\r\n\r\n' : ''}`),
    );
    const driver = drive(server.url);
    expect((await driver.send(get())).response?.status).toBe(200);
    expect((await driver.send(get())).response?.status).toBe(200);
  });

  test('no listener; no such host', async () => {
    const server = await serve(() => {});
    await server.close();
    expect((await drive(server.url).send(get())).failure?.kind).toBe('refused');
    expect((await drive('http://no-such-host.invalid').send(get())).failure?.kind).toBe('refused');
  });

  test('a hang while a body is being sent', async () => {
    const server = await serve((socket) => socket.pause());
    const driver = drive(server.url, { timeout: 200 });
    for (const chunked of [false, true]) {
      const body = { bytes: Buffer.alloc(5_000_000), chunked };
      expect((await driver.send(get('/', { method: 'PUT', body }))).failure?.kind).toBe('timeout');
    }
  });

  test('informational answers are passed over', async () => {
    const { response } = await exchange((socket) =>
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${answer(200, 'a')}`),
    );
    expect(response?.text).toBe('a');
  });

  test('an unsolicited 100 Continue is skipped, alone and in one packet with the response', async () => {
    const server = await serve((socket, _head, number) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      const final = `HTTP/1.1 100 Continue\r\nX: y\r\n\r\n${answer(200, 'HTTP/1.1 100 Continue')}`;
      if (number === 1) socket.write(final);
      else setTimeout(() => socket.write(final), 20);
    });
    const driver = drive(server.url);
    for (let round = 0; round < 3; round++)
      expect((await driver.send(get('/', { method: 'PUT' }))).response?.text).toBe('HTTP/1.1 100 Continue');
    expect(driver.requests).toBe(3);
  });

  test('many header fields are refused', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: y`);
    const { response } = await exchange((socket) => socket.write(answer(200, '', fields(190))));
    expect(response?.status).toBe(200);
    const { failure } = await exchange((socket) => socket.write(answer(200, '', fields(3000))));
    expect(failure).toEqual({ kind: 'too-large', message: 'the response has more than 200 header fields' });
  });

  // Others would add to the memory of the process.
  test.sequential('a body in pieces of one byte costs little memory', async () => {
    const before = process.memoryUsage().rss;
    const body = `${'1\r\n \r\n'.repeat(4_000_000)}0\r\n\r\n`;
    const { response } = await exchange(
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`),
      { timeout: 20_000 },
    );
    expect(response?.bodyBytes).toBe(4_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024);
  });

  test('JSON of a million empty objects is refused without being parsed', async () => {
    const { failure } = await exchange((socket) =>
      socket.write(answer(200, `{"experiments":[${'{},'.repeat(1_000_000)}{}]}`)),
    );
    expect(failure).toEqual({
      kind: 'too-large',
      message: 'the response has more than 131072 JSON values',
    });
  });

  test('closed while under way', async () => {
    const server = await serve(() => {});
    const driver = drive(server.url);
    const sending = driver.send(get());
    await new Promise((resolve) => setTimeout(resolve, 50));
    await driver.close();
    expect((await sending).failure?.kind).toBe('aborted');
    expect((await driver.send(get())).failure?.kind).toBe('aborted');
  });
});

describe('keep-alive', () => {
  const slowly = () => new Promise((resolve) => setTimeout(resolve, 30));

  test.each(['GET', 'PUT', 'DELETE'])('a stale connection costs nothing: %s', async (method) => {
    let closing = 0;
    const server = await serve((socket, head, number) => {
      if (/^connection: close/im.test(String(head))) closing += 1;
      if (number === 1) socket.write(answer(200, 'a'));
      else socket.resetAndDestroy();
    });
    const driver = drive(server.url);
    for (let round = 0; round < 4; round++) {
      const { response, failure } = await driver.send(get('/', { method }));
      expect(failure).toBeUndefined();
      expect(response?.text).toBe('a');
    }
    // With it, a server may close the connection before the client has read the response to a body that it refused.
    expect(closing).toBe(0);
  });

  test('a connection closed while idle', async () => {
    const server = await serve((socket) => {
      socket.write(answer(200, 'a'));
      setTimeout(() => socket.end(), 10);
    });
    const driver = drive(server.url);
    for (let round = 0; round < 3; round++) {
      expect((await driver.send(get())).failure).toBeUndefined();
      await slowly();
    }
    expect(driver.requests).toBe(3);
  });

  test('a fresh connection that is closed is not tried again', async () => {
    const server = await serve((socket) => socket.resetAndDestroy());
    const driver = drive(server.url);
    expect((await driver.send(get('/', { method: 'DELETE' }))).failure?.kind).toBe('closed');
    expect(server.connections).toBe(1);
    expect(driver.requests).toBe(1);
  });

  test('connections are kept, as many as are under way at a time', async () => {
    let most = 0;
    let now = 0;
    const server = await serve((socket) => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        socket.write(answer(200, 'a'));
      }, 5);
    });
    const driver = drive(server.url, { concurrency: 3 });
    await Promise.all(Array.from({ length: 30 }, () => driver.send(get())));
    expect(most).toBe(3);
    expect(server.connections).toBe(3);
  });
});

describe.concurrent('early refusal of a large body', () => {
  const bytes = Buffer.alloc(5_000_000, 0x20);
  // A request takes about a second, and longer on a busy machine.
  const options = { timeout: 10_000 };

  test.each([
    ['Content-Length', false, 'end'],
    ['chunks', true, 'end'],
    ['Content-Length', false, 'linger'],
    ['chunks', true, 'linger'],
  ] as const)('with %s (chunked: %s), server: %s', async (_, chunked, manner) => {
    const refuse = answer(413, 'too large', ['Connection: close']);
    const server = await serve((socket) => {
      // An orderly server ends its side first and takes what is under way; a rude one closes at once, which resets.
      if (manner === 'linger') socket.end(refuse);
      else socket.write(refuse, () => socket.destroy());
    });
    const driver = drive(server.url, options);
    let captured = 0;
    for (let round = 0; round < 10; round++) {
      const { response, failure } = await driver.send(get('/', { method: 'PUT', body: { bytes, chunked } }));
      if (response) captured++;
      else expect(failure?.kind).toBe('closed');
    }
    if (manner === 'linger') expect(captured).toBe(10);
  });

  test('a request that is sent again pauses after each piece of its body', async () => {
    const size = 20_000;
    let lost = 0;
    let took = 0;
    const server = await serve((socket, head) => {
      if (head.startsWith('GET')) return socket.write(answer(200, ''));
      if (lost === 0) {
        lost = performance.now();
        return socket.destroy();
      }
      const answerAtEnd = () => {
        if (socket.bytesRead < size || took > 0) return;
        took = performance.now() - lost;
        socket.write(answer(200, ''));
      };
      socket.on('data', answerAtEnd);
      return answerAtEnd();
    });
    const driver = drive(server.url, options);
    // Only a server that has answered before may have closed an idle connection.
    await driver.send(get());
    const body = { bytes: Buffer.alloc(size, 0x20), chunked: true };
    const { response } = await driver.send(get('/', { method: 'PUT', body }));
    expect(response?.status).toBe(200);
    expect(took).toBeGreaterThan(15);
  });

  test('nothing read, nothing answered', async () => {
    const server = await serve((socket) => socket.destroy());
    const { failure } = await drive(server.url, options).send(
      get('/', { method: 'PUT', body: { bytes, chunked: true } }),
    );
    expect(failure?.kind).toBe('closed');
  });

  test('an early refusal over a connection kept alive does no harm to the next request', async () => {
    const server = await serve((socket) => {
      socket.write(answer(413, ''));
      socket.pause();
    });
    const driver = drive(server.url, options);
    await driver.send(get('/', { method: 'PUT', body: { bytes } }));
    expect((await driver.send(get())).response?.status).toBe(413);
  });
});
