import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { isObject, type JsonObject } from '../contract/json.ts';
import { type Call, refuse } from './call.ts';
import { parseJson } from './json.ts';
import type { TrustedKey } from './keys.ts';
import type { Rules } from './rules.ts';

/** Verifies the tokens of one fake, and remembers those that it has verified. */
export interface TokenVerifier {
  /**
   * The claims of the request's token.
   * @throws RefusedError 401 where it carries none, or one that is not valid now
   */
  claims(call: Call, rules: Rules): Promise<JsonObject>;
  /** Forgets every token. */
  forget(): void;
}

/** Enough for a scope matrix; a token with all scopes has 16 kB. */
const remembered = 1000;

/** A verifier for tokens signed by these keys. */
export function createTokenVerifier(keys: readonly TrustedKey[]): TokenVerifier {
  const verified = new Map<string, JsonObject>();
  /** A token that comes many times at once is verified once. */
  const underWay = new Map<string, Promise<JsonObject>>();
  let clockMoves = 0;
  const forget = () => {
    verified.clear();
    underWay.clear();
  };
  const verifyOnce = async (name: string, text: string, call: Call, rules: Rules['token']) => {
    const other = underWay.get(name);
    // A refusal is this call's own: rules may look at the call.
    if (other !== undefined) return other.catch(() => verify(text, keys, call, rules));
    const verifying = verify(text, keys, call, rules);
    underWay.set(name, verifying);
    return verifying.finally(() => {
      if (underWay.get(name) === verifying) underWay.delete(name);
    });
  };
  return {
    async claims(call, { token: rules }) {
      const text = rules.sent(call);
      if (text === undefined) {
        return rules.anonymous(call) ?? unauthorized('missing_token', 'Missing authentication');
      }
      if (call.clockMoves !== clockMoves) forget();
      clockMoves = call.clockMoves;
      const name = rules.rememberedAs(text, call);
      const remembers = rules.remembers(text, call);
      const known = remembers ? verified.get(name) : undefined;
      const payload =
        known ?? (await (remembers ? verifyOnce(name, text, call, rules) : verify(text, keys, call, rules)));
      if (known === undefined) remember(verified, name, payload);
      const claims = rules.claims(payload, call);
      if (rules.isExpired(claims.exp, call, claims)) {
        verified.delete(name);
        unauthorized('expired_token', 'Expired token received');
      }
      if (rules.isEarly(claims.nbf, call, claims)) unauthorized('early_token', 'Token is not valid yet');
      return claims;
    },
    forget,
  };
}

async function verify(
  text: string,
  keys: readonly TrustedKey[],
  call: Call,
  rules: Rules['token'],
): Promise<JsonObject> {
  const header = headerOf(text);
  const algorithm = header?.alg;
  if (header === undefined || typeof algorithm !== 'string') {
    return unauthorized('malformed_token', 'Invalid token');
  }
  if (!rules.accepts(algorithm, header, call)) {
    unauthorized('unaccepted_algorithm', `Algorithm ${algorithm} is not accepted`);
  }
  const signed = { text, header, algorithm };
  const candidates = rules.needsNoKey(header, call) ? [undefined] : rules.candidates(header, keys, call);
  for (const key of candidates) {
    if (await rules.signatureHolds(signed, key, call)) return payloadOf(text);
  }
  return unauthorized('invalid_signature', 'Invalid signature received for JSON Web Token validation');
}

function headerOf(text: string): JsonObject | undefined {
  try {
    return { ...decodeProtectedHeader(text) };
  } catch {
    return undefined;
  }
}

/** The claims set, which must be a JSON object (RFC 7519, section 7.2). */
function payloadOf(text: string): JsonObject {
  const payload = parseJson(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());
  return isObject(payload) ? payload : unauthorized('malformed_token', 'Invalid token');
}

function remember(verified: Map<string, JsonObject>, name: string, claims: JsonObject): void {
  const [oldest] = verified.keys();
  if (verified.size >= remembered && oldest !== undefined) verified.delete(oldest);
  verified.set(name, claims);
}

/** 401 with the challenge of RFC 6750, section 3. */
function unauthorized(code: string, message: string): never {
  const challenge = code === 'missing_token' ? 'Bearer' : 'Bearer error="invalid_token"';
  return refuse(401, code, message, [['WWW-Authenticate', challenge]]);
}
