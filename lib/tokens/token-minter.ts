import { createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import type { Authorization } from '../client/exchange.ts';
import { type Scope, scopesClaim } from '../contract/model.ts';
import type { Clock } from './clock.ts';
import type { Signature } from './jwt.ts';
import { generateSameType, importSigningKey, type SigningKey, sign } from './signing-key.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Mints JSON Web Tokens (RFC 7519): valid ones with the signing key, and invalid ones. */
export type TokenMinter = Awaited<ReturnType<typeof createTokenMinter>>;

export interface TokenMinterOptions {
  /** The private JSON Web Key that the target trusts. */
  readonly signingKey?: unknown;
  readonly issuer?: string;
  readonly audience: string;
  readonly clock: Clock;
  /** Claims in addition to the suite's own or in place of them: `client_id` and `jti` of RFC 9068, another `sub`. */
  readonly claims?: Fields;
  /** Header parameters in addition to `alg` and `kid` or in place of `typ`: `typ: at+jwt` (RFC 9068, section 2.1). */
  readonly tokenHeader?: Fields;
}

/** Lifetime of a minted token in seconds. */
const lifetime = 3600;

/**
 * Seconds for which minted tokens with the same scopes stay the same, so that the target can cache verified tokens. This also
 * keeps `iat` slightly in the past, because clocks differ.
 */
const stableFor = 60;

/** Maximum number of cached tokens. */
const maximumTokens = 2_000;

/** The algorithms of an HMAC (RFC 7518, section 3.2). */
const hmacAlgorithms = ['HS256', 'HS384', 'HS512'] as const;

/** A token minter with the signing key. Rejects with TypeError for a key that it cannot use. */
export async function createTokenMinter(options: TokenMinterOptions) {
  const { clock } = options;
  const key = await importSigningKey(options.signingKey);
  /** Tokens by signing input. The target may cache verified tokens, and some algorithms never repeat a signature. */
  const tokens = new Map<string, Authorization>();
  let untrustedKey: KeyObject | undefined;

  const authorize = (
    header: Fields,
    claims: Fields,
    token: string,
    signature?: Signature,
  ): Authorization => ({
    value: `Bearer ${token}`,
    header,
    claims,
    ...(signature && { signature }),
  });
  const headerOf = (changes: Fields = {}): Fields => ({
    alg: key.alg,
    typ: 'JWT',
    ...options.tokenHeader,
    kid: key.kid,
    ...changes,
  });
  const signWith = (
    privateKey: KeyObject,
    claims: Fields,
    header: Fields,
    signature?: Signature,
  ): Authorization => {
    const input = signingInput(header, claims);
    const signed = sign(key.alg, privateKey, input).toString('base64url');
    return authorize(header, claims, `${input}.${signed}`, signature);
  };

  return {
    /** Claims of a token that is valid now (by the target's clock) and permits the scopes. */
    claims(scopes: readonly Scope[]): Fields {
      const now = clock.now();
      const iat = now - (now % stableFor);
      return {
        ...(options.issuer === undefined ? {} : { iss: options.issuer }),
        aud: options.audience,
        sub: 'conformance',
        ...options.claims,
        iat,
        exp: iat + lifetime,
        scopes: scopesClaim(scopes),
      };
    },
    /** A token signed with the trusted key. Members of `changes` replace those of the header; undefined removes one. */
    async sign(claims: Fields, changes?: Fields): Promise<Authorization> {
      const header = headerOf(changes);
      const input = signingInput(header, claims);
      const token = tokens.get(input) ?? signWith(key.privateKey, claims, header);
      // A large contract needs tens of thousands of tokens, most of them once.
      if (tokens.size >= maximumTokens) tokens.clear();
      tokens.set(input, token);
      return token;
    },
    /** A token signed with another key of the same type, with the trusted key's `kid` unless `changes` replaces it. */
    async signWithUntrustedKey(claims: Fields, changes?: Fields): Promise<Authorization> {
      untrustedKey ??= generateSameType(key);
      const kind = changes?.jwk === undefined ? 'untrusted-key' : 'embedded-key';
      return signWith(untrustedKey, claims, headerOf(changes), kind);
    },
    /** The public part of the untrusted key, for a token's header (RFC 7515, section 4.1.3). */
    async untrustedPublicKey(): Promise<Fields> {
      untrustedKey ??= generateSameType(key);
      return { ...createPublicKey(untrustedKey).export({ format: 'jwk' }), alg: key.alg };
    },
    /** A token without a signature, with `alg: none` (RFC 7519, section 6) unless `changes` replaces it. */
    unsigned(claims: Fields, changes?: Fields): Authorization {
      const header = headerOf({ alg: 'none', ...changes });
      return authorize(header, claims, `${signingInput(header, claims)}.`, 'none');
    },
    /** Tokens signed by HMAC, with the public key as the secret, in each form in which servers load it. */
    async hmacByPublicKey(
      claims: Fields,
      alg: (typeof hmacAlgorithms)[number] = 'HS256',
    ): Promise<readonly Authorization[]> {
      const header = headerOf({ alg });
      const input = signingInput(header, claims);
      return publicKeyForms(key).map(([form, bytes]) => {
        const signature = createHmac(alg.replace('HS', 'sha'), bytes).update(input).digest('base64url');
        return authorize(header, claims, `${input}.${signature}`, form);
      });
    },
    /** A token signed with the trusted key whose payload was changed after signing. */
    async tampered(signed: Fields, shown: Fields): Promise<Authorization> {
      const header = headerOf();
      const signature = sign(key.alg, key.privateKey, signingInput(header, signed)).toString('base64url');
      return authorize(header, shown, `${signingInput(header, shown)}.${signature}`, 'changed-payload');
    },
    /** The target's time, in seconds since the epoch (NumericDate). */
    now: () => clock.now(),
  };
}

/** A token that is signed in one of these ways. Header members that are null are removed. */
export async function signAs(
  minter: TokenMinter,
  signature: Signature,
  claims: Fields,
  changes: Fields = {},
): Promise<Authorization> {
  const entries = Object.entries(changes);
  const header = Object.fromEntries(entries.map(([name, value]) => [name, value ?? undefined]));
  switch (signature) {
    case 'signing-key':
      return minter.sign(claims, header);
    case 'untrusted-key':
      return minter.signWithUntrustedKey(claims, header);
    case 'embedded-key':
      return minter.signWithUntrustedKey(claims, { jwk: await minter.untrustedPublicKey(), ...header });
    case 'none':
      return minter.unsigned(claims, header);
    case 'changed-payload':
      return minter.tampered({ ...claims, scopes: {} }, claims);
    case 'missing': {
      const { value, ...shown } = await minter.sign(claims, header);
      return { ...shown, value: value.slice(0, value.lastIndexOf('.') + 1) };
    }
    default: {
      const alg = hmacAlgorithms.find((each) => each === header.alg);
      const found = (await minter.hmacByPublicKey(claims, alg)).find((each) => each.signature === signature);
      if (found === undefined) throw new TypeError(`${signature} is not a signature`);
      return found;
    }
  }
}

/** The signing input (RFC 7515, section 5.1), without undefined members. */
function signingInput(header: Fields, claims: Fields): string {
  return [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

/** The public key in the forms in which servers load it, as bytes of an HMAC secret. */
function publicKeyForms(key: SigningKey): [form: Signature, bytes: Buffer][] {
  const pem = String(key.publicKey.export({ type: 'spki', format: 'pem' }));
  const { x, y, n } = key.publicJwk;
  const raw = [x, y, n].flatMap((member) => (member === undefined ? [] : [Buffer.from(member, 'base64url')]));
  const withKid = { ...key.publicJwk, kid: key.kid, alg: key.alg, use: 'sig' };
  return [
    ['hmac-pem', Buffer.from(pem)],
    ['hmac-der', key.publicKey.export({ type: 'spki', format: 'der' })],
    ['hmac-pem-trimmed', Buffer.from(pem.trimEnd())],
    ['hmac-jwk', Buffer.from(JSON.stringify(key.publicJwk))],
    ['hmac-jwk-with-kid', Buffer.from(JSON.stringify(withKid))],
    ['hmac-raw', Buffer.concat(raw)],
    ['hmac-base64url', Buffer.from([x, y, n].join(''))],
    ['hmac-kid', Buffer.from(key.kid ?? '')],
    ['hmac-empty', Buffer.alloc(0)],
    // A secret that stands in many examples.
    ['hmac-secret', Buffer.from('secret')],
  ];
}
