import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import * as https from 'node:https';
import { connect, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { cert, key } from '../../test/loopback-certificate.ts';
import { Driver, type DriverOptions } from './driver.ts';
import { proxyFor } from './proxy.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function tenant(options: https.ServerOptions = {}): Promise<number> {
  return listen(
    https.createServer({ cert, key, ...options }, (request, response) => response.end(request.url)),
  );
}

function drive(baseUrl: string, options: Partial<DriverOptions> = {}): Driver {
  const driver = new Driver({ baseUrl, timeout: 2000, environment: {}, ...options });
  open.push(() => driver.close());
  return driver;
}

const request = { operation: undefined, method: 'GET', target: '/a' } as const;

describe('TLS', () => {
  test('a certificate of no trusted authority', async () => {
    const port = await tenant();
    const { failure } = await drive(`https://127.0.0.1:${port}`).send(request);
    expect(failure?.kind).toBe('tls');
    expect(failure?.message).toMatch(/self-signed|DEPTH_ZERO/);
  });

  test.each([
    ['--ca', { ca: cert }],
    ['--insecure', { insecure: true }],
  ])('%s', async (_, options) => {
    const port = await tenant();
    const driver = drive(`https://localhost:${port}/base`, options);
    expect((await driver.send(request)).response?.text).toBe('/base/a');
    expect((await driver.send(request)).response?.text).toBe('/base/a');
  });

  test('a client certificate', async () => {
    const port = await tenant({ requestCert: true, rejectUnauthorized: true, ca: cert });
    const url = `https://localhost:${port}`;
    expect((await drive(url, { ca: cert, cert, key }).send(request)).response?.status).toBe(200);
    const { response, failure } = await drive(url, { ca: cert }).send(request);
    expect(response).toBeUndefined();
    expect(['tls', 'closed']).toContain(failure?.kind);
  });

  test('a server that supports TLS 1.0 only', async () => {
    const port = await tenant({ minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' });
    const { failure } = await drive(`https://localhost:${port}`, { ca: cert }).send(request);
    expect(failure).toEqual({
      kind: 'tls',
      message: expect.stringContaining('the server supports no TLS version from 1.2 on'),
    });
  });

  test('https spoken to a server of http, and the other way round', async () => {
    const plain = await listen(createServer((_, response) => response.end()));
    expect((await drive(`https://127.0.0.1:${plain}`, { insecure: true }).send(request)).failure?.kind).toBe(
      'tls',
    );
    const secure = await tenant();
    const { response, failure } = await drive(`http://127.0.0.1:${secure}`).send(request);
    expect(response?.status === 400 || failure?.kind === 'closed' || failure?.kind === 'malformed').toBe(
      true,
    );
  });

  test('HTTP/2 if it is wanted and offered', async () => {
    const versions: string[] = [];
    const server = createSecureServer({ cert, key, allowHTTP1: true }, (incoming, response) => {
      versions.push(incoming.httpVersion);
      incoming.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json', 'x-a': ['1', '2'] });
        response.end(JSON.stringify({ url: incoming.url }));
      });
    });
    const url = `https://localhost:${await listen(server)}`;
    const driver = drive(url, { ca: cert, http2: true });
    const target = '/a%2Fb/?x=&y=%20';
    const { response, failure } = await driver.send({ ...request, target });
    expect(failure).toBeUndefined();
    expect(response?.json).toEqual({ url: target });
    expect(response?.header('x-a')).toBe('1, 2');
    const body = { bytes: Buffer.alloc(1_000_000, 0x20), mediaType: 'application/json', chunked: true };
    expect((await driver.send({ ...request, method: 'PUT', body })).response?.status).toBe(200);
    await drive(url, { ca: cert }).send(request);
    expect(versions).toEqual(['2.0', '2.0', '1.1']);
    // A body with another method falls back to HTTP/1.1, and does not keep the next request waiting.
    for (const each of [{ ...request, body }, request]) await driver.send(each);
    expect(versions.slice(3)).toEqual(['1.1', '2.0']);
  });
});

