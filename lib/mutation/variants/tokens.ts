import { isObject } from '../../contract/json.ts';
import { type Call, refuse } from '../../fake/call.ts';
import { override, type RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';

/** Tokens accepted until so many seconds after their expiry, for clocks that differ. */
const leeway =
  (seconds: number): RulesOverride =>
  (rules) =>
    override(rules, 'token', ({ isExpired }) => ({
      isExpired: (exp, call, claims) =>
        isExpired(typeof exp === 'number' ? exp + seconds : exp, call, claims),
    }));

/** Another status for refusals of these kinds. */
const refusedWith =
  (status: number, ...codes: readonly string[]): RulesOverride =>
  (rules) =>
    override(rules, 'answers', ({ refusal }) => ({
      refusal: (given, call) => refusal(codes.includes(given.code) ? { ...given, status } : given, call),
    }));

/** Bearer tokens (sections 5.1 and 5.2). */
export const tokens: readonly Variant[] = [
  { name: 'leeway-60', says: 'Tokens are good for a minute after their expiry.', rules: leeway(60) },
  { name: 'leeway-299', says: 'Tokens are good for 299 seconds after their expiry.', rules: leeway(299) },
  {
    name: 'no-expiry-accepted',
    says: 'A token without exp never expires.',
    rules: (rules) =>
      override(rules, 'token', ({ isExpired }) => ({
        isExpired: (exp, call, claims) => exp !== undefined && isExpired(exp, call, claims),
      })),
  },
  {
    name: 'nbf-ignored',
    says: 'A token is good before its nbf.',
    rules: (rules) => override(rules, 'token', { isEarly: () => false }),
  },
  {
    name: 'lower-case-bearer-refused',
    says: 'The scheme is taken only as it is written in the specification: Bearer.',
    rules: (rules) =>
      override(rules, 'token', ({ sent }) => ({
        sent: (call) => (call.headers.authorization?.startsWith('Bearer ') ? sent(call) : undefined),
      })),
  },
  {
    name: 'malformed-token-400',
    says: 'A bearer value that is no JSON Web Token is refused with 400.',
    rules: refusedWith(400, 'malformed_token'),
  },
  {
    name: 'missing-token-403',
    says: 'A request without a bearer token is refused with 403.',
    warns: ['5.1/no-header-401', '5.1/other-scheme-401'],
    rules: refusedWith(403, 'missing_token'),
  },
  {
    name: 'malformed-token-403',
    says: 'A bearer value that is no JSON Web Token is refused with 403.',
    warns: ['5.2/garbage-401', '5.2/three-parts-401'],
    rules: refusedWith(403, 'malformed_token'),
  },
  {
    name: 'missing-scopes-401',
    says: 'A token whose scopes claim is no map is refused with 401.',
    rules: (rules) =>
      override(rules, 'token', ({ claims }) => ({
        claims(given, call) {
          const read = claims(given, call);
          return isObject(read.scopes) ? read : refuse(401, 'no_scopes', 'The token has no scopes');
        },
      })),
  },
  {
    name: 'audience-checked',
    says: 'A token for another audience is refused.',
    rules: (rules) =>
      override(rules, 'token', ({ claims }) => ({
        claims(given, call) {
          const read = claims(given, call);
          const audiences = [read.aud].flat();
          const own = ['/api/v2/', `${call.origin}/api/v2/`];
          return audiences.some((each) => own.includes(String(each)))
            ? read
            : refuse(401, 'foreign_audience', 'The token is for another audience');
        },
      })),
  },
  {
    name: 'tokens-never-remembered',
    says: 'Every token is verified anew.',
    rules: (rules) => override(rules, 'token', { remembers: () => false }),
  },
  {
    name: 'key-id-optional',
    says: 'Every trusted key is tried, whatever kid a token names.',
    rules: (rules) => override(rules, 'token', { candidates: (_header, keys) => keys }),
  },
];

const isJson = (call: Call): boolean => call.operation === undefined && call.mediaType === 'application/json';

/** The answers of the token endpoint with other members. */
const issued = (change: (answer: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) => {
  const rules: RulesOverride = (given) =>
    override(given, 'issue', ({ answered }) => ({
      answered: (answer, client) => change(answered(answer, client)),
    }));
  return rules;
};

/** The token endpoint (section 5.4). */
export const issues: readonly Variant[] = [
  {
    name: 'token-endpoint-basic-only',
    says: 'The token endpoint takes the client and its secret in Authorization only (RFC 6749, section 2.3.1).',
    rules: (rules) =>
      override(rules, 'answers', ({ answer }) => ({
        answer(given, call) {
          const refused =
            call.operation === undefined && given.status === 200 && call.headers.authorization === undefined;
          return answer(
            refused ? { status: 401, headers: [], body: { error: 'invalid_client' } } : given,
            call,
          );
        },
      })),
  },
  {
    name: 'token-endpoint-form-only',
    says: 'The token endpoint takes no JSON.',
    rules: (rules) =>
      override(rules, 'answers', ({ answer }) => ({
        answer: (given, call) =>
          answer(
            isJson(call) ? { status: 415, headers: [], body: { error: 'invalid_request' } } : given,
            call,
          ),
      })),
  },
  {
    name: 'token-endpoint-with-slash-only',
    says: 'The token endpoint is known by its final slash.',
    rules: (rules) =>
      override(rules, 'routing', ({ target }) => ({
        target: (given) => target(given === '/oauth/token' ? '/nowhere' : given),
      })),
  },
  {
    name: 'token-audience-relative-only',
    says: 'The token endpoint knows the audience /api/v2/ as it is written in the specification.',
    rules: (rules) => override(rules, 'issue', { acceptsAudience: (audience) => audience === '/api/v2/' }),
  },
  {
    name: 'token-answer-with-more',
    says: 'The answer of the token endpoint carries further members.',
    rules: issued((answer) => ({
      id: 1,
      refresh_token: null,
      ...answer,
      issued_at: '2026-01-01',
      note: 'ü',
    })),
  },
  {
    name: 'token-expires-in-as-text',
    says: 'expires_in is a text.',
    rules: issued((answer) => ({ ...answer, expires_in: String(answer.expires_in) })),
  },
  {
    name: 'token-answer-bare',
    says: 'The answer of the token endpoint holds the token and its type, nothing else.',
    rules: issued(({ access_token }) => ({ access_token, token_type: 'bearer' })),
  },
  {
    name: 'token-without-type',
    says: 'The answer of the token endpoint names no type.',
    warns: ['5.4/token-type'],
    rules: issued(({ token_type: _type, ...answer }) => answer),
  },
  {
    name: 'token-with-more-claims',
    says: 'Issued tokens carry a list of audiences, a scope text and private claims.',
    rules: (rules) =>
      override(rules, 'issue', ({ claims }) => ({
        claims: (given, client) => ({
          ...claims(given, client),
          aud: ['/api/v2/', 'https://other.example/'],
          scope: 'read:nothing',
          'https://acme.example/team': { id: 7 },
          gty: 'client-credentials',
        }),
      })),
  },
  {
    name: 'token-refusals-all-401',
    says: 'The token endpoint refuses whatever is wrong with 401 and without a body.',
    rules: (rules) =>
      override(rules, 'answers', ({ answer }) => ({
        answer: (given, call) =>
          answer(
            call.operation === undefined && given.status >= 400
              ? { status: 401, headers: [], body: undefined }
              : given,
            call,
          ),
      })),
  },
  {
    name: 'tokens-live-shortly',
    says: 'Issued tokens are good for two minutes.',
    rules: (rules) => override(rules, 'issue', { lifetime: 120 }),
  },
];
