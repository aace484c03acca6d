import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import { isObject, type JsonObject, parseJson } from '../contract/json.ts';
import { parseScope, scopesClaim } from '../contract/model.ts';
import { percentDecode } from '../contract/styles.ts';
import type { Body, Call, FakeResponse } from './call.ts';
import { checkPayload, checkRate } from './checks.ts';
import { textsOf } from './handlers.ts';
import { type FakeSigningKey, ownAlgorithm } from './keys.ts';
import type { Client } from './rules.ts';
import { audiencesOf, type State } from './state.ts';
import { parsePairs } from './urlencoded.ts';

/** Signs a token with the fake's own key. */
export function signToken(claims: JsonObject, { key, publicJwk }: FakeSigningKey): Promise<string> {
  const { kid = '' } = publicJwk;
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: ownAlgorithm, typ: 'JWT', kid }).sign(key);
}

/** The claims of a token that a service with this origin issues now; times in seconds. The contract must have the scopes. */
export function tokenClaims(
  subject: string,
  scopes: readonly string[],
  lifetime: number,
  { now, origin, audience }: { now: number; origin: string; audience: string },
): JsonObject {
  const issuedAt = Math.floor(now / 1000);
  return {
    iss: `${origin}/`,
    sub: subject,
    aud: audience,
    iat: issuedAt,
    exp: issuedAt + lifetime,
    jti: randomUUID(),
    scopes: scopesClaim(scopes.flatMap((name) => parseScope(name) ?? [])),
  };
}

/** Serves the client-credentials grant (section 5.4; RFC 6749, sections 4.4 and 5). */
export async function issueToken(call: Call, body: Body, state: State): Promise<FakeResponse> {
  const { issue: rules } = state.rules;
  checkRate(call, state.rules);
  checkPayload(body);
  const fields = fieldsOf(call, body);
  if (fields === undefined)
    return refused('invalid_request', 'The body is neither a form nor JSON of strings');
  const missing = rules.required(call).find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return refused('invalid_request', `${missing} is missing`);
  const { grant_type: grant = '', client_id: id = '', client_secret: secret = '', audience = '' } = fields;
  if (!rules.acceptsGrant(grant))
    return refused('unsupported_grant_type', `The grant ${grant} is not supported`);
  const client = rules.client(state.clients, id, secret);
  if (client === undefined) {
    const byBasic = call.headers.authorization !== undefined;
    const challenge: [string, string][] = byBasic ? [['WWW-Authenticate', 'Basic realm="token"']] : [];
    return refused('invalid_client', 'Client authentication failed', 401, challenge);
  }
  if (!rules.acceptsAudience(audience, audiencesOf(call, state)))
    return refused('invalid_target', `There is no service ${audience}`);
  const scopes = grantedScopes(fields.scope, client);
  if (scopes === undefined) return refused('invalid_scope', 'A scope is not granted to the client');
  const usual = tokenClaims(client.client_id, scopes, rules.lifetime, {
    now: call.now,
    origin: call.origin,
    audience,
  });
  const answer = {
    access_token: await signToken(rules.claims(usual, client), state.signingKey),
    token_type: 'Bearer',
    expires_in: rules.lifetime,
    scope: scopes.join(' '),
  };
  return { status: 200, headers: notStored, body: rules.responseBody(answer, client) };
}

/** Responses of the token endpoint must not be cached (RFC 6749, section 5.1). */
const notStored: FakeResponse['headers'] = [
  ['Cache-Control', 'no-store'],
  ['Pragma', 'no-cache'],
];

/** An error response (RFC 6749, section 5.2). */
function refused(error: string, description: string, status = 400, headers: FakeResponse['headers'] = []) {
  return { status, headers: [...notStored, ...headers], body: { error, error_description: description } };
}

/** The requested scopes (RFC 6749, section 3.3), by default all of the client's; undefined if the client does not have one of them. */
function grantedScopes(requested: string | undefined, client: Client): readonly string[] | undefined {
  const names = requested?.split(' ').filter(Boolean) ?? [];
  if (names.length === 0) return client.scopes;
  return names.every((name) => client.scopes.includes(name)) ? [...new Set(names)] : undefined;
}

/**
 * The request's fields with the client's credentials, from the body or the header. Undefined if the body is neither a form
 * nor JSON, or if a field is repeated.
 */
function fieldsOf(
  { mediaType = '', headers }: Call,
  { bytes }: Body,
): Readonly<Record<string, string>> | undefined {
  if (!/^application\/(json|x-www-form-urlencoded)$/.test(mediaType)) return undefined;
  const text = Buffer.from(bytes).toString();
  const pairs = mediaType === 'application/json' ? undefined : parsePairs(text);
  const isUnique = pairs !== undefined && new Map(pairs).size === pairs.length;
  const body = mediaType === 'application/json' ? parseJson(text) : isUnique && Object.fromEntries(pairs);
  if (!isObject(body)) return undefined;
  return { ...textsOf(body), ...basicCredentials(headers.authorization) };
}

/** Client credentials of the Basic scheme, each form-encoded (RFC 6749, section 2.3.1). */
function basicCredentials(authorization: string | undefined): Readonly<Record<string, string>> {
  const encoded = /^basic +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return {};
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  const decoded = (text: string): string => percentDecode(text.replaceAll('+', ' ')) ?? text;
  return { client_id: decoded(id), client_secret: decoded(secret) };
}
