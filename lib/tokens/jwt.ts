import { parseBoundedJson } from '../client/json-bounds.ts';
import { isObject, type JsonObject } from '../contract/json.ts';

/** How a token may be signed. All but the first must be refused. */
export const signatures = [
  'signing-key',
  'untrusted-key',
  'embedded-key',
  'none',
  'changed-payload',
  'missing',
  'cut',
  'extended',
  'zeroed',
  'other-case',
  'further-part',
  'hmac-pem',
  'hmac-pem-trimmed',
  'hmac-der',
  'hmac-jwk',
  'hmac-jwk-with-kid',
  'hmac-raw',
  'hmac-base64url',
  'hmac-kid',
  'hmac-empty',
  'hmac-secret',
] as const;
export type Signature = (typeof signatures)[number];
export type InvalidSignature = Exclude<Signature, 'signing-key'>;

/** How what follows the payload of a valid token is damaged. */
export const damaged: Readonly<Partial<Record<Signature, (valid: string) => string>>> = {
  missing: () => '',
  cut: (valid) => valid.slice(0, -4),
  extended: (valid) => `${valid}AAAA`,
  zeroed: (valid) => 'A'.repeat(valid.length),
  'other-case': (valid) => swapCase(valid),
  'further-part': (valid) => `${valid}.AAAA`,
};

/** The text with each letter in the other case. */
export const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (each) => (each < 'a' ? each.toLowerCase() : each.toUpperCase()));

/** Header and claims of a JSON Web Token in compact form (RFC 7519), or undefined for any other text. Nothing is verified. */
export function decodeJwt(token: string): { header: JsonObject; claims: JsonObject } | undefined {
  const parts = token.split('.');
  const [header, claims] = parts.slice(0, 2).map(decodeObject);
  return parts.length !== 3 || header === undefined || claims === undefined ? undefined : { header, claims };
}

function decodeObject(part: string): JsonObject | undefined {
  const value = parseBoundedJson(Buffer.from(part, 'base64url'));
  return isObject(value) ? value : undefined;
}

/**
 * The scope names that claims permit, from the `scopes` map, else from a `scope` string (RFC 8693, section 4.2). Undefined if
 * there is neither.
 */
export function permittedScopes(claims: JsonObject): ReadonlySet<string> | undefined {
  const { scopes, scope } = claims;
  if (isObject(scopes)) {
    const names = Object.entries(scopes).flatMap(([resource, entry]) => {
      const verbs = isObject(entry) && Array.isArray(entry.actions) ? entry.actions : [];
      return verbs.map((verb) => `${verb}:${resource}`);
    });
    return new Set(names);
  }
  return typeof scope === 'string' ? parseScopeText(scope) : undefined;
}

/** Parses scope names in the format of OAuth (RFC 6749, section 3.3): separated by blanks. */
export function parseScopeText(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((name) => name !== ''));
}
