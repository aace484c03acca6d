import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import axios from 'axios';
import got from 'got';
import ky from 'ky';
import createOpenApiClient from 'openapi-fetch';
import superagent from 'superagent';
import { Agent as UndiciAgent, request as undiciRequest } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Fake, type Interception, intercept, startFake } from './index.ts';

/** What a client got: the status and the experiments of a page. Rejects where the connection broke. */
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
  async undici(url, headers) {
    const dispatcher = new UndiciAgent({ connect: { timeout } });
    const { statusCode, body } = await undiciRequest(url, { headers, dispatcher });
    return { status: statusCode, body: await body.text() };
  },
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
    vi.useFakeTimers({ now: 0 });
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
