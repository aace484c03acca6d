import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import ky from 'ky';
import createOpenApiClient from 'openapi-fetch';
import { Agent, request } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startFake as startPackagedFake } from '../index.ts';
import { type Fake, type FakeOptions, intercept, override, startFake } from './index.ts';

/** How tests of clients use the fake. */

const experiments = '/api/v2/experimentation/experiments';
const fakes: Fake[] = [];

async function fakeOf(options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake(options);
  fakes.push(fake);
  return fake;
}

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(fakes.splice(0).map((fake) => fake.close()));
});

async function status(fake: Fake, path = experiments, init: RequestInit = {}): Promise<number> {
  const headers = { authorization: `Bearer ${await fake.token()}`, ...init.headers };
  return (await fake.fetch(path, { ...init, headers })).status;
}

async function raw(fake: Fake, request: string): Promise<string> {
  const socket = fake.connect();
  socket.write(request);
  return text(socket);
}

describe('failNext', () => {
  test('counts, by operation, and only what it names', async () => {
    const fake = await fakeOf();
    fake.failNext({ operation: 'listExperiments', times: 2, status: 500 });
    expect(await status(fake, '/api/v2/nowhere')).toBe(404);
    expect([await status(fake), await status(fake), await status(fake)]).toEqual([500, 500, 200]);
  });

  test('fails before the effect or after it', async () => {
    const fake = await fakeOf();
    const [first, second] = fake.dataSet.rate_limit_policies.filter(({ id }) => /^\w+$/.test(id));
    const contains = (id = '') => fake.dataSet.rate_limit_policies.some((policy) => policy.id === id);
    const remove = (id = '') => status(fake, `/api/v2/rate-limit-policies/${id}`, { method: 'DELETE' });
    fake.failNext();
    expect(await remove(first?.id)).toBe(503);
    expect(contains(first?.id)).toBe(true);
    fake.failNext({ before: false });
    expect(await remove(second?.id)).toBe(503);
    expect(contains(second?.id)).toBe(false);
  });

  test('closes the connection, delays, fails the token endpoint', async () => {
    const fake = await fakeOf();
    fake.failNext({ close: true });
    await expect(status(fake)).rejects.toThrow('fetch failed');
    fake.failNext({ operation: 'token', status: 429, headers: { 'Retry-After': '3' }, delayMs: 1 });
    expect(await status(fake)).toBe(200);
    const response = await fake.fetch('/oauth/token', { method: 'POST' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
  });
});

test('use() takes faults and rules, and takes back only what it brought', async () => {
  const fake = await fakeOf({ rules: (rules) => override(rules, 'paging', { maximum: () => 3 }) });
  const refuseAll = {
    rules: (rules: Parameters<typeof override>[0]) => override(rules, 'rate', { retryAfter: () => 1 }),
  };
  fake.use(refuseAll);
  expect(await status(fake)).toBe(429);
  fake.use();
  expect(await status(fake, `${experiments}?take=3`)).toBe(200);
  expect(await status(fake, `${experiments}?take=4`)).toBe(400);
});

test('use() knows the faults and variants of the package by name', async () => {
  await using fake = await startPackagedFake();
  fake.use('take-maximum-51');
  expect(await status(fake, `${experiments}?take=51`)).toBe(200);
  fake.use();
  expect(await status(fake, `${experiments}?take=51`)).toBe(400);
  const wrong: unknown = {};
  for (const change of ['take-maximum-5', wrong as string])
    expect(() => fake.use(change)).toThrow('is not a fault, the name of one, or a change of the rules');
});

test('reset() puts everything back, clear() empties the requests', async () => {
  const fake = await fakeOf();
  const before = fake.dataSet;
  const [policy] = before.rate_limit_policies;
  const headers = { 'x-correlation-id': 'a' };
  await status(fake, `/api/v2/rate-limit-policies/${policy?.id}`, { method: 'DELETE', headers });
  fake.clock.move(60);
  fake.use((rules) => override(rules, 'rate', { retryAfter: () => 1 }));
  fake.failNext();
  expect([fake.logs.length, fake.requests.length]).toEqual([1, 1]);
  fake.reset();
  expect(fake.dataSet).toEqual(before);
  expect([fake.logs, fake.requests, fake.clock.offsetSeconds]).toEqual([[], [], 0]);
  expect(await status(fake)).toBe(200);
  fake.clear();
  expect(fake.requests).toEqual([]);
});

describe('recorded requests', () => {
  test('have times, operation, claims and the response, and no secret', async () => {
    const fake = await fakeOf();
    fake.clock.move(3600);
    const [client] = fake.clients;
    const grant = {
      grant_type: 'client_credentials',
      client_id: client?.client_id ?? '',
      client_secret: client?.client_secret ?? '',
      audience: '/api/v2/',
    };
    await fake.fetch('/oauth/token', { method: 'POST', body: new URLSearchParams(grant) });
    const json = { 'content-type': 'application/json' };
    await fake.fetch('/oauth/token', { method: 'POST', headers: json, body: JSON.stringify(grant) });
    const basic = Buffer.from(`${grant.client_id}:${grant.client_secret}`).toString('base64');
    await fake.fetch(experiments, { headers: { authorization: `Basic ${basic}` } });
    const recorded = fake.requests;
    expect(recorded.map(({ operation, response }) => [operation, response.status])).toEqual([
      ['token', 200],
      ['token', 200],
      ['listExperiments', 401],
    ]);
    expect(Date.parse(recorded[0]?.time ?? '') - Date.parse(recorded[0]?.realTime ?? '')).toBeGreaterThan(
      3_500_000,
    );
    expect(JSON.parse(recorded[1]?.body ?? '')).toEqual({ ...grant, client_secret: '[redacted]' });
    for (const secret of [grant.client_secret, basic, 'eyJ']) {
      expect(JSON.stringify(recorded)).not.toContain(secret);
    }
  });

  test('say when a body was cut', async () => {
    const fake = await fakeOf();
    const body = JSON.stringify({ enrollment_message: 'a'.repeat(100_000), verification_message: '' });
    const headers = { 'content-type': 'application/json' };
    await status(fake, '/api/v2/guardian/factors/phone/templates', { method: 'PUT', headers, body });
    await status(fake);
    const [large, small] = fake.requests;
    expect([large?.bodyTruncated, large?.body.length, large?.response.bodyTruncated]).toEqual([
      true,
      65_536,
      true,
    ]);
    expect([small?.bodyTruncated, small?.response.bodyTruncated]).toEqual([false, false]);
  });

  test('are waited for, with fake timers too', async () => {
    vi.useFakeTimers();
    const fake = await fakeOf();
    const waited = fake.waitForRequest(({ target }) => target.includes('take=7'));
    await status(fake, `${experiments}?take=6`);
    await status(fake, `${experiments}?take=7`);
    expect((await waited).status).toBe(200);
    expect((await fake.waitForRequest(({ target }) => target.includes('take=6'))).status).toBe(200);
    await expect(fake.waitForRequest(() => false, { timeout: 1 })).rejects.toThrow('within 1 ms');
    fake.clear();
    const failed = fake.waitForRequest(({ target }) => JSON.parse(target)).catch(String);
    expect(await status(fake)).toBe(200);
    expect(await failed).toContain('SyntaxError');
  });
});

test('the clock is its own, or that of Date', async () => {
  const [own, date] = [await fakeOf(), await fakeOf({ clock: 'Date' })];
  const real = Date.now();
  vi.useFakeTimers({ now: 86_400_000 });
  expect(own.clock.now()).toBeGreaterThanOrEqual(real);
  expect(date.clock.now()).toBe(86_400_000);
});

test('the rate limit follows the clock of the fake and is announced', async () => {
  const fake = await fakeOf({ rateLimit: { requests: 2, seconds: 60 } });
  const ask = async () => {
    const { status, headers } = await fake.fetch(experiments);
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'];
    return [status, ...names.map((name) => headers.get(name))];
  };
  expect([await ask(), await ask()]).toEqual([
    [401, '2', '1', null],
    [401, '2', '0', null],
  ]);
  expect(await ask()).toEqual([429, '2', '0', expect.stringMatching(/^(59|60)$/)]);
  fake.clock.move(61);
  expect(await ask()).toEqual([401, '2', '1', null]);
});

describe('connections', () => {
  test('several fakes at once, one a host; the platform is as before in the end', async () => {
    const [one, other] = [await fakeOf(), await fakeOf()];
    const before = [net.Socket.prototype.connect, tls.connect];
    {
      await using _one = intercept(one, { host: 'https://one.example' });
      await using _other = intercept(other, { host: 'other.example:8443' });
      await fetch(`https://one.example${experiments}`);
      await fetch(`https://other.example:8443${experiments}`);
      expect([one.requests.length, other.requests.length]).toEqual([1, 1]);
    }
    expect([net.Socket.prototype.connect, tls.connect]).toEqual(before);
    expect(one.requests[0]?.headers.host).toBe('one.example');
  });

  test('a kept connection ends with the interception', async () => {
    const fake = await fakeOf();
    const interception = intercept(fake, { host: '127.0.0.1', others: 'refuse' });
    const socket = net.connect({ host: '127.0.0.1', port: 1 });
    await once(socket, 'connect');
    interception.close();
    await once(socket, 'close');
    const late = net.connect({ host: '127.0.0.1', port: 1 });
    await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  test('fake.fetch serves clients that take a fetch function', async () => {
    const fake = await fakeOf();
    const headers = { authorization: `Bearer ${await fake.token()}` };
    const url = `https://tenant.example${experiments}`;
    expect(await ky(url, { fetch: fake.fetch, headers }).json()).toHaveProperty('experiments');
    const client = createOpenApiClient<Record<string, { get: { responses: never } }>>({
      fetch: fake.fetch,
      baseUrl: 'https://t',
    });
    expect((await client.GET(experiments, { headers })).response.status).toBe(200);
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(fake.fetch(url, { signal: aborted })).rejects.toThrow('enough');
    await fake.close();
    await expect(fake.fetch(url)).rejects.toThrow('closed');
    expect(() => fake.connect()).toThrow('closed');
  });

  test('TLS with a certificate for localhost, which clients must trust', async () => {
    const fake = await fakeOf({ tls: true });
    const { port } = new URL(fake.origin);
    const headers = { authorization: `Bearer ${await fake.token()}` };
    const dispatcher = new Agent({ connect: { ca: fake.certificate ?? '' } });
    for (const origin of [fake.origin, `https://localhost:${port}`]) {
      const response = await request(origin + experiments, { headers, dispatcher });
      expect([response.statusCode, await response.body.text()]).toEqual([
        200,
        expect.stringContaining('"id"'),
      ]);
    }
    await dispatcher.close();
    await expect(fetch(fake.origin)).rejects.toThrow('fetch failed');
    await using _interception = intercept(fake, { host: 'tenant.example' });
    for (const protocol of ['http', 'https'])
      expect((await fetch(`${protocol}://tenant.example${experiments}`, { headers })).status).toBe(200);
    expect(await raw(fake, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 404 /);
    expect((await fake.fetch(experiments, { headers })).status).toBe(200);
    await fake.close();
    const closed = net.connect(fake.plainAddress);
    await expect(once(closed, 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  test('HEAD and absolute-form targets are answered', async () => {
    const fake = await fakeOf();
    const authorization = `Authorization: Bearer ${await fake.token()}\r\nConnection: close\r\n\r\n`;
    const head = await raw(fake, `HEAD ${experiments} HTTP/1.1\r\nHost: t\r\n${authorization}`);
    expect(head).toMatch(/^HTTP\/1\.1 200 [\s\S]*Content-Length: \d\d+[\s\S]*\r\n\r\n$/);
    expect((await fake.fetch(experiments, { method: 'HEAD' })).status).toBe(401);
    const absolute = `GET http://tenant.example${experiments}?take=1 HTTP/1.1\r\nHost: t\r\n${authorization}`;
    expect(await raw(fake, absolute)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(['[', 'a b', '::::', 'a:99999'])('a Host %j that does not parse is no 500', async (host) => {
    const fake = await fakeOf();
    const [client] = fake.clients;
    const body = `grant_type=client_credentials&client_id=${client?.client_id}&client_secret=${client?.client_secret}&audience=x`;
    const fields = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\nConnection: close`;
    const answer = await raw(fake, `POST /oauth/token HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

test('a rule that throws is a 500 without its message', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const fake = await fakeOf();
  fake.use((rules) =>
    override(rules, 'scopes', {
      permits() {
        throw new Error(`at ${import.meta.url}`);
      },
    }),
  );
  const response = await fake.fetch(experiments, {
    headers: { authorization: `Bearer ${await fake.token()}` },
  });
  expect([response.status, await response.text()]).toEqual([500, expect.not.stringMatching(/at |file:|\//)]);
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});

test('planted secrets appear in no response', async () => {
  const fake = await fakeOf();
  const headers = { authorization: `Bearer ${await fake.token()}` };
  let secrets = 0;
  for (const { action, versions } of fake.dataSet.actions) {
    secrets += JSON.stringify(versions).split('planted-secret-').length - 1;
    const response = await fake.fetch(`/api/v2/actions/actions/${action.id}/versions?per_page=50`, {
      headers,
    });
    expect(await response.text()).not.toContain('planted');
  }
  expect(secrets).toBeGreaterThan(20);
});

describe('what can not be used is refused with one line', () => {
  const wrong = (options: object) => startFake(options as FakeOptions);
  test.each([
    [{ latncy: 5 }, 'startFake(): unknown key latncy; did you mean latency?'],
    [{ cloud: 'Public' }, 'startFake(): cloud must be public or private'],
    [{ clients: {} }, 'startFake(): clients must be an array'],
    [
      { clients: [{ client_id: 'a', client_secret: 'b', scopes: ['read:nope'] }] },
      'clients: the contract has no scope read:nope',
    ],
    [{ port: 70_000 }, 'startFake(): port must be at most 65535'],
    [{ rateLimit: { requests: 0, seconds: 1 } }, 'startFake(): rateLimit.requests must be at least 1'],
    [{ rules: 'nope' }, '"nope" is not a fault, the name of one, or a change of the rules'],
    [{ contract: {} }, 'startFake(): contract.operations is missing'],
    [{ clock: 'fake' }, 'startFake(): clock must be own or Date'],
    [{ dataSet: { experimentss: [] } }, 'unknown part experimentss; known: phone_templates, experiments'],
    [
      { dataSet: { experiments: [{ status: 'open', experiment: { id: 'a' } }] } },
      'experiments[0].status must be draft or',
    ],
    [
      { dataSet: { rate_limit_policies: [{ id: 'a' }, { id: 'a' }] } },
      'rate_limit_policies: an id occurs twice',
    ],
  ])('startFake(%j)', async (options, message) => {
    await expect(wrong(options)).rejects.toThrow(message);
  });

  test('tokens, clock, rules, failures and hosts', async () => {
    const fake = await fakeOf();
    const untyped = <T>(value: unknown) => value as T;
    await expect(fake.token(untyped({ scopes: 'read:actions' }))).rejects.toThrow(
      'token(): scopes must be an array',
    );
    await expect(fake.token({ scopes: ['read:nope'] })).rejects.toThrow('no scope read:nope');
    expect(() => fake.clock.move(untyped('1h'))).toThrow('must be a number of seconds, not 1h');
    expect(() => fake.clock.move(1e308)).toThrow('must be a number of seconds');
    expect(() => fake.use((rules) => override(rules, untyped<'rate'>('nope'), {}))).toThrow(
      'unknown group nope; known: checks',
    );
    expect(() => fake.use((rules) => override(rules, 'rate', untyped({ retry: 1 })))).toThrow(
      'rate has no rule retry',
    );
    expect(() => fake.failNext({ operation: 'nope' })).toThrow('unknown operation nope; known: token');
    expect(() => fake.failNext(untyped({ tmes: 2 }))).toThrow('unknown key tmes');
    expect(() => intercept(untyped({}), { host: 'a' })).toThrow('the first argument must be a fake');
    await expect(fake.waitForRequest(untyped('x'))).rejects.toThrow('the predicate must be a function');
    expect(() => intercept(fake, { host: 'https://' })).toThrow('is not a host');
    expect(() => intercept(fake, untyped({ host: 'a', other: 'pass' }))).toThrow('unknown key other');
  });
});
