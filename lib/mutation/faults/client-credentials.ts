import { isObject, type JsonObject } from '../../contract/json.ts';
import { type Client, override, type RulesOverride } from '../../fake/rules.ts';
import { everywhere } from '../builders/on.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { after, replace } from '../rule-overrides.ts';

const claims = (transform: (claims: JsonObject) => JsonObject): RulesOverride =>
  after('issue.claims', transform);
const body = (transform: (body: JsonObject) => JsonObject): RulesOverride =>
  after('issue.answered', transform);

/** The client that is taken where id and secret do not fit one. */
const finds = (fits: (client: Client, id: string, secret: string) => boolean): RulesOverride =>
  after(
    'issue.client',
    (found, clients, id, secret) => found ?? clients.find((each) => fits(each, id, secret)),
  );

/** A client of the right id whose secret fits like this. */
const comparesSecret = (fits: (known: string, secret: string) => boolean): RulesOverride =>
  finds((client, id, secret) => client.client_id === id && fits(client.client_secret, secret));

/** A field of the request may be missing. */
const optional = (name: string, ...overrides: readonly RulesOverride[]) =>
  fault(`${name.replaceAll('_', '-')}-optional`, `${name} may be missing.`).by(
    (rules) =>
      override(rules, 'issue', ({ required }) => ({ required: required.filter((each) => each !== name) })),
    ...overrides,
  );

/** Section 5, item 4: tokens for client credentials. */
export const clientCredentialsFaults: readonly Fault[] = faultsOf({
  '5.4/token-issued': fault('token-in-camel-case', 'The token is named accessToken.').by(
    body(({ access_token: accessToken, ...rest }) => ({ ...rest, accessToken })),
  ),
  '5.4/token-is-jwt': [
    fault('token-opaque', 'It is opaque.').by(body((usual) => ({ ...usual, access_token: 'b3BhcXVl' }))),
    fault('issued-scope-string', 'Scopes are a string.').by(
      claims((all) => ({ ...all, scopes: Object.keys(Object(all.scopes)).join(' ') })),
    ),
  ],
  '5.4/token-works': fault('issued-expired', 'exp is a lifetime, not a time.').by(
    claims((all) => ({ ...all, exp: 86_400 })),
  ),
  '5.4/token-scoped': fault('own-tokens-not-scoped', 'Scopes of issued tokens are not checked.').by(
    everywhere.permitsClaim((_claim, _scope, { iss }) => iss !== undefined),
  ),
  '5.4/wrong-secret': [
    fault('secret-by-beginning', 'The beginning of a secret is enough.').by(
      comparesSecret((known, secret) => secret.length > 3 && known.startsWith(secret)),
    ),
    fault('secret-any-case', 'The secret is compared without case.').by(
      comparesSecret((known, secret) => known.toLowerCase() === secret.toLowerCase()),
    ),
    fault('wrong-secret-200', 'A wrong secret is 200 with an error in the body.').by(
      after('responses.response', (usual) =>
        isObject(usual.body) && usual.body.error === 'invalid_client' ? { ...usual, status: 200 } : usual,
      ),
    ),
  ],
  '5.4/unknown-client': fault('unknown-client-is-first', 'Only the secret is compared.').by(
    finds((client, id, secret) => client.client_id !== id && client.client_secret === secret),
  ),
  '5.4/other-audience': fault('token-any-audience', 'A token for any audience is issued and accepted.').by(
    replace('issue.acceptsAudience', () => true),
    replace('token.acceptsAudience', () => true),
  ),
  '5.4/missing-fields': [
    optional(
      'grant_type',
      after('issue.acceptsGrant', (usual, grant) => usual || grant === ''),
    ),
    optional(
      'client_id',
      finds((client, id, secret) => id === '' && client.client_secret === secret),
    ),
    optional(
      'client_secret',
      comparesSecret((_known, secret) => secret === ''),
    ),
  ],
  '5.4/unsupported-grant': fault('any-grant', 'The grant type is not checked.').by(
    replace('issue.acceptsGrant', () => true),
  ),
});
