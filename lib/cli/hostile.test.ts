import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../test/child-process.ts';
import { answer, listen, type SocketServer } from '../../test/socket-server.ts';
import { loadContract } from '../contract/load.ts';
import { parseReportText } from '../report/parse.ts';
import type { Report } from '../report/report.ts';
import { exitCode } from '../report/summary.ts';
import type { ConformanceOptions } from './library-options.ts';
import { runConformance } from './run.ts';

/** Targets that misbehave on real sockets: the run ends soon, the verdict is honest, there is a report. */

const open: SocketServer[] = [];
afterAll(async () => {
  for (const each of open) await each.close();
});

/** Another host, to which nobody may be led. */
let elsewhere: SocketServer;
beforeAll(async () => {
  elsewhere = await listen((socket) => socket.end(answer(200, '{}')));
});
afterAll(() => elsewhere.close());

type Behaviour = (socket: Socket) => void;

const json = ['Content-Type: application/json'];
const head = (...fields: string[]) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${fields.join('\r\n')}\r\n\r\n`;

/** Writes as fast as it is read, so many bytes. */
function pour(socket: Socket, bytes: number): void {
  const block = Buffer.alloc(65_536, '[1,');
  let left = bytes;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= block.length;
      if (!socket.write(block)) return;
    }
  };
  socket.on('drain', more);
  more();
}

const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));

const behaviours: Readonly<Record<string, Behaviour>> = {
  'hangs before the answer': () => {},
  'hangs in the header fields': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Le'),
  'hangs after the header fields': (socket) => socket.write(head('Content-Length: 5')),
  'sends one byte at a time': (socket) => {
    socket.write(head('Content-Length: 5000'));
    const timer = setInterval(() => socket.write('a'), 40);
    socket.on('close', () => clearInterval(timer));
  },
  'sends an endless body': (socket) => {
    socket.write(head());
    pour(socket, Number.POSITIVE_INFINITY);
  },
  'sends less than it promised': (socket) => socket.end(`${head('Content-Length: 500')}{}`),
  'sends more than it promised': (socket) =>
    socket.write(`${head('Content-Length: 2')}{}HTTP/1.1 200 OK\r\n`),
  'sends garbage for JSON': (socket) => socket.write(answer(200, '{"experiments": [', json)),
  'sends 100 MB of JSON': (socket) => {
    socket.write(head('Content-Length: 100000000'));
    pour(socket, 100_000_000);
  },
  'sends 100 MB of JSON in chunks': (socket) => {
    socket.write(head('Transfer-Encoding: chunked'));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, '1'), Buffer.from('\r\n')]);
    let left = 1600;
    const more = () => {
      while (left-- > 0 && !socket.destroyed) if (!socket.write(chunk)) return;
    };
    socket.on('drain', more);
    more();
  },
  'sends JSON nested deeply': (socket) => socket.write(answer(200, '['.repeat(500_000), json)),
  'sends well-formed JSON nested deeply': (socket) =>
    socket.write(answer(200, `{"experiments":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, json)),
  'sends invalid UTF-8': (socket) => {
    socket.write(head('Content-Length: 4'));
    socket.write(Buffer.from([0x22, 0xff, 0xfe, 0x22]));
  },
  'redirects to another host': (socket) =>
    socket.write(answer(307, '', [`Location: ${elsewhere.url}/api/v2/experimentation/experiments`])),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'speaks no HTTP': (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'answers 429 for ever': (socket) => socket.write(answer(429, '{}', [...json, 'Retry-After: 1'])),
  'answers 429 for a day': (socket) => socket.write(answer(429, '{}', [...json, 'Retry-After: 86400'])),
  'answers 503 for ever': (socket) => socket.write(answer(503, '{}', [...json, 'Retry-After: 1'])),
  'sends a compressed bomb': (socket) => {
    socket.write(head('Content-Encoding: gzip', `Content-Length: ${bomb.length}`));
    socket.write(bomb);
  },
};

/** Small bounds, so that a test is quick; everything else as usual. */
const bounded: ConformanceOptions = {
  contract: await loadContract(),
  timeout: 150,
  only: ['4.2/take-maximum', '4.2/take-minimum', '4.2/status-accepted', '5.1/valid-token'],
  runs: 2,
  seed: 1,
  token: 'opaque-token-of-the-run',
  limits: { waitMs: 1200, totalWaitMs: 1200 },
};

