import { expect, test } from 'vitest';
import type { Failure } from '../client/exchange.ts';
import { ReceivedResponse } from '../client/received-response.ts';
import { loadContract } from '../contract/load.ts';
import type { Capability } from '../runner/capabilities.ts';
import { explainBlocked, explainFailure, explainResponses, type Probe } from './diagnosis.ts';

const url = 'https://tenant.example/api/v2/x';

function answer(status: number, headers: Readonly<Record<string, string>>): Probe {
  return {
    operation: undefined,
    url,
    failure: undefined,
    response: new ReceivedResponse({ status, headers: Object.entries(headers), body: Buffer.alloc(0) }),
  };
}

test.each<[Failure['kind'], string, RegExp]>([
  [
    'refused',
    'connect ECONNREFUSED 10.0.0.1:443',
    /No server is listening at https:\/\/tenant\.example .*Start the server/,
  ],
  [
    'refused',
    'getaddrinfo ENOTFOUND tenant.example',
    /No server is listening at .*ENOTFOUND tenant\.example/,
  ],
  ['timeout', 'no answer in 30000 ms', /raise --timeout MS/],
  [
    'tls',
    'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
    /certificate is not trusted: .*--ca FILE, accept any with --insecure/,
  ],
  [
    'tls',
    'certificate has expired (CERT_HAS_EXPIRED)',
    /certificate is not trusted: .*\(certificate has expired/,
  ],
  [
    'tls',
    'Hostname/IP does not match (ERR_TLS_CERT_ALTNAME_INVALID)',
    /certificate is not trusted: .*\(Hostname/,
  ],
  ['tls', 'write EPROTO 00A8:error:0A00010B:ssl3.c:355: (EPROTO)', /\(EPROTO\)\. .* or use http:/],
  ['malformed', 'Expected HTTP/', /No server speaks this protocol at/],
  ['tls', 'write EPROTO (ERR_SSL_WRONG_VERSION_NUMBER)', /No server speaks this protocol .* right scheme/],
  ['closed', 'other side closed', /connection was closed without/],
  ['unknown', 'boom', /No response could be read from .* \(boom\)/],
])('%s (%s) is named with its remedy', (kind, message, expected) => {
  expect(explainFailure({ url, failure: { kind, message } }, {})).toMatch(expected);
});

test('a proxy is named, without its password, and how to go past it', () => {
  const text = explainFailure(
    { url, failure: { kind: 'refused', message: 'PROXY_REFUSED' } },
    { HTTPS_PROXY: 'http://me:s3cret@proxy.example:3128' },
  );
  expect(text).toMatch(
    /through the proxy proxy\.example:3128; to bypass it, add tenant\.example to NO_PROXY/,
  );
  expect(text).not.toContain('s3cret');
});

const explain = (...probes: readonly Probe[]) =>
  explainResponses({ baseUrl: url, capabilities: new Set() }, probes)?.explanation;

test('a redirect is named by where it leads, without its query', () => {
  expect(explain(answer(302, { location: '/login?token=abc' }))).toMatch(
    /redirects to https:\/\/tenant\.example\/login \(302\)\. The suite does not follow redirects/,
  );
  expect(explain(answer(401, {}))).toBeUndefined();
});

test('only server errors everywhere are an outage', () => {
  expect(explain(answer(500, {}), answer(503, {}))).toMatch(/every request with 500 or 503/);
  expect(explain(answer(500, {}), answer(401, {}))).toBeUndefined();
  expect(explain()).toBeUndefined();
});

test('a success without JSON is another service, a refusal without JSON is not', () => {
  expect(explain(answer(200, {}))).toMatch(/a login page/);
  expect(explain(answer(401, {}))).toBeUndefined();
});

test('403 with a page of HTML everywhere is a gateway', () => {
  const page = (status: number, text: string): Probe => ({
    ...answer(status, {}),
    response: new ReceivedResponse({ status, headers: [], body: Buffer.from(text) }),
  });
  const blocked = page(403, '<!DOCTYPE html><title>Blocked</title>');
  const explained = (capability: Capability, ...probes: readonly Probe[]) =>
    explainBlocked({ baseUrl: url, capabilities: new Set([capability]) }, probes);
  expect(explained('token', blocked, blocked)).toMatchObject({
    isFatal: true,
    explanation: expect.stringMatching(/403 and a page of HTML, with a token too: .* a gateway/),
  });
  expect(explained('write', blocked)?.isFatal).toBe(false);
  expect(explained('token', page(401, '{}'), blocked)).toBeUndefined();
  expect(explained('token', page(403, '{}'), blocked)).toBeUndefined();
});

test('404 everywhere is fatal, unless the service may hide what it has, or has no data yet', async () => {
  const [operation] = (await loadContract()).operations.filter(
    ({ path }) => path === '/experimentation/experiments',
  );
  const body = Buffer.from('{}');
  const headers = [['content-type', 'application/json']] as const;
  const probes: readonly Probe[] = [
    { ...answer(404, {}), operation, response: new ReceivedResponse({ status: 404, headers, body }) },
  ];
  const isFatal = (...capabilities: readonly Capability[]) =>
    explainResponses({ baseUrl: url, capabilities: new Set(capabilities) }, probes)?.isFatal;
  expect([isFatal(), isFatal('token'), isFatal('token', 'seed')]).toEqual([false, true, false]);
});
