import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { attempt, isObject, type JsonObject, parseJson } from '../contract/json.ts';
import { type Call, refuse } from './call.ts';
import type { TrustedKey } from './keys.ts';
import type { Rules } from './rules.ts';
import { audiencesOf, originsOf, type State } from './state.ts';

/** Enough for a scope matrix. A token with all scopes takes 16 kB. */
const cachedTokens = 1000;

/**
 * The claims of the request's token, which is verified unless it was before.
 * @throws RefusedError 401 if there is no token or it is not valid now
 */
export async function claimsOf(call: Call, state: State): Promise<JsonObject> {
  const { verified } = state;
  const { token: rules } = state.rules;
  const text = rules.sent(call);
  if (text === undefined)
    return rules.anonymous(call) ?? unauthorized('missing_token', 'Missing authentication');
  const key = rules.rememberedAs(text, call);
  const known = rules.remembers(text, call) ? verified.get(key) : undefined;
  const payload = known ?? (await verify(text, state.keys, call, rules));
  if (verified.size >= cachedTokens) verified.clear();
  verified.set(key, payload);
  const claims = rules.claims(payload, call);
  if (rules.isExpired(claims.exp, call, claims)) {
    verified.delete(key);
    unauthorized('expired_token', 'Expired token received');
  }
  if ([claims.nbf, claims.iat].some((time) => rules.isEarly(time, call, claims)))
    unauthorized('early_token', 'Token is not valid yet');
  if (!rules.acceptsAudience(claims.aud, audiencesOf(call, state), call, claims))
    unauthorized('invalid_audience', 'The audience is not this service');
  const issuers = originsOf(call).map((origin) => `${origin}/`);
  if (!rules.acceptsIssuer(claims.iss, issuers, call, claims))
    unauthorized('invalid_issuer', 'The issuer is not trusted');
  return claims;
}

async function verify(text: string, keys: readonly TrustedKey[], call: Call, rules: Rules['token']) {
  const header = attempt(() => ({ ...decodeProtectedHeader(text) }));
  const algorithm = header?.alg;
  if (header === undefined || typeof algorithm !== 'string') {
    return unauthorized('malformed_token', 'Invalid token');
  }
  if (!rules.accepts(algorithm, header, call)) {
    unauthorized('unaccepted_algorithm', 'The algorithm is not accepted');
  }
  const signed = { text, header, algorithm };
  for (const key of rules.candidates(header, keys, call)) {
    if (await rules.verifiesSignature(signed, key, call)) return payloadOf(text);
  }
  return unauthorized('invalid_signature', 'Invalid signature received for JSON Web Token validation');
}

/** The claims set, which must be a JSON object (RFC 7519, section 7.2). */
function payloadOf(text: string): JsonObject {
  const payload = parseJson(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());
  return isObject(payload) ? payload : unauthorized('malformed_token', 'Invalid token');
}

/** Refuses with 401 and a challenge (RFC 6750, section 3). */
function unauthorized(code: string, message: string): never {
  const challenge = code === 'missing_token' ? 'Bearer' : 'Bearer error="invalid_token"';
  return refuse(401, code, message, [['WWW-Authenticate', challenge]]);
}