/** Longest run of a test, in milliseconds, on a busy machine: a target that is gone is waited for, for up to 30 seconds. */
const longest = 50_000;

/** A server that reads well for so many requests, and then behaves so. */
async function serve(behave: Behaviour, goodRequests: number): Promise<SocketServer> {
  let seen = 0;
  const server = await listen((socket) => {
    seen += 1;
    if (seen <= goodRequests) socket.write(answer(200, '{"experiments":[]}', json));
    else behave(socket);
  });
  open.push(server);
  return server;
}

function expectHonest(report: Report): void {
  const { stated } = report.summary;
  expect(report.verdict).not.toBe('conforms');
  expect([1, 3]).toContain(exitCode(report));
  expect(stated.passed + stated.failed + stated.error + stated.not_judged).toBeGreaterThan(3);
  // What is broken is the target; the suite itself breaks nowhere.
  const reasons = report.requirements.map(({ reason = '' }) => reason).join('\n');
  expect(reasons + (report.run.ended_early ?? '')).not.toMatch(
    /TypeError|RangeError|undefined|of the suite itself/,
  );
}

const names = Object.keys(behaviours);

test.concurrent.each(names)('a target that %s from the start', async (name) => {
  const server = await serve(behaviours[name] ?? (() => {}), 0);
  const began = performance.now();
  const report = await runConformance({ baseUrl: `${server.url}/api/v2`, ...bounded });
  expect(performance.now() - began).toBeLessThan(longest);
  expectHonest(report);
});

test.concurrent.each(names)('a target that %s half-way', async (name) => {
  const server = await serve(behaviours[name] ?? (() => {}), 5);
  const began = performance.now();
  const report = await runConformance({ baseUrl: `${server.url}/api/v2`, ...bounded });
  expect(performance.now() - began).toBeLessThan(longest);
  expectHonest(report);
});

test('no token is ever led to another host', () => {
  expect(elsewhere.connections).toBe(0);
});

/** Much of the suite. Against a good server it takes up to 460 MB, when tsx has to compile everything. */
const selected = ['4.2/take*', '4.4', '5.1'].flatMap((each) => ['--only', each]);

/** Prints at its end the most memory that a process ever had, in kilobytes. */
const watched = `data:text/javascript,process.on('exit',()=>process.stderr.write('maxrss '+process.resourceUsage().maxRSS))`;

test.concurrent.each([
  ['sends 100 MB of JSON in chunks', behaviours['sends 100 MB of JSON in chunks']],
  ['sends a compressed bomb', behaviours['sends a compressed bomb']],
  ['dies half-way', 'dies'],
] as const)(
  'the command against a target that %s: little memory, an honest exit code, every report',
  async (_, behave) => {
    const server = await serve(typeof behave === 'function' ? behave : (socket) => void socket.destroy(), 10);
    if (behave === 'dies') void setTimeout(() => server.close(), 3000);
    const reportDir = mkdtempSync(join(tmpdir(), 'hostile-'));
    const args = [
      '--base-url',
      `${server.url}/api/v2`,
      '--timeout',
      '500',
      '--runs',
      '2',
      '--seed',
      '1',
      ...selected,
    ];
    const given = { CONFORMANCE_TOKEN: 'opaque-token-of-the-run', NODE_OPTIONS: `--import "${watched}"` };
    const { code, stderr } = await runCli([...args, '--report-dir', reportDir], given);
    const report = parseReportText(readFileSync(join(reportDir, 'report.json'), 'utf8'));
    expectHonest(report);
    expect([1, 3]).toContain(code);
    for (const name of ['junit.xml', 'index.html', 'summary.md', 'exchanges.har'])
      expect(existsSync(join(reportDir, name))).toBe(true);
    // What is not bounded takes more than a gigabyte: bodies of 50 or 100 MB, 16 at a time.
    expect(Number(/maxrss (\d+)/.exec(stderr)?.[1])).toBeLessThan(600_000);
  },
  60_000,
);