describe('proxies', () => {
  /** A proxy that takes every name for 127.0.0.1, and keeps what it was asked. */
  async function proxy(): Promise<{ url: string; requests: string[] }> {
    const requests: string[] = [];
    const server = createServer((incoming, response) => {
      requests.push(
        `${incoming.method} ${incoming.url} ${incoming.headers.host} ${incoming.headers['proxy-authorization']}`,
      );
      response.end('by proxy');
    });
    server.on('connect', (incoming, socket: Socket) => {
      requests.push(`CONNECT ${incoming.url} ${incoming.headers['proxy-authorization']}`);
      const port = Number(incoming.url?.split(':').at(-1));
      if (port === 1) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      open.push(async () => upstream.destroy());
      return undefined;
    });
    const url = `http://user:pass%20word@127.0.0.1:${await listen(server)}`;
    return { url, requests };
  }
  const credentials = `Basic ${Buffer.from('user:pass word').toString('base64')}`;

  test('https goes through a tunnel, checked end to end', async () => {
    const port = await tenant();
    const { url, requests } = await proxy();
    const environment = { HTTPS_PROXY: url };
    const driver = drive(`https://tenant.example:${port}/api`, { ca: cert, environment });
    expect((await driver.send(request)).response?.text).toBe('/api/a');
    expect((await driver.send(request)).response?.text).toBe('/api/a');
    expect(new Set(requests)).toEqual(new Set([`CONNECT tenant.example:${port} ${credentials}`]));
    const untrusted = drive(`https://tenant.example:${port}`, { environment });
    expect((await untrusted.send(request)).failure?.kind).toBe('tls');
  });

  test('http goes in absolute form, exactly as stated', async () => {
    const { url, requests } = await proxy();
    const driver = drive('http://tenant.example/api', { environment: { http_proxy: url } });
    expect((await driver.send({ ...request, target: '/..%2f/?a=' })).response?.text).toBe('by proxy');
    expect(requests).toEqual([`GET http://tenant.example/api/..%2f/?a= tenant.example ${credentials}`]);
  });

  test('a proxy that refuses, or is not there', async () => {
    const { url } = await proxy();
    const refused = await drive('https://tenant.example:1', { environment: { https_proxy: url } }).send(
      request,
    );
    expect(refused.failure).toEqual({
      kind: 'refused',
      message: expect.stringMatching(/^proxy 127\.0\.0\.1:\d+: answered 403 \(PROXY_REFUSED\)$/),
    });
    const absent = await drive('https://tenant.example', {
      environment: { https_proxy: 'http://127.0.0.1:1' },
    });
    expect((await absent.send(request)).failure).toEqual({
      kind: 'refused',
      message: expect.stringContaining('proxy 127.0.0.1:1: '),
    });
  });

  test('credentials that are not well-formed', async () => {
    const server = await proxy();
    const url = server.url.replace('pass%20word', 'p%zz');
    const driver = drive('http://tenant.example', { environment: { http_proxy: url } });
    expect((await driver.send(request)).response?.text).toBe('by proxy');
    expect(server.requests[0]).toContain(`Basic ${Buffer.from('user:p%zz').toString('base64')}`);
  });

  test('who is proxied', () => {
    const by = (origin: string, no_proxy: string) =>
      proxyFor(origin, { https_proxy: 'proxy:3128', HTTP_PROXY: 'http://plain', no_proxy })?.host;
    expect(by('https://a.example', '')).toBe('proxy:3128');
    expect(by('http://a.example', '')).toBe('plain');
    for (const list of ['*', 'example', '.example', '*.example', 'x, a.example', 'a.example:443']) {
      expect(by('https://a.example', list), list).toBeUndefined();
    }
    for (const list of ['b.example', 'a.example:80', 'ample', 'xa.example']) {
      expect(by('https://a.example', list), list).toBe('proxy:3128');
    }
    for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', '[::1]'])
      expect(by(`https://${host}:8080`, '')).toBeUndefined();
    expect(() => proxyFor('http://a', { http_proxy: 'socks5://x' })).toThrow(
      'HTTP_PROXY is not an http or https URL',
    );
  });
});
