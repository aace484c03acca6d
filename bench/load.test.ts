import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { answerReader, load } from './load.ts';

const body = 'x'.repeat(40);
const withLength = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const inChunks = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n${body}\r\n0\r\n\r\n`;
const empty = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

describe.each([
  ['a length', withLength],
  ['chunks', inChunks],
  ['one empty chunk', empty],
])('an answer whose end is told by %s', (_, answer) => {
  test.each([1, 7, answer.length - 1, answer.length])('ends with its last byte, in pieces of %i', (size) => {
    const isWhole = answerReader();
    const pieces = answer.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    const found = pieces.map((piece) => isWhole(Buffer.from(piece)));
    expect(found).toEqual(pieces.map((_piece, index) => index === pieces.length - 1));
  });
});

test('an answer other than 200 is no answer', () => {
  expect(() => answerReader()(Buffer.from('HTTP/1.1 401 Unauthorized\r\n\r\n'))).toThrow('HTTP/1.1 401');
});

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

test('every answer is counted, and each thing is asked for in its turn', async () => {
  const asked: string[] = [];
  const origin = await serve((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.end(body);
  });
  const urls = [`${origin}/one?a=b`, `${origin}/two`];
  // However late it is, a connection asks once.
  const { requests } = await load({ urls, token: 'abc', connections: 3, seconds: 0 });
  expect(requests).toBe(3);
  expect(asked.sort()).toEqual(['/one?a=b Bearer abc', '/one?a=b Bearer abc', '/two Bearer abc']);
});

test('a connection asks again until the time is over', async () => {
  let asked = 0;
  const origin = await serve((_, response) => {
    asked += 1;
    response.end(body);
  });
  const { requests, seconds } = await load({ urls: [origin], token: 'abc', connections: 1, seconds: 0.2 });
  expect(requests).toBe(asked);
  expect(seconds).toBeGreaterThanOrEqual(0.2);
});

test('a refusal ends the measurement', async () => {
  const origin = await serve((_, response) => response.writeHead(403).end());
  const asked = { urls: [`${origin}/`], token: 'abc', connections: 2, seconds: 5 };
  await expect(load(asked)).rejects.toThrow('HTTP/1.1 403');
});
