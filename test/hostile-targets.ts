import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { answer, listen, type SocketServer } from './socket-server.ts';

/** What a hostile target does with a request: `number` counts its requests, from 1. */
type Behavior = (socket: Socket, number: number, head: string) => unknown;

const json = ['Content-Type: application/json'];
const head = (...fields: string[]) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
const say =
  (body: string, fields: readonly string[] = []): Behavior =>
  (socket) =>
    socket.write(answer(200, body, [...json, ...fields]));
const raw =
  (text: string): Behavior =>
  (socket) =>
    socket.write(text);
const status =
  (code: number, fields: readonly string[] = [], body = '{}'): Behavior =>
  (socket) =>
    socket.write(answer(code, body, [...json, ...fields]));
const bytes =
  (body: Buffer, ...fields: string[]): Behavior =>
  (socket) => {
    socket.write(head(`Content-Length: ${body.length}`, ...fields));
    socket.write(body);
  };
const list = (members: string, next = '') => `{"experiments":[${members}]${next && `,"next":${next}`}}`;
const endless =
  (make: (number: number) => string): Behavior =>
  (socket, number) =>
    socket.write(answer(200, make(number), json));

/** Writes this many bytes as fast as the client reads them. */
const pour =
  (start: string, block: Buffer, total = Number.POSITIVE_INFINITY): Behavior =>
  (socket) => {
    let left = total;
    const more = () => {
      while (left > 0 && !socket.destroyed) {
        left -= block.length;
        if (!socket.write(block)) return;
      }
    };
    socket.write(start);
    socket.on('drain', more);
    more();
  };
const block = Buffer.alloc(65_536, '[1,');
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = head('Transfer-Encoding: chunked');

const trickle =
  (start: string, piece: string): Behavior =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 40);
    socket.on('close', () => clearInterval(timer));
  };

const blanks = Buffer.alloc(50_000_000, 0x20);
const gzipped = gzipSync(blanks);
const brotli = brotliCompressSync(blanks.subarray(0, 20_000_000));
const deflated = deflateSync(blanks);
const twice = gzipSync(gzipped);
const million = 1_000_000;

/** The target of `redirects to another host`, which the suite must not follow. */
export const elsewhere = await listen((socket) => socket.end(answer(200, '{}')));

