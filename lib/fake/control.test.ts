import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('a clock without a number is refused', async () => {
  expect((await control('/clock', {})).status).toBe(400);
});
