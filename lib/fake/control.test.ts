import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fake, startFake } from './index.ts';

let fake: Fake;
beforeAll(async () => {
  fake = await startFake({ control: true });
});
afterAll(() => fake.close());

const control = async (path: string, body?: unknown) => {
  const init = body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) };
  const answer = await fetch(`${fake.controlUrl}${path}`, init);
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
};

test('off unless asked for', async () => {
  const plain = await startFake();
  expect(plain.controlUrl).toBeUndefined();
  await plain.close();
});

test('says what it supports', async () => {
  expect((await control('/')).body).toEqual({ supports: ['seed', 'inspect', 'clock', 'logs'] });
});

test('a seed replaces all data, empties the logs and leaves the clock', async () => {
  const headers = { authorization: `Bearer ${await fake.token()}`, 'x-correlation-id': 'abc-1' };
  await fetch(`${fake.url}/rate-limit-policies/a`, { method: 'DELETE', headers });
  expect((await control('/logs?correlation_id_prefix=abc')).body.logs).toMatchObject([
    { references: { correlation_id: 'abc-1' } },
  ]);
  expect((await control('/logs?correlation_id_prefix=abd')).body.logs).toEqual([]);
  expect((await control('/clock', { offset_seconds: 60 })).status).toBe(204);
  const data = {
    phone_templates: { enrollment_message: 'a', verification_message: 'b' },
    experiments: [{ status: 'draft', experiment: { id: 'e', name: '🎉' }, further: 1 }],
    actions: [{ action: { id: 'x' }, versions: [{ id: 'v' }] }],
    rate_limit_policies: [{ id: 'p' }],
    self_service_profiles: [{ id: 's', custom_text: { en: { 'get-started': { title: 't' } } } }],
  };
  expect((await control('/tenant', data)).status).toBe(204);
  expect((await control('/tenant')).body).toEqual(data);
  expect((await control('/logs')).body).toEqual({ logs: [] });
  expect(fake.clock.offsetSeconds).toBe(60);
  fake.clock.move(0);
});

test('templates that a data set leaves out are the defaults of the contract', async () => {
  await control('/tenant', {});
  expect((await control('/tenant')).body.phone_templates.verification_message).toContain('{{code}}');
});

test.each([
  [[]],
  [{ experiments: {} }],
  [{ experiments: [{ status: 'open', experiment: { id: 'e' } }] }],
  [{ experiments: [{ status: 'draft', experiment: {} }] }],
  [{ rate_limit_policies: [{ id: 'a' }, { id: 'a' }] }],
  [{ rate_limit_policies: [{ id: 1 }] }],
  [{ phone_templates: { enrollment_message: 1 } }],
  [{ self_service_profiles: [{ id: 'a', custom_text: { en: { x: { y: 1 } } } }] }],
])('the data set %j is refused and changes nothing', async (data) => {
  const before = fake.dataSet;
  const { status, body } = await control('/tenant', data);
  expect(status).toBe(400);
  expect(body.message).not.toBe('');
  expect(fake.dataSet).toEqual(before);
});

test('a data set that nests deeply is refused, or shown as it is', async () => {
  const before = fake.dataSet;
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
  const body = `{"experiments":[{"status":"draft","experiment":{"id":"e","x":${deep}}}]}`;
  const { status } = await fetch(`${fake.controlUrl}/tenant`, { method: 'PUT', body });
  const shown = await (await fetch(`${fake.controlUrl}/tenant`)).text();
  // Newer versions of Node.js serialize any depth.
  if (status === 204) expect(shown).toContain(deep);
  else expect(status).toBe(400);
  fake.seed(before);
});

test.each([
  ['/clock', '{}'],
  ['/clock', '{"offset_seconds":"60"}'],
  ['/clock', '{"offset_seconds":null}'],
  ['/clock', '{"offset_seconds":NaN}'],
  ['/clock', '{"offset_seconds":1e308}'],
  ['/clock', '{"offset_seconds":1e999}'],
  ['/clock', '{"offset_seconds":-8.7e12}'],
  ['/clock', ''],
  ['/tenant', ''],
  ['/tenant', '{"experiments":['],
  ['/tenant', `${'['.repeat(5000)}${']'.repeat(5000)}`],
])('PUT %s with %.60s is refused and changes nothing', async (path, body) => {
  const before = { data: fake.dataSet, offset: fake.clock.offsetSeconds };
  const response = await fetch(`${fake.controlUrl}${path}`, { method: 'PUT', body });
  const text = await response.text();
  expect(response.status, text).toBe(400);
  expect(Object.keys(JSON.parse(text))).toEqual(['statusCode', 'error', 'message']);
  expect(text).not.toMatch(/\.ts|node:|\bat /);
  expect({ data: fake.dataSet, offset: fake.clock.offsetSeconds }).toEqual(before);
});

describe('what a web page could send', () => {
  const statusWith = async (headers: Record<string, string>): Promise<number> => {
    const { statusCode, body } = await request(`${fake.controlUrl}/`, { headers });
    await body.dump();
    return statusCode;
  };
  const port = () => new URL(fake.controlUrl ?? '').port;

  test('a Host of its own is served', async () => {
    expect(await statusWith({})).toBe(200);
    expect(await statusWith({ host: `LocalHost:${port()}` })).toBe(200);
  });

  test.each(['rebound.example', '127.0.0.1', 'localhost:1', '127.0.0.1.example:PORT', '[::1]:PORT', 'a b'])(
    'Host: %s is refused',
    async (host) => {
      expect(await statusWith({ host: host.replace('PORT', port()) })).toBe(421);
    },
  );

  test.each(['https://page.example', 'null', 'http://127.0.0.1:PORT'])(
    'Origin: %s is refused',
    async (origin) => {
      expect(await statusWith({ origin: origin.replace('PORT', port()) })).toBe(403);
    },
  );
});

test('requests that the protocol does not have', async () => {
  for (const path of ['/tenants', '//', '/constructor', '/tenant/'])
    expect((await fetch(`${fake.controlUrl}${path}`)).status).toBe(404);
  expect((await fetch(`${fake.controlUrl}/tenant`, { method: 'DELETE' })).status).toBe(404);
});

test('an internal error says nothing about the machine', async () => {
  fake.use((rules) => ({
    ...rules,
    control: {
      ...rules.control,
      inspected: () => {
        throw new Error('at /home/someone/file.ts');
      },
    },
  }));
  expect(await control('/tenant')).toEqual({
    status: 500,
    body: { statusCode: 500, error: 'Internal Server Error', message: 'the request failed' },
  });
  fake.use();
});