/** Targets that misbehave on real sockets, by their behavior. */
export const behaviors: Readonly<Record<string, Behavior>> = {
  // Time
  'hangs before the response': () => {},
  'hangs in the header fields': raw('HTTP/1.1 200 OK\r\nContent-Le'),
  'hangs after the header fields': raw(head('Content-Length: 5')),
  'hangs on every second request': (socket, number) =>
    number % 2 === 0 && socket.write(answer(200, list(''), json)),
  'takes its time': (socket) => setTimeout(() => socket.write(answer(200, list(''), json)), 100),
  'sends one byte at a time': trickle(head('Content-Length: 5000'), 'a'),
  'sends one header field at a time': trickle('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'),
  'sends 100 Continue for ever': trickle('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'sends 103 Early Hints for ever': trickle('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  'answers 429 for ever': status(429, ['Retry-After: 1']),
  'answers 429 for a day': status(429, ['Retry-After: 86400']),
  'answers 429 with times that are none': status(429, ['Retry-After: -1', 'X-RateLimit-Reset: 1e308']),
  'answers 503 for ever': status(503, ['Retry-After: 1']),
  'answers 503 until the year 9999': status(503, ['Retry-After: Fri, 31 Dec 9999 23:59:59 GMT']),
  // Connections
  'resets the connection after the header fields': (socket) =>
    socket.write(head('Content-Length: 500'), () => socket.resetAndDestroy()),
  'sends 1,000 responses': raw(answer(200, list(''), json).repeat(1_000)),
  'sends an unsolicited response': (socket) => {
    socket.write(answer(200, list(''), json));
    setTimeout(() => socket.write(answer(500, '{}', json)), 5);
  },
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes the connection': (socket) => socket.end(),
  'closes after half of the status line': (socket) => socket.end('HTTP/1.1 2'),
  'sends less than it promised': (socket) => socket.end(`${head('Content-Length: 500')}{}`),
  'sends more than it promised': raw(`${head('Content-Length: 2')}{}HTTP/1.1 200 OK\r\n`),
  'sends two responses': raw(`${answer(200, '{}', json)}${answer(500, '{}', json)}`),
  'says HTTP/1.0 and closes': (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n{}'),
  // HTTP
  'speaks no HTTP': (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'speaks TLS': (socket) => socket.end(Buffer.from('150301000202280a', 'hex')),
  'switches protocols': raw('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n'),
  'has status 999': raw('HTTP/1.1 999 X\r\nContent-Length: 2\r\n\r\n{}'),
  'has a status of its own each time': (socket, number) =>
    socket.write(answer(200 + ((number * 37) % 400), '{}', json)),
  'has a reason phrase of 16 KB': raw(`HTTP/1.1 200 ${'x'.repeat(16_000)}\r\nContent-Length: 2\r\n\r\n{}`),
  'has two lengths': raw(`${head('Content-Length: 1', 'Content-Length: 2')}ab`),
  'has a negative length': raw(`${head('Content-Length: -1')}ab`),
  'has a length and chunks': raw(`${head('Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`),
  'has a length of 20 digits': raw(`${head('Content-Length: 99999999999999999999')}{}`),
  'has a chunk of 16 hexadecimal digits': raw(`${chunked}ffffffffffffffff\r\n{}`),
  'has a chunk extension without an end': pour(`${chunked}2;`, Buffer.alloc(65_536, 'x')),
  'has 10,000 trailer fields': (socket) =>
    socket.write(`${chunked}${chunk('{}')}0\r\n${'X: y\r\n'.repeat(10_000)}\r\n`),
  'has a body without a status line': raw(list('')),
  'has a body after 204': raw(`HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}`),
  'has bad chunks': raw(`${chunked}zz\r\n`),
  'has chunk extensions of 4 MB': (socket) =>
    socket.write(`${chunked}2;${'x'.repeat(4 * million)}\r\n{}\r\n0\r\n\r\n`),
  'has huge trailer fields': (socket) =>
    socket.write(`${chunked}${chunk('{}')}0\r\nX: ${'x'.repeat(million)}\r\n\r\n`),
  'has a header field of 300 KB': raw(head(`X: ${'x'.repeat(300_000)}`, 'Content-Length: 2')),
  'has 24,000 header fields': (socket) =>
    socket.write(head(...Array.from({ length: 24_000 }, (_, index) => `x${index}: y`), 'Content-Length: 2')),
  'has 190 cookies': say(
    '{}',
    Array.from({ length: 190 }, (_, index) => `Set-Cookie: a${index}=b`),
  ),
  'redirects to itself': (socket, _number, request) =>
    socket.write(answer(308, '', [`Location: ${/ (\S+) /.exec(request)?.[1]}`])),
  'redirects to a fresh URL each time': (socket, number) =>
    socket.write(answer(303, '', [`Location: /api/v2/experimentation/experiments?n=${number}`])),
  'redirects to another host': (socket) =>
    socket.write(answer(307, '', [`Location: ${elsewhere.url}/api/v2/experimentation/experiments`])),
  'refuses every request at length': status(401, [`WWW-Authenticate: Bearer ${'x'.repeat(20_000)}`]),
  // Bodies
  'sends an endless body': pour(head(), block),
  'sends 100 MB of JSON': pour(head('Content-Length: 100000000'), block, 100_000_000),
  'sends 100 MB of JSON in chunks': pour(chunked, Buffer.from(chunk('1'.repeat(65_536))), 100_000_000),
  'sends 4 MB in pieces of one byte': pour(chunked, Buffer.from('1\r\n \r\n'.repeat(10_000)), 24 * million),
  'sends 4 MB of blanks': say(list('').padEnd(4 * million)),
  'sends 4 MB of escapes': say(JSON.stringify({ experiments: [{ id: '\u0001'.repeat(660_000) }] })),
  'sends a million empty objects': say(list(`${'{},'.repeat(million)}{}`)),
  'sends 120,000 numbers': say(list(`${'1,'.repeat(120_000)}1`)),
  'sends an experiment of 30,000 fields': say(
    list(`{${Array.from({ length: 30_000 }, (_, index) => `"f${index}":1`).join()}}`),
  ),
  'sends 30,000 experiments': say(
    list(Array.from({ length: 30_000 }, (_, id) => `{"id":"e${id}","name":""}`).join()),
  ),
  'sends JSON nested deeply': say('['.repeat(500_000)),
  'sends well-formed JSON nested deeply': say(list(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)),
  'sends JSON nested 99 levels': say(list(`${'['.repeat(97)}${']'.repeat(97)}`)),
  'sends a number of a million digits': say(list(`{"id":${'9'.repeat(million)}}`)),
  'sends __proto__': say(list('{"__proto__":{"id":"a"},"constructor":{"prototype":{}},"toString":1}')),
  'sends garbage for JSON': say('{"experiments": ['),
  'sends a page for people': (socket) =>
    socket.write(answer(200, '<script>alert(1)</script>', ['Content-Type: text/html'])),
  'sends invalid UTF-8': bytes(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
  'sends UTF-16': bytes(Buffer.from(`\uFEFF${list('')}`, 'utf16le')),
  'sends terminal escapes and workflow commands': say(
    list(JSON.stringify({ id: '\u001b[2J\r\n::add-mask::x\r\n##[error]y\u202e' })),
  ),
  // Codings
  'sends a gzip bomb': bytes(gzipped, 'Content-Encoding: gzip'),
  'sends a brotli bomb': bytes(brotli, 'Content-Encoding: br'),
  'sends a deflate bomb': bytes(deflated, 'Content-Encoding: deflate'),
  'sends a bomb within a bomb': bytes(twice, 'Content-Encoding: gzip, gzip'),
  'names 1,000 codings': say('{}', [`Content-Encoding: ${Array(1_000).fill('gzip').join()}`]),
  'sends plain text as gzip': say('{}', ['Content-Encoding: gzip']),
  // Listings
  'has a fresh id and a fresh next on each page': endless((number) =>
    list(`{"id":"e${number}"}`, `"n${number}"`),
  ),
  'has a fresh next of 15 KB on each page': endless((number) =>
    list(`{"id":"e${number}"}`, `"${`${number}`.padStart(15_000, 'n')}"`),
  ),
  'has 4 MB and a fresh next on each page': endless((number) =>
    list(`{"id":"e${number}","name":"${'x'.repeat(4 * million)}"}`, `"n${number}"`),
  ),
  'has 200 KB and a fresh next on each page': endless((number) =>
    list(`{"id":"e${number}","name":"${'x'.repeat(200_000)}"}`, `"n${number}"`),
  ),
  'has 16 KB of text and a fresh next on each page': endless((number) =>
    list(`{"id":"e${number}","name":"${'x'.repeat(16_000)}"}`, `"n${number}"`),
  ),
  'has 5,000 empty objects and a fresh next on each page': endless((number) =>
    list(`${'{},'.repeat(5_000)}{}`, `"n${number}"`),
  ),
  'has an experiment of 5,000 empty objects and a fresh next on each page': endless((number) =>
    list(`{"id":"e${number}","allocations":[${'{},'.repeat(5_000)}{}]}`, `"n${number}"`),
  ),
  'has 10,000 experiments and a fresh next on each page': endless((number) =>
    list(Array.from({ length: 10_000 }, (_, id) => `{"id":"${number}-${id}"}`).join(), `"n${number}"`),
  ),
  'has empty pages and a fresh next on each': endless((number) => list('', `"n${number}"`)),
  'has the same next on each page': say(list('{"id":"a"}', '"n"')),
  'has two pages that lead to each other': endless((number) => list('{"id":"a"}', `"n${number % 2}"`)),
  'has a next of 3.9 MB': say(list('', `"${'n'.repeat(3.9 * million)}"`)),
  'has a next of half a character': say(list('', '"\\ud800"')),
  'has a next with line breaks': say(list('', '"a\\r\\nX-Injected: b"')),
  'has a next that is not a text': say(list('', '{"a":[1]}')),
  'has a next that is a path': say(list('', '"../../../oauth/token?from=#"')),
  'sends 4 MB that look like tokens': say(
    JSON.stringify({ experiments: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIi.'.repeat(130_000) }),
  ),
  'has a listing of 3.9 MB': (socket, _number, request) => {
    const page = Number(/from=n(\d+)/.exec(request)?.[1] ?? 0);
    const experiment = `{"id":"e${page}","allocations":[${'{},'.repeat(5_000)}{}]}`;
    socket.write(answer(200, list(experiment, page < 250 ? `"n${page + 1}"` : ''), json));
  },
  'has an id of 1 MB': say(list(`{"id":"${'i'.repeat(million)}"}`)),
};

/** A server that misbehaves. */
export interface HostileServer extends SocketServer {
  /** How often it has misbehaved so far. */
  misbehaved: number;
}

/** Starts a server that responds correctly to this many requests and then misbehaves. */
export async function startHostile(name: string, goodRequests: number): Promise<HostileServer> {
  let seen = 0;
  const server = await listen((socket, request) => {
    seen += 1;
    if (seen <= goodRequests) socket.write(answer(200, list('{"id":"e1","name":"a"}'), json));
    else {
      hostile.misbehaved += 1;
      behaviors[name]?.(socket, seen, request);
    }
  });
  // The same object, because `listen` counts its connections.
  const hostile = Object.assign(server, { misbehaved: 0 });
  return hostile;
}
