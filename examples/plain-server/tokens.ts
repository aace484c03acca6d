import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';
import type { Behavior, Client } from './behavior.ts';
import { isRecord, Refusal } from './model.ts';

/** RFC 7518 and RFC 8037: what a key must be, and how node:crypto checks with it. */
const ALGORITHMS = new Map([
  ['EdDSA', { kty: 'OKP', crv: 'Ed25519', hash: undefined, how: {} }],
  ['ES256', { kty: 'EC', crv: 'P-256', hash: 'sha256', how: { dsaEncoding: 'ieee-p1363' as const } }],
  ['RS256', { kty: 'RSA', crv: undefined, hash: 'sha256', how: { padding: constants.RSA_PKCS1_PADDING } }],
  [
    'PS256',
    {
      kty: 'RSA',
      crv: undefined,
      hash: 'sha256',
      how: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
    },
  ],
]);

/**
 * Whether a trusted key made this signature. The algorithm comes from the list above and must fit the key, so
 * that neither `none` nor an HMAC keyed with a public key is ever tried.
 */
export function verifySignature(
  header: Record<string, unknown>,
  signed: string,
  signature: string,
  keys: JsonWebKey[],
): boolean {
  const algorithm = typeof header.alg === 'string' ? ALGORITHMS.get(header.alg) : undefined;
  const bytes = decode(signature);
  // No extension is understood here, and RFC 7515 has a critical one that is not understood refused.
  if (algorithm === undefined || bytes === undefined || header.crit !== undefined) return false;
  return keys.some(
    (key) =>
      key.kty === algorithm.kty &&
      key.crv === algorithm.crv &&
      (key.alg ?? header.alg) === header.alg &&
      (key.use ?? 'sig') === 'sig' &&
      (header.kid === undefined || key.kid === header.kid) &&
      verify(
        algorithm.hash,
        Buffer.from(signed),
        { key: createPublicKey({ key, format: 'jwk' }), ...algorithm.how },
        bytes,
      ),
  );
}

/** The scopes of the bearer token in an `Authorization` header (section 5). */
export function readScopes(
  authorization: string | undefined,
  keys: JsonWebKey[],
  rules: Behavior,
  nowSeconds: number,
): Record<string, unknown> {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new Refusal('unauthenticated', 'A bearer token is required.');
  const [head = '', payload = '', signature, ...more] = token.split('.');
  const header = decodeObject(head);
  if (header === undefined || signature === undefined || more.length > 0) {
    throw new Refusal('invalid', 'The bearer token is not a JSON Web Token.');
  }
  // The payload is looked into only once it is known to be genuine.
  const genuine = rules.verifySignature(header, `${head}.${payload}`, signature, keys);
  const claims = genuine ? decodeObject(payload) : undefined;
  if (claims === undefined) throw new Refusal('unauthenticated', 'The signature of the token is invalid.');
  if (rules.isExpired(claims.exp, nowSeconds)) throw new Refusal('unauthenticated', 'The token has expired.');
  if (!isRecord(claims.scopes)) throw new Refusal('unauthenticated', 'The token has no map of scopes.');
  return claims.scopes;
}

/** Signs this server's own tokens; `publicKey` is to be trusted besides the configured ones. */
export interface Issuer {
  publicKey: JsonWebKey;
  sign(claims: Record<string, unknown>): string;
}

/** An issuer with a fresh Ed25519 key. */
export function createIssuer(): Issuer {
  const pair = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const kid = randomUUID();
  return {
    // Read from PEM: the JWK export of a key that was just generated may hang on Node 20.
    publicKey: { ...createPublicKey(pair.publicKey).export({ format: 'jwk' }), kid },
    sign(claims) {
      const signed = `${encode({ alg: 'EdDSA', kid, typ: 'JWT' })}.${encode(claims)}`;
      return `${signed}.${sign(undefined, Buffer.from(signed), pair.privateKey).toString('base64url')}`;
    },
  };
}

/** What arrived at the token endpoint. */
export interface TokenRequest {
  mediaType: string;
  body: string;
  authorization: string | undefined;
  /** As the client addressed this server, for an absolute audience. */
  origin: string;
  nowSeconds: number;
}

/** The client-credentials grant (section 5; RFC 6749, 4.4 and 5). */
export function grantToken(
  request: TokenRequest,
  clients: Client[],
  issuer: Issuer,
  rules: Behavior,
): { status: number; body: Record<string, unknown> } {
  const refused = (error: string, status = 400) => ({ status, body: { error } });
  if (request.mediaType !== 'application/x-www-form-urlencoded') return refused('invalid_request');
  const form = new URLSearchParams(request.body);
  const credentials = basicCredentials(request.authorization) ?? form;
  const client = clients.find((known) => known.client_id === credentials.get('client_id'));
  const secret = credentials.get('client_secret') ?? '';
  if (client === undefined || !rules.acceptsSecret(client, secret)) return refused('invalid_client', 401);
  if (!form.has('grant_type')) return refused('invalid_request');
  if (form.get('grant_type') !== 'client_credentials') return refused('unsupported_grant_type');
  if (!rules.acceptsAudience(form.get('audience'), request.origin)) return refused('invalid_request');
  const scopes = form.get('scope')?.split(' ') ?? client.scopes;
  if (!scopes.every((scope) => client.scopes.includes(scope))) return refused('invalid_scope');
  const access_token = issuer.sign({
    sub: client.client_id,
    aud: '/api/v2/',
    iat: request.nowSeconds,
    exp: request.nowSeconds + rules.tokenLifetimeSeconds,
    jti: randomUUID(),
    scopes: rules.scopesClaim(scopes),
  });
  const expires_in = rules.tokenLifetimeSeconds;
  return { status: 200, body: { access_token, token_type: 'Bearer', expires_in, scope: scopes.join(' ') } };
}

/** As if they stood in the form: RFC 6749, 2.3.1 has id and secret form-encoded before they are joined. */
function basicCredentials(authorization: string | undefined): URLSearchParams | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  return new URLSearchParams(`client_id=${id}&client_secret=${secret}`);
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Undefined unless `text` is just what encoding gives: Buffer overlooks stray characters and spare bits. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

function decodeObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(decode(text)?.toString() ?? '');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
