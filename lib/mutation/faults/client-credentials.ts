import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Client, RulesOverride } from '../../fake/rules.ts';
import { mintedSubject } from '../../tokens/token-minter.ts';
import { compose } from '../builders/builder.ts';
import { after, everywhere, replace, stateful } from '../builders/on.ts';
import { claimsOf } from '../builders/predicates.ts';
import { type Fault, faultsOf } from '../fault.ts';

const claims = (transform: (claims: JsonObject) => JsonObject): RulesOverride =>
  after('issue.claims', transform);
const body = (transform: (body: JsonObject) => JsonObject): RulesOverride =>
  after('issue.responseBody', transform);

/** Accepts another client if no client has the id and secret. */
const finds = (fits: (client: Client, id: string, secret: string) => boolean): RulesOverride =>
  after(
    'issue.client',
    (found, clients, id, secret) => found ?? clients.find((each) => fits(each, id, secret)),
  );

/** Accepts a client with the right id whose secret passes this comparison. */
const comparesSecret = (fits: (known: string, secret: string) => boolean): RulesOverride =>
  finds((client, id, secret) => client.client_id === id && fits(client.client_secret, secret));

/** A field of the request may be missing. */
const optional = (name: string, lenient: RulesOverride): RulesOverride =>
  compose(
    after('issue.required', (required) => required.filter((each) => each !== name)),
    lenient,
  );

/** Each client gets its first token again, also after that has expired. */
const issuedAgain = stateful(() => {
  const remembered = new Map<string, JsonObject>();
  return after('issue.responseBody', (usual, _body, { client_id }) => {
    const first = remembered.get(client_id) ?? usual;
    remembered.set(client_id, first);
    return first;
  });
});

/** Two of three instances of the service issue other claims. */
const twoOfThree = (transform: (claims: JsonObject) => JsonObject): RulesOverride =>
  stateful(() => {
    let issued = 0;
    return claims((all) => {
      issued += 1;
      return issued % 3 === 0 ? all : transform(all);
    });
  });

/** Section 5, item 4: tokens for client credentials. */
export const clientCredentialsFaults: readonly Fault[] = faultsOf({
  '5.4/token-issued': {
    'token-in-camel-case': body(({ access_token: accessToken, ...rest }) => ({ ...rest, accessToken })),
  },
  '5.4/token-is-jwt': {
    'token-opaque': body((usual) => ({ ...usual, access_token: 'b3BhcXVl' })),
    'issued-scope-string': claims((all) => ({ ...all, scopes: Object.keys(Object(all.scopes)).join(' ') })),
  },
  '5.4/token-works': {
    'issued-expired': claims((all) => ({ ...all, exp: 86_400 })),
    'issued-expired-by-turns': twoOfThree((all) => ({ ...all, exp: 86_400 })),
  },
  '5.4/token-altered': {
    'issued-found-by-jti': compose(
      claims((all) => ({ ...all, jti: 'issued' })),
      everywhere.acceptsToken(({ text }) => claimsOf(text).jti === 'issued'),
    ),
  },
  '5.4/token-expires': {
    // Tokens that the suite mints have this subject.
    'issued-never-expires': after(
      'token.isExpired',
      (usual, _exp, _call, { sub }) => usual && sub === mintedSubject,
    ),
    'issued-again': issuedAgain,
  },
  '5.4/token-scoped': {
    'own-tokens-not-scoped': everywhere.permitsClaim((_claim, _scope, { iss }) => iss !== undefined),
  },
  '5.4/wrong-secret': {
    'secret-by-beginning': comparesSecret((known, secret) => secret.length > 3 && known.startsWith(secret)),
    'secret-any-case': comparesSecret((known, secret) => known.toLowerCase() === secret.toLowerCase()),
    'wrong-secret-200': after('responses.response', (usual) =>
      isObject(usual.body) && usual.body.error === 'invalid_client' ? { ...usual, status: 200 } : usual,
    ),
  },
  '5.4/unknown-client': {
    'client-id-by-beginning': finds(
      (client, id, secret) => id.startsWith(client.client_id) && client.client_secret === secret,
    ),
  },
  '5.4/other-audience': {
    'token-any-audience': compose(
      replace('issue.acceptsAudience', () => true),
      replace('token.acceptsAudience', () => true),
    ),
  },
  '5.4/missing-fields': {
    'grant-type-optional': optional(
      'grant_type',
      after('issue.acceptsGrant', (usual, grant) => usual || grant === ''),
    ),
    'client-id-optional': optional(
      'client_id',
      finds((client, id, secret) => id === '' && client.client_secret === secret),
    ),
    'client-secret-optional': optional(
      'client_secret',
      comparesSecret((_known, secret) => secret === ''),
    ),
  },
  '5.4/unsupported-grant': {
    'grant-by-beginning': after(
      'issue.acceptsGrant',
      (usual, grant) => usual || grant.startsWith('client_credentials'),
    ),
  },
});
