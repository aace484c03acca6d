import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fake, startFake } from './index.ts';

const limit = 1_048_576;
let fake: Fake;
let token: string;
beforeAll(async () => {
  fake = await startFake({ control: true });
  token = await fake.token();
});
afterAll(() => fake.close());

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly chunked: boolean;
  /** Bytes of the body that are actually sent. */
  readonly sent?: number;
}

/** Sends a request over a separate socket and reads until the server closes it. */
function raw({ method, path, body, chunked, sent = body.length }: Sent): Promise<string> {
  const { hostname, port } = new URL(fake.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      const framing = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
      socket.write(
        `${method} /api/v2${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/json\r\n${framing}\r\n\r\n`,
      );
      for (let at = 0; at < sent; at += 65_536) {
        const part = body.subarray(at, Math.min(at + 65_536, sent));
        if (chunked) socket.write(`${part.length.toString(16)}\r\n`);
        socket.write(part);
        if (chunked) socket.write('\r\n');
      }
      if (chunked && sent === body.length) socket.write('0\r\n\r\n');
    });
    socket.on('data', (data) => {
      answer += data.toString();
      // The rest of the body is never sent.
      if (sent < body.length) socket.end();
    });
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}

const message = '{"enrollment_message":"a","verification_message":"b"}';
const padded = (length: number) => Buffer.from(message.padEnd(length));
const templates = { method: 'PUT', path: '/guardian/factors/phone/templates' };

test.each([
  [1_000_000, false, 200],
  [1_000_000, true, 200],
  [limit, false, 200],
  [limit, true, 200],
  [limit + 1, false, 413],
  [limit + 1, true, 413],
  [8_000_000, false, 413],
  [8_000_000, true, 413],
])('%i bytes, chunked %s: %i', async (length, chunked, status) => {
  fake.seed({});
  const before = fake.dataSet.phone_templates;
  const answer = await raw({ ...templates, body: padded(length), chunked });
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\\}$`));
  expect(fake.dataSet.phone_templates.enrollment_message).toBe(
    status === 200 ? 'a' : before.enrollment_message,
  );
});

test.each([true, false])('a delete with too large a body deletes nothing, chunked %s', async (chunked) => {
  fake.seed({ rate_limit_policies: [{ id: 'a' }] });
  const body = padded(5_000_000);
  const answer = await raw({ method: 'DELETE', path: '/rate-limit-policies/a', body, chunked });
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  expect(fake.dataSet.rate_limit_policies).toHaveLength(1);
});

test('a body on a read is ignored up to the limit', async () => {
  const read = { method: 'GET', path: '/experimentation/experiments', chunked: false };
  expect(await raw({ ...read, body: padded(limit) })).toMatch(/^HTTP\/1.1 200 /);
  expect(await raw({ ...read, body: padded(limit + 1) })).toMatch(/^HTTP\/1.1 413 /);
});

test('a declared length over the limit is answered before the body comes', async () => {
  const answer = await raw({ ...templates, body: padded(2_000_000), chunked: false, sent: 10 });
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
});

test('fetch reads the 413 of a body of 5 MB, and the fake still answers', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const url = `${fake.url}${templates.path}`;
  const refused = await fetch(url, { method: 'PUT', headers, body: padded(5_000_000) });
  expect(await refused.json()).toMatchObject({ statusCode: 413 });
  expect((await fetch(url, { method: 'PUT', headers, body: message })).status).toBe(200);
});
