import { type Call, type FakeResponse, refuse } from '../../fake/call.ts';
import { override, type RulesOverride } from '../../fake/rules.ts';
import { after, before, replace } from '../rule-overrides.ts';
import { variants } from './variant.ts';

/** The token endpoint refuses, with this in place of the response, where the condition is met. */
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

/** Access tokens, and where they come from. */
export const tokenVariants = variants({
  // Bearer tokens (sections 5.1 and 5.2).
  'no-expiry-accepted': [
    'A token without exp never expires.',
    after('token.isExpired', (usual, exp) => exp !== undefined && usual),
  ],
  'nbf-ignored': ['A token is valid before its nbf.', replace('token.isEarly', () => false)],
  'lower-case-bearer-refused': [
    'The scheme must be written as in the specification: Bearer.',
    after('token.sent', (token, { headers }) =>
      headers.authorization?.startsWith('Bearer ') ? token : undefined,
    ),
  ],
  'audience-checked': [
    'A token for another audience is refused.',
    after('token.claims', (claims, _given, { origin }) =>
      [claims.aud].flat().some((each) => ['/api/v2/', `${origin}/api/v2/`].includes(String(each)))
        ? claims
        : refuse(401, 'unacceptable_token', 'The token is for another audience'),
    ),
  ],
  'tokens-never-remembered': ['Every token is verified anew.', replace('token.remembers', () => false)],
  'key-id-optional': [
    'Every trusted key is tried, whatever kid a token names.',
    replace('token.candidates', (_header, keys) => keys),
  ],
  // The token endpoint (section 5.4).
  'token-endpoint-basic-only': [
    'The token endpoint takes client credentials only in Authorization (RFC 6749, section 2.3.1).',
    refusesToken(
      401,
      'invalid_client',
      ({ headers }, { status }) => status === 200 && headers.authorization === undefined,
    ),
  ],
  'token-endpoint-form-only': [
    'The token endpoint does not take JSON.',
    refusesToken(415, 'invalid_request', ({ mediaType }) => mediaType === 'application/json'),
  ],
  'token-endpoint-json-only': [
    'The token endpoint takes JSON only.',
    refusesToken(415, 'invalid_request', ({ mediaType }) => mediaType !== 'application/json'),
    { warns: ['5.4/form-accepted'] },
  ],
  'token-endpoint-redirects': [
    'The path of the token endpoint has no final slash, to which a request is redirected.',
    before(
      'responses.response',
      (answer, { target }): FakeResponse =>
        target === '/oauth/token/'
          ? { status: 307, headers: [['location', '/oauth/token']], body: undefined }
          : answer,
    ),
    { warns: ['5.4/form-accepted'] },
  ],
  'token-endpoint-with-slash-only': [
    'The path of the token endpoint needs its final slash.',
    before('routing.target', (target) => (target === '/oauth/token' ? '/nowhere' : target)),
  ],
  'token-endpoint-without-slash-only': [
    'The path of the token endpoint has no final slash.',
    before('routing.target', (target) => (target === '/oauth/token/' ? '/nowhere' : target)),
    { warns: ['5.4/form-accepted'] },
  ],
  'token-audience-relative-only': [
    'The token endpoint accepts the audience only as the specification writes it: /api/v2/.',
    replace('issue.acceptsAudience', (audience) => audience === '/api/v2/'),
  ],
  'token-audience-absolute-only': [
    'The token endpoint accepts the audience only as a URL.',
    after('issue.acceptsAudience', (usual, audience) => usual && audience.startsWith('http')),
    { warns: ['5.4/form-accepted'] },
  ],
  'token-answer-with-more': [
    'The response of the token endpoint carries additional members.',
    after('issue.answered', (rest) => ({
      id: 1,
      refresh_token: null,
      ...rest,
      issued_at: '2026-01-01',
      note: 'ü',
    })),
  ],
  'token-answer-bare': [
    'The response of the token endpoint contains the token and its type, nothing else.',
    after('issue.answered', ({ access_token }) => ({ access_token, token_type: 'bearer' })),
  ],
  'token-without-type': [
    'The response of the token endpoint has no token_type.',
    after('issue.answered', ({ token_type: _type, ...response }) => response),
    { warns: ['5.4/token-type'] },
  ],
  'token-with-more-claims': [
    'Issued tokens carry a list of audiences, a scope string and private claims.',
    after('issue.claims', (claims) => ({
      ...claims,
      aud: ['/api/v2/', 'https://other.example/'],
      scope: 'read:nothing',
      'https://acme.example/team': { id: 7 },
      gty: 'client-credentials',
    })),
  ],
  'token-refusals-all-401': [
    'The token endpoint refuses whatever is wrong with 401 and no body.',
    refusesToken(401, undefined, (_call, { status }) => status >= 400),
  ],
  'tokens-short-lived': [
    'Issued tokens are valid for two minutes.',
    (rules) => override(rules, 'issue', { lifetime: 120 }),
  ],
});
