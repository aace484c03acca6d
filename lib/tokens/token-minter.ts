import { createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import type { Authorization } from '../client/exchange.ts';
import type { Scope } from '../contract/model.ts';
import type { Clock } from './clock.ts';
import { scopesClaim } from './jwt.ts';
import { generateSibling, importSigningKey, type SigningKey, sign } from './signing-key.ts';

/** JSON Web Tokens (RFC 7519) made with the signing key, and ones that only look like it. */
export interface TokenMinter {
  /** Claims of a token that is valid now (by the target's clock) and permits the scopes. */
  claims(scopes: readonly Scope[]): Readonly<Record<string, unknown>>;
  /** Signed by the trusted key; `header` fields go over the usual ones, undefined takes one away. */
  sign(
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<Authorization>;
  /** Signed by another key of the same kind, which carries the trusted key's `kid` unless `header` says otherwise. */
  signWithUntrustedKey(
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<Authorization>;
  /** The stranger's public key, as a token may carry it (RFC 7515, section 4.1.3). */
  untrustedPublicKey(): Promise<Readonly<Record<string, unknown>>>;
  /** `alg: none` (RFC 7519, section 6): no signature. */
  unsigned(claims: Readonly<Record<string, unknown>>, alg?: string): Authorization;
  /** HS256 with the public key as its secret, in each form in which servers are known to load it. */
  hmacByPublicKey(
    claims: Readonly<Record<string, unknown>>,
  ): Promise<readonly { form: string; token: Authorization }[]>;
  /** A token of the trusted key whose payload was changed after signing. */
  tampered(
    signed: Readonly<Record<string, unknown>>,
    shown: Readonly<Record<string, unknown>>,
  ): Promise<Authorization>;
  /** The target's now, in seconds since the epoch (NumericDate). */
  now(): number;
}

export interface ForgeOptions {
  /** The private JSON Web Key that the target trusts. */
  readonly signingKey: unknown;
  readonly issuer?: string;
  readonly audience: string;
  readonly clock: Clock;
}

/** Seconds that a minted token is valid. */
const lifetime = 3600;

/**
 * Seconds for which minted tokens of the same scopes are the same, so that the target may cache what it verified. It
 * also keeps `iat` a little in the past, as clocks differ.
 */
const stableFor = 60;

/** Tokens kept, of up to 16 kB; beyond it the one that was used longest ago goes. */
const maximumCached = 500;

type Fields = Readonly<Record<string, unknown>>;

/** A token minter with the signing key. Rejects with TypeError for a key that it can't use. */
export async function createTokenMinter(options: ForgeOptions): Promise<TokenMinter> {
  const { clock } = options;
  const key = await importSigningKey(options.signingKey);
  const cache = new Map<string, Authorization>();
  /** The claims that were made here, which nobody changes, by time and scopes; and what they were signed to. */
  const usual = new Map<string, Fields>();
  /** Those that were last made of the very same list. */
  const lately = new WeakMap<readonly Scope[], Fields>();
  const signed = new WeakMap<Fields, Authorization>();
  let stranger: KeyObject | undefined;

  const authorize = (header: Fields, claims: Fields, token: string): Authorization => ({
    value: `Bearer ${token}`,
    header,
    claims,
  });
  const usualHeader = (changes: Fields = {}): Fields => ({
    alg: key.alg,
    typ: 'JWT',
    kid: key.kid,
    ...changes,
  });
  const signWith = (privateKey: KeyObject, claims: Fields, header: Fields): Authorization => {
    const input = signingInput(header, claims);
    return authorize(header, claims, `${input}.${sign(key.alg, privateKey, input).toString('base64url')}`);
  };

  return {
    claims(scopes: readonly Scope[]) {
      const now = clock.now();
      const iat = now - (now % stableFor);
      const before = lately.get(scopes);
      if (before?.iat === iat) return before;
      const named = [iat, ...scopes.flatMap(({ verb, resource }) => [verb, resource])].join(' ');
      const known = usual.get(named);
      if (known !== undefined) {
        lately.set(scopes, known);
        return known;
      }
      if (usual.size >= maximumCached) usual.clear();
      const claims = Object.freeze({
        ...(options.issuer === undefined ? {} : { iss: options.issuer }),
        aud: options.audience,
        sub: 'conformance',
        iat,
        exp: iat + lifetime,
        scopes: scopesClaim(scopes),
      });
      usual.set(named, claims);
      lately.set(scopes, claims);
      return claims;
    },
    async sign(claims, changes) {
      const known = changes === undefined ? signed.get(claims) : undefined;
      if (known !== undefined) return known;
      const header = usualHeader(changes);
      const cacheKey = signingInput(header, claims);
      const made = cache.get(cacheKey) ?? signWith(key.privateKey, claims, header);
      const [oldest] = cache.keys();
      if (cache.size >= maximumCached && oldest !== undefined) cache.delete(oldest);
      // What is used again is the youngest again.
      cache.delete(cacheKey);
      cache.set(cacheKey, made);
      if (changes === undefined && Object.isFrozen(claims)) signed.set(claims, made);
      return made;
    },
    async signWithUntrustedKey(claims, changes) {
      stranger ??= generateSibling(key);
      return signWith(stranger, claims, usualHeader(changes));
    },
    async untrustedPublicKey() {
      stranger ??= generateSibling(key);
      return { ...createPublicKey(stranger).export({ format: 'jwk' }), alg: key.alg };
    },
    unsigned(claims, alg = 'none') {
      const header = { alg, typ: 'JWT' };
      return authorize(header, claims, `${signingInput(header, claims)}.`);
    },
    async hmacByPublicKey(claims) {
      const header = usualHeader({ alg: 'HS256' });
      const input = signingInput(header, claims);
      return publicKeyForms(key).map(({ form, bytes }) => {
        const signature = createHmac('sha256', bytes).update(input).digest('base64url');
        return { form, token: authorize(header, claims, `${input}.${signature}`) };
      });
    },
    async tampered(signed, shown) {
      const header = usualHeader();
      const signature = sign(key.alg, key.privateKey, signingInput(header, signed)).toString('base64url');
      return authorize(header, shown, `${signingInput(header, shown)}.${signature}`);
    },
    now: () => clock.now(),
  };
}

/** What is signed (RFC 7515, section 5.1); members that are undefined are left out. */
function signingInput(header: Fields, claims: Fields): string {
  return [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

/** The public key as servers load it, each form as the secret of an HMAC. */
function publicKeyForms(key: SigningKey): { form: string; bytes: Buffer }[] {
  const pem = String(key.publicKey.export({ type: 'spki', format: 'pem' }));
  const { x, y, n } = key.publicJwk;
  const raw = [x, y, n].flatMap((member) => (member === undefined ? [] : [Buffer.from(member, 'base64url')]));
  return [
    { form: 'PEM', bytes: Buffer.from(pem) },
    { form: 'PEM without its last line break', bytes: Buffer.from(pem.trimEnd()) },
    { form: 'DER', bytes: key.publicKey.export({ type: 'spki', format: 'der' }) },
    { form: 'JWK', bytes: Buffer.from(JSON.stringify(key.publicJwk)) },
    {
      form: 'JWK with kid and alg',
      bytes: Buffer.from(JSON.stringify({ ...key.publicJwk, kid: key.kid, alg: key.alg, use: 'sig' })),
    },
    { form: 'raw bytes', bytes: Buffer.concat(raw) },
  ];
}
