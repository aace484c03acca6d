import { createHmac } from 'node:crypto';
import type { Authorization } from '../client/exchange.ts';
import type { JsonObject } from '../contract/json.ts';
import { type Scope, scopesClaim } from '../contract/model.ts';
import type { Clock } from './clock.ts';
import { damaged, type Signature } from './jwt.ts';
import { generateKey, importSigningKey, type SigningKey, sign } from './signing-key.ts';

/** Mints JSON Web Tokens (RFC 7519): valid ones with the signing key, and invalid ones. */
export type TokenMinter = Awaited<ReturnType<typeof createTokenMinter>>;

export interface TokenMinterOptions {
  /** The private JSON Web Key that the target trusts. */
  readonly signingKey?: unknown;
  readonly issuer?: string;
  readonly audience: string;
  readonly clock: Clock;
  /** Claims in addition to the suite's own or in place of them: `client_id` and `jti` of RFC 9068, another `sub`. */
  readonly claims?: JsonObject;
  /** Header parameters in addition to `alg` and `kid` or in place of `typ`: `typ: at+jwt` (RFC 9068, section 2.1). */
  readonly tokenHeader?: JsonObject;
}

/** The `sub` of minted tokens, with characters that identity providers use in subjects. */
export const mintedSubject = 'conformance|suite@clients';

/** Lifetime of a minted token in seconds. */
const lifetime = 3600;

/** Seconds for which minted tokens with the same scopes stay the same, so that the target can cache verified tokens. */
const stableFor = 60;

/** Minimum age of `iat` in seconds: clocks differ, and some libraries refuse an `iat` in the future. */
const issuedBefore = 120;

/** Maximum number of cached tokens. */
const maximumTokens = 2_000;

