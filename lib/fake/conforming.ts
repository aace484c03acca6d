import { STATUS_CODES } from 'node:http';
import { JOSEError } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { isObject, parseJson } from '../contract/json.ts';
import { covers } from '../contract/media-types.ts';
import type { Contract } from '../contract/model.ts';
import { parseForm, parseMultipart } from './bodies.ts';
import type { Call, WireResponse } from './call.ts';
import { jsonOf } from './json.ts';
import type { Rules } from './rules.ts';
import { templateMessage, templateProblem } from './templates.ts';
import { percentDecode } from './urlencoded.ts';

/** How many bytes of a refused body are still read, so that a client that is still sending can read the response. */
const drainedBytes = 64 * 1024 * 1024;

const algorithms = new Set(['EdDSA', 'Ed25519', 'ES256', 'RS256', 'PS256']);

/** The rules of a service that conforms to the specification and, where that is silent, behaves as services of this kind usually do. */
export function conformingRules(contract: Contract): Rules {
  return {
    checks: ['rate', 'payload', 'token', 'scopes', 'parameters', 'mediaType', 'body'],
    routing: { target: (target) => target },
    payload: {
      limit: () => contract.payload.refuses - 1,
      drained: () => drainedBytes,
      trustsDeclared: () => true,
      received: (body) => body,
    },
    rate: { retryAfter: () => undefined },
    token: {
      // RFC 6750, section 2.1; the scheme is case-insensitive.
      sent: ({ headers: { authorization = '' } }) => /^bearer +(\S+) *$/i.exec(authorization)?.[1],
      anonymous: () => undefined,
      remembers: () => true,
      rememberedAs: (token) => token,
      // Extensions of JWS are not supported (RFC 7515, section 4.1.11; RFC 7797).
      accepts: (algorithm, { crit, b64 }) =>
        algorithms.has(algorithm) && crit === undefined && b64 === undefined,
      candidates: ({ kid }, keys) => (kid === undefined ? keys : keys.filter((key) => key.kid === kid)),
      async verifiesSignature({ text, algorithm }, key) {
        if (key === undefined || !isCanonical(text)) return false;
        try {
          await compactVerify(text, key.jwk, { algorithms: [algorithm] });
          return true;
        } catch (error) {
          if (error instanceof JOSEError || error instanceof TypeError) return false;
          throw error;
        }
      },
      isExpired: (exp, call) => typeof exp !== 'number' || !(call.now < exp * 1000),
      isEarly: isInFuture,
      acceptsAudience: (aud, expected) =>
        [aud].flat().some((each) => typeof each === 'string' && expected.includes(each)),
      acceptsIssuer: (iss, expected) => typeof iss === 'string' && expected.includes(iss),
      claims: (claims) => claims,
    },
    scopes: {
      required: (operation) => operation.scopes,
      permits(claim, { resource, verb }) {
        if (!isObject(claim) || !Object.hasOwn(claim, resource)) return false;
        const granted = claim[resource];
        return isObject(granted) && Array.isArray(granted.actions) && granted.actions.includes(verb);
      },
    },
    parameters: {
      decodedPath: percentDecode,
      repeated: () => undefined,
      empty: () => 'refused',
      numberOf: strictNumber,
      absent: (parameter) => parameter.schema.default,
      value: (value) => value,
      violations: (found) => found,
      refusedNames: () => [],
    },
    body: {
      mediaType: (sent, { body }) => body?.content.find(({ mediaType }) => covers(mediaType, sent ?? '')),
      parsed: (text, media, { headers }) => {
        if (media.kind === 'multipart')
          return parseMultipart(contract, media, text, headers['content-type'] ?? '');
        return media.kind === 'form' ? parseForm(contract, media, text) : parseJson(text);
      },
      violations: (found) => found,
    },
    templates: {
      checked: (fields) => fields,
      problem: (_field, text) => templateProblem(text),
      message: templateMessage,
      stored: (sent) => sent,
      answered: (sent) => sent,
    },
    checkpoints: {
      isValid: (issuedAt, call, { lifetime }) => call.now - issuedAt < lifetime * 1000,
      expired: () => 'restart',
      invalid: () => 'refuse',
      issuedAt: (call) => call.now,
      shown: (sealed) => sealed,
      read: (text) => text,
    },
    experiments: {
      listed: (listing) => listing,
      filters: (requested) => requested,
      matches: (_name, wanted, found) => wanted === found,
      start: (index) => index,
      items: (items) => items,
      next: (page) => page.nextPosition,
      shown: (item) => item,
      answered: (answer) => answer,
    },
    paging: {
      size: (requested, pagination) => requested ?? pagination.size.default,
      maximum: (pagination, call) => pagination.size.maximum[call.cloud],
    },
    versions: {
      found: (actions, id) => actions.get(id),
      listed: (action) => action.versions,
      items: (items, { page, perPage }) => items.slice(page * perPage, (page + 1) * perPage),
      shown: (shown) => shown,
      answered: (answer) => answer,
    },
    policies: {
      found: (policies, id) => policies.get(id),
      remove: (policies, policy) => void policies.delete(policy.id),
    },
    customText: {
      found: (profiles, id) => profiles.get(id),
      shown: (texts) => texts,
    },
    correlation: {
      sent: ({ header }, call) => call.headers[header.toLowerCase()]?.toString() || undefined,
      recorded: (id, { recordedLength }) => id.slice(0, recordedLength),
      logs: (status) => status < 400,
    },
    issue: {
      required: () => ['grant_type', 'client_id', 'client_secret', 'audience'],
      client: (clients, id, secret) =>
        clients.find((each) => each.client_id === id && each.client_secret === secret),
      acceptsGrant: (grantType) => grantType === 'client_credentials',
      acceptsAudience: (audience, expected) => expected.includes(audience),
      lifetime: 86_400,
      claims: (claims) => claims,
      answered: (answer) => answer,
    },
    responses: {
      refusal: (refusal) => refusal,
      executedAfterRefusal: () => undefined,
      error: ({ status, message, code }) => ({
        statusCode: status,
        error: STATUS_CODES[status] ?? 'Error',
        message,
        errorCode: code,
      }),
      response: (answer) => answer,
      serialized: jsonOf,
      wire: (answer: WireResponse) => answer,
    },
    control: {
      supports: ['seed', 'inspect', 'clock', 'logs'],
      inspected: (data) => data,
      logged: (entries, prefix) =>
        entries
          .filter(({ references }) => references.correlation_id.startsWith(prefix))
          .map(({ at: _at, ...entry }) => entry),
    },
  };
}

/** Seconds by which the issuer's clock may be ahead. */
const clockSkew = 60;

/** True for a time, in seconds, that is later than now plus the clock skew, and for a value that is not a number. */
function isInFuture(time: unknown, call: Call): boolean {
  return time !== undefined && !(typeof time === 'number' && (time - clockSkew) * 1000 <= call.now);
}

/** Several base64url texts decode to the same bytes; RFC 4648, section 3.5, lets decoders refuse all but one. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** Parses a number in JSON's syntax, and an integer only without a fraction or exponent. Huge ones stay finite. */
function strictNumber(text: string, { schema }: { schema: { type?: unknown } }): number | undefined {
  const shape = schema.type === 'integer' ? /^(0|-?[1-9]\d*)$/ : /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
  if (!shape.test(text)) return undefined;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(text)));
}
