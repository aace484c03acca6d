import { expect, test } from 'vitest';
import type { Failure } from '../client/exchange.ts';
import { ReceivedResponse } from '../client/received-response.ts';
import {
  explainFailure,
  explainIntermediary,
  explainOutage,
  explainSkew,
  isForeign,
  type Probe,
} from './diagnosis.ts';

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
    /Nothing listens at https:\/\/tenant\.example .*Start the server/,
  ],
  ['refused', 'getaddrinfo ENOTFOUND tenant.example', /host tenant\.example is unknown/],
  ['timeout', 'no answer in 30000 ms', /--timeout MS waits longer/],
  [
    'tls',
    'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
    /not trusted.*--ca FILE, or accept any with --insecure/,
  ],
  ['tls', 'certificate has expired (CERT_HAS_EXPIRED)', /not trusted \(certificate has expired/],
  ['tls', 'Hostname/IP does not match (ERR_TLS_CERT_ALTNAME_INVALID)', /not trusted \(Hostname/],
  ['tls', 'no TLS version (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)', /supports no TLS version from 1\.2 on/],
  ['tls', 'EPROTO wrong version number', /not with TLS .*Did you mean http:\/\/ instead of https:\/\/\?/],
  ['malformed', 'Expected HTTP/', /not with HTTP/],
  ['closed', 'other side closed', /closes the connection/],
  ['unknown', 'boom', /could not be read \(boom\)/],
])('%s (%s) is named with its remedy', (kind, message, expected) => {
  expect(explainFailure({ url, failure: { kind, message } }, {})).toMatch(expected);
});

test('a proxy is named, without its password, and how to go past it', () => {
  const text = explainFailure(
    { url, failure: { kind: 'refused', message: 'PROXY_REFUSED' } },
    { HTTPS_PROXY: 'http://me:s3cret@proxy.example:3128' },
  );
  expect(text).toMatch(/The proxy proxy\.example:3128 can't be used .*add tenant\.example to NO_PROXY/);
  expect(text).not.toContain('s3cret');
});

test('clocks are compared by the Date header', () => {
  const noted = (date: string) => explainSkew(answer(200, { date }), Date.parse('2024-01-01T00:00:00Z'));
  expect(noted('Mon, 01 Jan 2024 00:05:00 GMT')).toMatch(/300 s ahead of/);
  expect(noted('Sun, 31 Dec 2023 23:58:30 GMT')).toMatch(/90 s behind/);
  expect(noted('Mon, 01 Jan 2024 00:00:59 GMT')).toBeUndefined();
  expect(explainSkew(answer(200, {}))).toBeUndefined();
});

test('a redirect is named by where it leads, without its query', () => {
  expect(explainIntermediary(answer(302, { location: '/login?token=abc' }))).toMatch(
    /redirects to https:\/\/tenant\.example\/login \(302\)\. The suite does not follow redirects/,
  );
  expect(explainIntermediary(answer(407, {}))).toMatch(/HTTPS_PROXY/);
  expect(explainIntermediary(answer(401, {}))).toBeUndefined();
});

test('only server errors everywhere are an outage', () => {
  expect(explainOutage([answer(500, {}), answer(503, {})])).toMatch(/every request with 500 or 503/);
  expect(explainOutage([answer(500, {}), answer(401, {})])).toBeUndefined();
  expect(explainOutage([])).toBeUndefined();
});

test('a success without JSON is another service, a refusal without JSON is not', () => {
  expect(isForeign(answer(200, {}))).toBe(true);
  expect(isForeign(answer(401, {}))).toBe(false);
});