/** A token minter with the signing key. Rejects with TypeError for a key that it cannot use. */
export async function createTokenMinter(options: TokenMinterOptions) {
  const { clock } = options;
  const key = await importSigningKey(options.signingKey);
  /** Tokens by signing input. The target may cache verified tokens, and some algorithms never repeat a signature. */
  const tokens = new Map<string, Promise<Authorization>>();
  let generated: Promise<SigningKey> | undefined;
  const untrustedKey = () => {
    generated ??= generateKey(key.alg).then(importSigningKey);
    return generated;
  };

  /** The header of a token that is signed in this way, with changed members; undefined removes one. */
  const headerOf = async (signature: Signature, changes: JsonObject): Promise<JsonObject> => {
    const header: JsonObject = {
      alg: signature === 'none' ? 'none' : signature.startsWith('hmac') ? 'HS256' : key.alg,
      typ: 'JWT',
      ...options.tokenHeader,
      kid: key.kid,
      ...changes,
    };
    if (signature !== 'embedded-key') return header;
    const { publicJwk } = await untrustedKey();
    return { ...header, jwk: { ...publicJwk, alg: key.alg, kid: header.kid } };
  };
  /** The last part of a token, in base64url. */
  const signatureOf = async (signature: Signature, { alg }: JsonObject, input: string): Promise<string> => {
    if (signature === 'none') return '';
    if (!signature.startsWith('hmac')) {
      const { privateKey } = signature === 'signing-key' ? key : await untrustedKey();
      return sign(key.alg, privateKey, input).toString('base64url');
    }
    // The hash functions of the HMAC algorithms (RFC 7518, section 3.2).
    const [, bits = '256'] = /^HS(256|384|512)$/.exec(String(alg)) ?? [];
    const secret = hmacSecrets[signature]?.(key) ?? '';
    return createHmac(`sha${bits}`, secret).update(input).digest('base64url');
  };
  const signed = async (
    signature: Signature,
    claims: JsonObject,
    header: JsonObject,
  ): Promise<Authorization> => {
    const input = signingInput(header, claims);
    return {
      value: `Bearer ${input}.${await signatureOf(signature, header, input)}`,
      header,
      claims,
      ...(signature !== 'signing-key' && { signature }),
    };
  };

  /** A valid token, the same one for the same content. */
  const valid = (claims: JsonObject, header: JsonObject): Promise<Authorization> => {
    const input = signingInput(header, claims);
    const known = tokens.get(input);
    if (known !== undefined) return known;
    // A large contract needs tens of thousands of tokens, most of them once.
    if (tokens.size >= maximumTokens) tokens.clear();
    const token = signed('signing-key', claims, header);
    tokens.set(input, token);
    return token;
  };

  /** A token with the signature of a valid token with other claims than it shows. */
  const tampered = async (claims: JsonObject, shown: JsonObject): Promise<Authorization> => {
    const { value, header = {} } = await valid(claims, await headerOf('signing-key', {}));
    const signature = value.slice(value.lastIndexOf('.'));
    const token = `Bearer ${signingInput(header, shown)}${signature}`;
    return { value: token, header, claims: shown, signature: 'changed-payload' };
  };

  return {
    /** Claims of a token that is valid now (by the target's clock) and permits the scopes. */
    claims(scopes: readonly Scope[]): JsonObject {
      const now = clock.now();
      const iat = now - (now % stableFor) - issuedBefore;
      return {
        ...(options.issuer === undefined ? {} : { iss: options.issuer }),
        aud: options.audience,
        sub: mintedSubject,
        ...options.claims,
        iat,
        exp: iat + lifetime,
        scopes: scopesClaim(scopes),
      };
    },
    /** A token that is signed in this way. Members of `changes` replace those of the header; undefined removes one. */
    async sign(
      claims: JsonObject,
      changes: JsonObject = {},
      signature: Signature = 'signing-key',
    ): Promise<Authorization> {
      if (signature === 'changed-payload') return tampered({ ...claims, scopes: {} }, claims);
      const header = await headerOf(signature, changes);
      if (signature === 'signing-key') return valid(claims, header);
      const damage = damaged[signature];
      if (damage === undefined) return signed(signature, claims, header);
      const token = await valid(claims, header);
      return { ...token, value: token.value.replace(/[^.]*$/, damage), signature };
    },
    tampered,
    /** The target's time, in seconds since the epoch (NumericDate). */
    now: () => clock.now(),
  };
}

/** The signing input (RFC 7515, section 5.1). */
function signingInput(header: JsonObject, claims: JsonObject): string {
  return [header, claims].map(encodePart).join('.');
}

/** The header or the claims of a token in base64url, without undefined members. */
export function encodePart(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Secrets of an HMAC: the public key in the forms in which servers load it, and secrets that are easily guessed. */
const hmacSecrets: Readonly<Record<string, (key: SigningKey) => string | Buffer>> = {
  'hmac-pem': pemOf,
  'hmac-pem-trimmed': (key) => pemOf(key).trimEnd(),
  'hmac-der': ({ publicKey }) => publicKey.export({ type: 'spki', format: 'der' }),
  'hmac-jwk': ({ publicJwk }) => JSON.stringify(publicJwk),
  // As the `keys` command prints it.
  'hmac-jwk-with-kid': ({ publicKey, kid, alg }) =>
    JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }),
  'hmac-raw': (key) => Buffer.concat(numbersOf(key).map((member) => Buffer.from(member, 'base64url'))),
  'hmac-base64url': (key) => numbersOf(key).join(''),
  'hmac-kid': ({ kid }) => kid,
  // It stands in many examples.
  'hmac-secret': () => 'secret',
  'hmac-empty': () => '',
};

function pemOf({ publicKey }: SigningKey): string {
  return String(publicKey.export({ type: 'spki', format: 'pem' }));
}

/** The numbers of which the public key consists, in base64url. */
function numbersOf({ publicJwk: { x = '', y = '', n = '' } }: SigningKey): readonly string[] {
  return [x, y, n];
}
