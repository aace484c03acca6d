import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startFake } from '../lib/fake/index.ts';

/**
 * `npm run fuzz -- [--requests N] [--seed N]`: sends random requests to a fake, over connections of its own and in process,
 * and fails for a 5xx, for a stack or path in a response, and for memory that grows after the first tenth. Default
 * 100,000 requests, about two minutes; 1,000,000 take about twenty.
 */
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const total = Number(values.requests);

/** A linear congruential generator: the same seed gives the same requests. */
let state = Number(values.seed) >>> 0;
const below = (limit: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};
const pick = <T>(...from: readonly T[]): T => from[below(from.length)] as T;
const noise = (length: number): string =>
  Array.from({ length: below(length) }, () =>
    String.fromCodePoint(pick(below(128), below(0x800), 0x1f600)),
  ).join('');

const fake = await startFake();
const valid = await fake.token();
const [client] = fake.clients;
const ids = [
  ...fake.dataSet.actions.map(({ action }) => action.id),
  ...fake.dataSet.self_service_profiles.map(({ id }) => id),
];

const token = (): string => {
  const parts = valid.split('.');
  const at = below(3);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  parts[at] = pick(
    parts[at] ?? '',
    noise(20),
    encode({ alg: pick<unknown>('none', 'HS256', 'EdDSA', 1, null), kid: noise(5), crit: ['exp'] }),
    encode(pick<unknown>({}, [], null, { exp: 1e308 })),
  );
  return pick(valid, valid, parts.join('.'), noise(30));
};
const target = (): string => {
  const id = encodeURIComponent(pick(...ids, noise(30)).replaceAll(/\p{Surrogate}/gu, ''));
  const path = pick(
    '/experimentation/experiments',
    `/rate-limit-policies/${id}`,
    `/actions/actions/${id}/versions`,
    `/self-service-profiles/${id}/custom-text/${pick('en', 'EN', id)}/get-started`,
    '/guardian/factors/phone/templates',
    `/${id}`,
    '/%ff%2F%zz',
  );
  const query = Array.from(
    { length: below(4) },
    () =>
      `${pick('take', 'from', 'page', 'per_page', 'status', id)}=${pick('1', '0', '-1', '1e308', '%00', '%zz', '', id)}`,
  );
  return pick(
    `/api/v2${path}?${query.join('&')}`,
    '/oauth/token',
    '/.well-known/jwks.json',
    `http://a/api/v2${path}`,
    id,
  );
};
const template = (): string =>
  pick('{{code}}', '{{', '{%', '{% if a %}', '}}', '|', '{{ a | b: "', noise(10)).repeat(
    pick(1, 2, 50, 10_000),
  );
const body = (): string =>
  pick(
    JSON.stringify({ enrollment_message: template(), verification_message: template() }),
    `grant_type=client_credentials&client_id=${client?.client_id}&client_secret=${client?.client_secret}&audience=${noise(10)}&scope=${noise(10)}`,
    '['.repeat(below(100_000)),
    noise(200),
    '',
  );

const failures: string[] = [];
let afterWarmUp = 0;
const began = performance.now();
for (let sent = 0; sent < total && failures.length < 10; sent += 1) {
  const method = pick('GET', 'PUT', 'DELETE', 'POST', 'HEAD', 'PATCH');
  const host = pick(undefined, '[', 'a:99999', noise(5));
  const headers = [
    'authorization',
    pick(`Bearer ${token()}`, noise(20), `Basic ${Buffer.from(noise(20)).toString('base64')}`),
    'content-type',
    pick('application/json', 'application/x-www-form-urlencoded', noise(10)),
    'x-correlation-id',
    noise(100),
  ];
  const request = {
    method,
    target: target(),
    headers,
    chunked: pick(true, false),
    body: pick(Buffer.from(body()), randomBytes(below(50))),
  };
  const response = await fake.handle({ ...request, ...(host !== undefined && { host }) });
  const text = response?.body.toString() ?? '';
  if (response === undefined || response.status >= 500 || /\bat .*:\d+|file:|node_modules/.test(text))
    failures.push(`${method} ${JSON.stringify(request.target)}: ${response?.status} ${text.slice(0, 200)}`);
  if (sent % 1000 === 0) fake.seed(fake.dataSet);
  if (sent === Math.floor(total / 10)) afterWarmUp = retained();
}
const grown = (retained() - afterWarmUp) / 2 ** 20;
// The last 1,000 requests with their bodies stay, however many were sent.
if (grown > 64)
  failures.push(`memory has grown by ${grown.toFixed(0)} MB since the first tenth of the requests`);
await fake.close();
process.stdout.write(
  `${failures.join('\n')}${failures.length > 0 ? '\n' : ''}${total} requests in ${((performance.now() - began) / 1000).toFixed(0)} s, ${failures.length} failures, ${grown.toFixed(1)} MB retained since the first tenth\n`,
);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Bytes of heap and buffers that survive a garbage collection (`--expose-gc`). */
function retained(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
