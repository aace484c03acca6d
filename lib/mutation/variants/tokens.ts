import { isObject } from '../../contract/json.ts';
import { type Call, type FakeResponse, refuse } from '../../fake/call.ts';
import { override, type RulesOverride } from '../../fake/rules.ts';
import { mintedSubject } from '../../tokens/token-minter.ts';
import { compose } from '../builders/builder.ts';
import { after, around, before, replace } from '../builders/on.ts';
import { isJson } from '../builders/predicates.ts';
import { without } from '../builders/values.ts';
import { variants } from './variant.ts';

/** The token endpoint responds with this error if the condition is met. */
const refusesToken = (
  status: number,
  error: string | undefined,
  condition: (call: Call, answer: FakeResponse) => boolean,
): RulesOverride =>
  before('responses.response', (answer, call) =>
    call.operation === undefined && condition(call, answer)
      ? { status, headers: [], body: error && { error } }
      : answer,
  );

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** A token in the form of an encrypted one (RFC 7516, section 3.1), whose ciphertext only the server can read. */
const encrypted = (token: string): string =>
  `${base64url('{"alg":"dir","enc":"A256GCM"}')}..iv.${base64url(token)}.tag`;

const decrypted = (token: string | undefined): string | undefined => {
  const ciphertext = /^[^.]+\.\.iv\.([^.]+)\.tag$/.exec(token ?? '')?.[1];
  return ciphertext === undefined ? token : Buffer.from(ciphertext, 'base64url').toString();
};

/** Access tokens, and where they come from. */
export const tokenVariants = variants({
  // Bearer tokens (sections 5.1 and 5.2).
  'no-expiry-accepted': after('token.isExpired', (usual, exp) => exp !== undefined && usual),
  // As PyJWT, on a machine whose clock is a minute and a half behind that of the suite.
  'clock-behind': after(
    'token.isEarly',
    (usual, time, { now }, { sub }) =>
      usual || (sub === mintedSubject && typeof time === 'number' && time > now / 1000 - 90),
  ),
  // A library may parse times as unsigned integers.
  'times-are-unsigned-integers': after('token.claims', (claims) =>
    [claims.exp, claims.iat].every(
      (time) => time === undefined || (Number.isInteger(time) && Number(time) >= 0),
    )
      ? claims
      : refuse(400, 'malformed_token', 'Invalid token'),
  ),
  'nbf-ignored': replace('token.isEarly', () => false),
  'lower-case-bearer-refused': after('token.sent', (token, { headers }) =>
    headers.authorization?.startsWith('Bearer ') ? token : undefined,
  ),
  // As bearerToken() of Laravel.
  'bearer-anywhere': [
    after(
      'token.sent',
      (token, { headers }) => token ?? /.*Bearer (.*)/.exec(headers.authorization ?? '')?.[1],
    ),
    '5.1/other-scheme-name',
  ],
  'audience-checked': after('token.claims', (claims, _given, { origin }) =>
    [claims.aud].flat().some((each) => ['/api/v2/', `${origin}/api/v2/`].includes(String(each)))
      ? claims
      : refuse(401, 'unacceptable_token', 'The token is for another audience'),
  ),
  'tokens-never-remembered': replace('token.remembers', () => false),
  'key-id-optional': replace('token.candidates', (_header, keys) => keys),
  // The token endpoint (section 5.4).
  'issued-tokens-encrypted': compose(
    before('responses.response', (answer, { operation }) =>
      operation === undefined && isObject(answer.body) && typeof answer.body.access_token === 'string'
        ? { ...answer, body: { ...answer.body, access_token: encrypted(answer.body.access_token) } }
        : answer,
    ),
    after('token.sent', decrypted),
  ),
  'token-endpoint-basic-only': refusesToken(
    401,
    'invalid_client',
    ({ headers }, { status }) => status === 200 && headers.authorization === undefined,
  ),
  'token-endpoint-form-only': refusesToken(415, 'invalid_request', isJson),
  'token-endpoint-json-only': refusesToken(415, 'invalid_request', (call) => !isJson(call)),
  'token-endpoint-redirects': before(
    'responses.response',
    (answer, { target }): FakeResponse =>
      target === '/oauth/token/'
        ? { status: 307, headers: [['location', '/oauth/token']], body: undefined }
        : answer,
  ),
  'token-endpoint-with-slash-only': before('routing.target', (target) =>
    target === '/oauth/token' ? '/nowhere' : target,
  ),
  'token-endpoint-without-slash-only': before('routing.target', (target) =>
    target === '/oauth/token/' ? '/nowhere' : target,
  ),
  'token-requests-trimmed': around('issue.client', (usual, clients, id, secret) =>
    usual(clients, id.trim(), secret.trim()),
  ),
  'token-audience-relative-only': replace('issue.acceptsAudience', (audience) => audience === '/api/v2/'),
  'token-audience-absolute-only': after(
    'issue.acceptsAudience',
    (usual, audience) => usual && audience.startsWith('http'),
  ),
  'token-answer-with-more': after('issue.responseBody', (rest) => ({
    id: 1,
    refresh_token: null,
    ...rest,
    issued_at: '2026-01-01',
    note: 'ü',
  })),
  'token-answer-bare': after('issue.responseBody', ({ access_token }) => ({
    access_token,
    token_type: 'bearer',
  })),
  'token-without-type': [
    after('issue.responseBody', (response) => without(response, 'token_type')),
    '5.4/token-type',
  ],
  // The default status of NestJS for POST.
  'token-issued-with-201': [
    after('responses.response', (usual, _usual, { endpoint }) =>
      endpoint === 'token' && usual.status === 200 ? { ...usual, status: 201 } : usual,
    ),
    '5.4/token-type',
  ],
  'token-with-more-claims': after('issue.claims', (claims) => ({
    ...claims,
    aud: ['/api/v2/', 'https://other.example/'],
    scope: 'read:nothing',
    'https://acme.example/team': { id: 7 },
    gty: 'client-credentials',
  })),
  'token-refusals-all-401': refusesToken(401, undefined, (_call, { status }) => status >= 400),
  'tokens-short-lived': (rules) => override(rules, 'issue', { lifetime: 120 }),
});
