import { isObject, type JsonObject } from '../../contract/json.ts';
import type { FakeResponse } from '../../fake/call.ts';
import { type Client, override, type RulesOverride } from '../../fake/rules.ts';
import { everywhere, on } from '../builders/on.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { after, constant } from '../rule-overrides.ts';

const claims = (transform: (claims: JsonObject) => JsonObject): RulesOverride =>
  after('issue.claims', transform);
const body = (transform: (body: JsonObject) => JsonObject): RulesOverride =>
  after('issue.answered', transform);

/** Any response of the token endpoint. */
const response = (
  transform: (response: FakeResponse, error: unknown) => Partial<FakeResponse>,
): RulesOverride =>
  on(({ operation, target }) => operation === undefined && target.startsWith('/oauth/token')).response(
    (usual) => (isObject(usual.body) ? { ...usual, ...transform(usual, usual.body.error) } : usual),
  );

/** The client that is taken where id and secret do not fit one. */
const finds = (fits: (client: Client, id: string, secret: string) => boolean): RulesOverride =>
  after(
    'issue.client',
    (found, clients, id, secret) => found ?? clients.find((each) => fits(each, id, secret)),
  );

/** A client of the right id whose secret fits like this. */
const comparesSecret = (fits: (known: string, secret: string) => boolean): RulesOverride =>
  finds((client, id, secret) => client.client_id === id && fits(client.client_secret, secret));

const optional =
  (name: string): RulesOverride =>
  (rules) =>
    override(rules, 'issue', ({ required }) => ({ required: required.filter((each) => each !== name) }));

const leaked = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJsZWFrZWQifQ.AAAA';

/** Section 5, item 4: tokens for client credentials. */
export const clientCredentialsFaults: readonly Fault[] = [
  ...faultsOf('5.4/token-issued', [
    fault('token-absolute-audience', 'The audience must be absolute.').by(
      after('issue.acceptsAudience', (usual, audience) => usual && audience.startsWith('http')),
    ),
    fault('token-in-camel-case', 'The token is named accessToken.').by(
      body(({ access_token: accessToken, ...rest }) => ({ ...rest, accessToken })),
    ),
  ]),
  ...faultsOf('5.4/token-is-jwt', [
    fault('token-opaque', 'It is opaque.').by(body((usual) => ({ ...usual, access_token: 'b3BhcXVl' }))),
    fault('issued-scope-string', 'Scopes are a string.').by(
      claims((all) => ({ ...all, scopes: Object.keys(Object(all.scopes)).join(' ') })),
    ),
  ]),
  ...faultsOf('5.4/token-works', [
    fault('issued-expired', 'exp is a lifetime, not a time.').by(claims((all) => ({ ...all, exp: 86_400 }))),
  ]),
  ...faultsOf('5.4/token-scoped', [
    fault('own-tokens-not-scoped', 'Scopes of issued tokens are not checked.').by(
      everywhere.scopes.allowClaim((_claim, _scope, { iss }) => iss !== undefined),
    ),
  ]),
  ...faultsOf('5.4/token-type', [
    fault('token-type-jwt', 'token_type is JWT.').by(body((usual) => ({ ...usual, token_type: 'JWT' }))),
  ]),
  ...faultsOf('5.4/wrong-secret', [
    fault('secret-by-beginning', 'The beginning of a secret is enough.').by(
      comparesSecret((known, secret) => secret.length > 3 && known.startsWith(secret)),
    ),
    fault('secret-any-case', 'The secret is compared without case.').by(
      comparesSecret((known, secret) => known.toLowerCase() === secret.toLowerCase()),
    ),
    fault('secret-empty', 'An empty secret fits.').by(comparesSecret((_known, secret) => secret === '')),
    fault('wrong-secret-token', 'The refusal carries a token.').by(
      response((_usual, error) =>
        error === 'invalid_client' ? { body: { error, access_token: leaked } } : {},
      ),
    ),
    fault('wrong-secret-200', 'A wrong secret is 200 with an error in the body.').by(
      response((_usual, error) => (error === 'invalid_client' ? { status: 200 } : {})),
    ),
  ]),
  ...faultsOf('5.4/unknown-client', [
    fault('unknown-client-is-first', 'Only the secret is compared.').by(
      finds((client, id, secret) => client.client_id !== id && client.client_secret === secret),
    ),
  ]),
  ...faultsOf('5.4/other-audience', [
    fault('token-any-audience', 'A token for any audience is issued and accepted.').by(
      constant('issue.acceptsAudience', true),
      constant('token.acceptsAudience', true),
    ),
  ]),
  ...faultsOf('5.4/missing-fields', [
    fault('grant-type-optional', 'grant_type may be missing.').by(
      optional('grant_type'),
      after('issue.acceptsGrant', (usual, grant) => usual || grant === ''),
    ),
    fault('client-id-optional', 'client_id may be missing.').by(
      optional('client_id'),
      finds((client, id, secret) => id === '' && client.client_secret === secret),
    ),
    fault('client-secret-optional', 'client_secret may be missing.').by(
      optional('client_secret'),
      comparesSecret((_known, secret) => secret === ''),
    ),
  ]),
  ...faultsOf('5.4/unsupported-grant', [
    fault('any-grant', 'The grant type is not checked.').by(constant('issue.acceptsGrant', true)),
  ]),
];
