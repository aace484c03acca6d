import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import axios from 'axios';
import got from 'got';
import ky from 'ky';
import createOpenApiClient from 'openapi-fetch';
import superagent from 'superagent';
import * as undici7 from 'undici';
import * as undici6 from 'undici-6';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Fake, type Interception, intercept, startFake } from './index.ts';

/** Sends a request with one client library. Rejects if the connection breaks. */
type Ask = (url: string, headers: Record<string, string>) => Promise<{ status: number; body: string }>;

const timeout = 5000;

function byNodeHttp(keepAlive: boolean): Ask {
  const agents = { 'http:': new HttpAgent({ keepAlive }), 'https:': new HttpsAgent({ keepAlive }) };
  return (url, headers) =>
    new Promise((resolve, reject) => {
      const { protocol } = new URL(url);
      const isTls = protocol === 'https:';
      const send = isTls ? httpsRequest : httpRequest;
      const agent = isTls ? agents['https:'] : agents['http:'];
      send(url, { headers, agent, timeout }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      })
        .on('error', reject)
        .end();
    });
}

const connect = { timeout };

function byUndici(
  ask: (
    url: string,
    headers: Record<string, string>,
  ) => Promise<{ statusCode: number; body: { text(): Promise<string> } }>,
): Ask {
  return async (url, headers) => {
    const { statusCode, body } = await ask(url, headers);
    return { status: statusCode, body: await body.text() };
  };
}

/** undici 8 fails to load on versions of Node.js that it does not support. */
async function undici8(): Promise<Record<string, Ask>> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 19)) return {};
  const { Agent, request } = await import('undici-8');
  return {
    'undici 8': byUndici((url, headers) => request(url, { headers, dispatcher: new Agent({ connect }) })),
  };
}

const http = axios.create({
  adapter: 'http',
  timeout,
  validateStatus: () => true,
  responseType: 'text',
  transformResponse: (body: string) => body,
  httpAgent: new HttpAgent({ keepAlive: true }),
  httpsAgent: new HttpsAgent({ keepAlive: true }),
});

/** Each client library as its users call it. */
const clients: Readonly<Record<string, Ask>> = {
  async fetch(url, headers) {
    const response = await fetch(url, { headers });
    return { status: response.status, body: await response.text() };
  },
  'undici 6': byUndici((url, headers) =>
    undici6.request(url, { headers, dispatcher: new undici6.Agent({ connect }) }),
  ),
  'undici 7': byUndici((url, headers) =>
    undici7.request(url, { headers, dispatcher: new undici7.Agent({ connect }) }),
  ),
  ...(await undici8()),
  'node:http': byNodeHttp(false),
  'node:http with keep-alive': byNodeHttp(true),
  async axios(url, headers) {
    const { status, data } = await http.get<string>(url, { headers });
    return { status, body: data };
  },
  async got(url, headers) {
    const options = { headers, throwHttpErrors: false, retry: { limit: 0 }, timeout: { request: timeout } };
    const { statusCode, body } = await got(url, options);
    return { status: statusCode, body };
  },
  async ky(url, headers) {
    const response = await ky(url, { headers, throwHttpErrors: false, retry: 0, timeout: false });
    return { status: response.status, body: await response.text() };
  },
  async superagent(url, headers) {
    const response = await superagent
      .get(url)
      .set(headers)
      .timeout(timeout)
      .ok(() => true);
    return { status: response.status, body: response.text };
  },
  async 'openapi-fetch'(url, headers) {
    const { origin, pathname, search } = new URL(url);
    const client = createOpenApiClient<Record<string, { get: { responses: never } }>>({ baseUrl: origin });
    const { response, data } = await client.GET(`${pathname}${search}`, { headers, parseAs: 'text' });
    return { status: response.status, body: String(data ?? '') };
  },
};

let fake: Fake;
let interception: Interception;
let headers: Record<string, string>;
const path = '/api/v2/experimentation/experiments?take=2';

beforeAll(async () => {
  fake = await startFake();
});
afterAll(() => fake.close());
beforeEach(async () => {
  fake.reset();
  headers = { authorization: `Bearer ${await fake.token()}` };
});
afterEach(() => {
  interception?.close();
  vi.useRealTimers();
});

describe.each(Object.entries(clients))('%s', (_name, ask) => {
  test('by URL', async () => {
    const { status, body } = await ask(`${fake.origin}${path}`, headers);
    expect(status).toBe(200);
    expect(JSON.parse(body).experiments).toHaveLength(2);
  });

  test('in process, with a tenant that is hard-wired', async () => {
    interception = intercept(fake, { host: 'Tenant.Example', others: 'refuse' });
    for (const origin of ['https://tenant.example', 'https://tenant.example:8443', 'http://TENANT.example']) {
      const { status, body } = await ask(`${origin}${path}`, headers);
      expect(status).toBe(200);
      expect(JSON.parse(body).experiments).toHaveLength(2);
    }
    await expect(ask(`https://other.example${path}`, headers)).rejects.toThrow();
    interception.close();
    expect(fake.requests).toHaveLength(3);
  });

  test('with fake timers', async () => {
    // Not setImmediate, which fetch waits for before it uses a connection again (undici from 7.29).
    vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval'] });
    expect((await ask(`${fake.origin}${path}`, headers)).status).toBe(200);
    interception = intercept(fake, { host: 'tenant.example' });
    expect((await ask(`https://tenant.example${path}`, headers)).status).toBe(200);
  });

  test('with failures', async () => {
    fake.failNext({ operation: 'listExperiments', status: 503, headers: { 'retry-after': '1' } });
    fake.failNext({ close: true });
    expect((await ask(`${fake.origin}${path}`, headers)).status).toBe(503);
    await expect(ask(`${fake.origin}${path}`, headers)).rejects.toThrow();
    expect((await ask(`${fake.origin}${path}`, headers)).status).toBe(200);
  });
});
