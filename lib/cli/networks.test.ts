import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { createSecureServer } from 'node:http2';
import * as https from 'node:https';
import { connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { cert, key } from '../../test/loopback-certificate.ts';
import { type Fake, startFake } from '../fake/index.ts';
import { parseReportText } from '../report/parse.ts';

/** Networks between the command and its target, each for real on loopback: a gateway of this test's own before a fake. */

const folder = mkdtempSync(join(tmpdir(), 'networks-'));
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
const open: (() => unknown)[] = [];
let fake: Fake;
let token = '';
/** What the gateways have seen. */
let seen: { version: string; header: string | undefined; url: string | undefined }[] = [];

beforeAll(async () => {
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  fake = await startFake();
  token = await fake.token();
});
afterAll(async () => {
  for (const close of open) await close();
  await fake.close();
});

/** Passes on to the fake, below another base path. */
const gateway =
  (base: string): RequestListener =>
  (incoming: IncomingMessage, response: ServerResponse) => {
    const header = incoming.headers['x-api-key'];
    seen.push({ version: incoming.httpVersion, header: header?.toString(), url: incoming.url });
    const path = (incoming.url ?? '').replace(base, '/api/v2');
    const { authorization, 'content-type': type } = incoming.headers;
    const headers = { ...(authorization && { authorization }), ...(type && { 'content-type': type }) };
    const onward = request(fake.origin + path, { method: incoming.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, {
        'content-type': answer.headers['content-type'] ?? 'text/plain',
      });
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  };

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const secure = (base: string, options: https.ServerOptions = {}) =>
  https.createServer({ cert, key, ...options }, gateway(base));

/** Judges little through the network. */
async function judge(
  baseUrl: string,
  args: readonly string[] = [],
  environment: Record<string, string> = {},
) {
  seen = [];
  const reportDir = mkdtempSync(join(folder, 'report-'));
  const given = [
    '--base-url',
    baseUrl,
    '--only',
    '5.1/valid-token',
    '--only',
    '4.2/status-accepted',
    ...args,
  ];
  const environmentWithToken = { CONFORMANCE_TOKEN: token, ...environment };
  const { code, stderr } = await runHere(
    [...given, '--seed', '1', '--report-dir', reportDir],
    environmentWithToken,
  );
  const report = parseReportText(readFileSync(join(reportDir, 'report.json'), 'utf8'));
  const passed = report.requirements.filter(({ verdict }) => verdict === 'passed').length;
  return { code, passed, stderr, report };
}

test('a certificate that is not trusted is named, with the flags that help; --ca and --insecure do', async () => {
  const baseUrl = `https://localhost:${await listen(secure('/api/v2'))}/api/v2`;
  const refused = await judge(baseUrl);
  expect(refused).toMatchObject({ code: 3, passed: 0 });
  expect(refused.report.run.ended_early).toMatch(/certificate is not trusted: .*--ca FILE.*--insecure/);
  expect(await judge(baseUrl, ['--ca', certFile])).toMatchObject({ code: 0, passed: 2 });
  expect(await judge(baseUrl, ['--insecure'])).toMatchObject({ code: 0, passed: 2 });
});

test('a client certificate', async () => {
  const port = await listen(secure('/api/v2', { requestCert: true, rejectUnauthorized: true, ca: cert }));
  const baseUrl = `https://localhost:${port}/api/v2`;
  const given = ['--ca', certFile, '--cert', certFile, '--key', keyFile];
  expect(await judge(baseUrl, given)).toMatchObject({ code: 0, passed: 2 });
  expect(await judge(baseUrl, ['--ca', certFile])).toMatchObject({ code: 3, passed: 0 });
});

test('a proxy by HTTPS_PROXY, and none by NO_PROXY', async () => {
  const port = await listen(secure('/api/v2'));
  const requested: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    requested.push(incoming.url ?? '');
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    open.push(() => upstream.destroy());
  });
  const HTTPS_PROXY = `http://127.0.0.1:${await listen(proxy)}`;
  const baseUrl = `https://tenant.example:${port}/api/v2`;
  expect(await judge(baseUrl, ['--ca', certFile], { HTTPS_PROXY })).toMatchObject({ code: 0, passed: 2 });
  expect(new Set(requested)).toEqual(new Set([`tenant.example:${port}`]));
  const direct = await judge(baseUrl, ['--ca', certFile, '--timeout', '2000'], {
    HTTPS_PROXY,
    NO_PROXY: '.example',
  });
  expect(direct).toMatchObject({ code: 3, passed: 0 });
});

test('the proxy of a failure is named', async () => {
  const environment = { HTTP_PROXY: 'http://127.0.0.1:9' };
  const { code, report } = await judge('http://tenant.example/api/v2', [], environment);
  expect(code).toBe(3);
  expect(report.run.ended_early).toMatch(/ECONNREFUSED.* through the proxy 127\.0\.0\.1:9; /);
});

test('IPv6, another base path, and extra headers that stand in no report', async () => {
  const port = await listen(createServer(gateway('/eu/tenant-7')), '::1');
  const { code, passed, report } = await judge(`http://[::1]:${port}/eu/tenant-7/`, [
    '--header',
    'X-Api-Key: key-of-mine',
  ]);
  expect({ code, passed }).toEqual({ code: 0, passed: 2 });
  expect(seen.length).toBeGreaterThan(5);
  expect(seen.every(({ header, url }) => header === 'key-of-mine' && url?.startsWith('/eu/tenant-7/'))).toBe(
    true,
  );
  expect(JSON.stringify(report)).not.toContain('key-of-mine');
});

test('HTTP/2 if the server offers it', async () => {
  const versions: string[] = [];
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (incoming, response) => {
    versions.push(incoming.httpVersion);
    const { authorization } = incoming.headers;
    const onward = request(
      fake.origin + incoming.url,
      { headers: { ...(authorization && { authorization }) } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, {
          'content-type': answer.headers['content-type'] ?? '',
        });
        answer.on('data', (part: Buffer) => response.write(part)).on('end', () => response.end());
      },
    );
    onward.end();
  });
  const baseUrl = `https://localhost:${await listen(server)}/api/v2`;
  expect(await judge(baseUrl, ['--ca', certFile, '--http2', '--read-only'])).toMatchObject({ code: 0 });
  expect(new Set(versions)).toEqual(new Set(['2.0']));
  versions.length = 0;
  await judge(baseUrl, ['--ca', certFile, '--read-only']);
  expect(new Set(versions)).toEqual(new Set(['1.1']));
});
