import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fake, startFake } from './index.ts';

let fake: Fake;
beforeAll(async () => {
  fake = await startFake();
});
afterAll(() => fake.close());

const base = '/api/v2';

async function bearer(): Promise<string[]> {
  return ['Authorization', `Bearer ${await fake.token()}`];
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test.each([
  ['GET', '/experimentation/experiments?take=2'],
  ['GET', '/experimentation/experiments?take=0'],
  ['GET', '/nowhere'],
  ['DELETE', '/rate-limit-policies/no-such'],
])('%s %s is answered as over HTTP', async (method, path) => {
  const headers = await bearer();
  const overHttp = await fetch(fake.url + path, { method, headers: [[headers[0] ?? '', headers[1] ?? '']] });
  const direct = await fake.handle({ method, target: base + path, headers, chunked: false });
  expect(direct?.status).toBe(overHttp.status);
  expect(Object.fromEntries(direct?.headers ?? [])['content-type']).toBe(
    overHttp.headers.get('content-type'),
  );
  const withoutCheckpoint = (text: string) => text.replace(/"next":"[^"]+"/, '');
  expect(withoutCheckpoint(direct?.body.toString() ?? '')).toBe(withoutCheckpoint(await overHttp.text()));
});

test('a body is read, one over the limit is refused, with and without its length', async () => {
  const headers = [...(await bearer()), 'Content-Type', 'application/json'];
  const target = `${base}/guardian/factors/phone/templates`;
  const messages = { enrollment_message: '{{code}} one', verification_message: '{{code}} two' };
  const put = (body: Uint8Array, chunked: boolean) =>
    fake.handle({ method: 'PUT', target, headers, body, chunked });
  expect((await put(json(messages), false))?.status).toBe(200);
  expect(fake.dataSet.phone_templates).toEqual(messages);
  const large = json(messages.enrollment_message.padEnd(1_048_577));
  expect((await put(large, false))?.status).toBe(413);
  expect((await put(large, true))?.status).toBe(413);
});

test('a repeated field is treated as node:http treats it', async () => {
  const [name = '', value = ''] = await bearer();
  const target = `${base}/experimentation/experiments`;
  const status = async (...headers: string[]) =>
    (await fake.handle({ method: 'GET', target, headers, chunked: false }))?.status;
  expect(await status(name, value, name, 'Bearer garbage')).toBe(200);
  expect(await status(name, 'Bearer garbage', name, value)).toBe(401);
});

test('a connection that would have been closed gives nothing, a closed fake rejects', async () => {
  const other = await startFake({
    rules: (rules) => ({
      ...rules,
      responses: {
        ...rules.responses,
        wire: (answer, call) => ({ ...rules.responses.wire(answer, call), abort: true }),
      },
    }),
  });
  const request = {
    method: 'GET',
    target: `${base}/experimentation/experiments`,
    headers: [],
    chunked: false,
  };
  expect(await other.handle(request)).toBeUndefined();
  await other.close();
  await expect(other.handle(request)).rejects.toThrow('closed');
});
