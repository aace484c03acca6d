import { behavior } from './behavior.ts';
import { fieldsOf, type PlainServerFault } from './fault.ts';
import { Refusal } from './model.ts';

/** Defects of authentication and correlation IDs (section 5). */
export const authenticationFaults: PlainServerFault[] = [
  // Section 5: tokens
  {
    name: 'token-signature-unchecked',
    violates: 'A token with an invalid signature is answered with 401.',
    behavior: { verifySignature: () => true },
  },
  {
    name: 'token-alg-none-accepted',
    violates: 'A token with an invalid signature is answered with 401, so one without a signature is too.',
    behavior: {
      verifySignature: (header, ...rest) =>
        header.alg === 'none' || behavior.verifySignature(header, ...rest),
    },
  },
  {
    name: 'token-unknown-key-accepted',
    violates: 'A token of a key that is not trusted is answered with 401.',
    behavior: {
      verifySignature(header, signed, signature, keys) {
        const known = keys.some((key) => key.kid === header.kid);
        return !known || behavior.verifySignature(header, signed, signature, keys);
      },
    },
  },
  {
    name: 'token-expiry-unchecked',
    violates: 'An expired token is answered with 401.',
    behavior: { isExpired: () => false },
  },
  {
    name: 'token-expiry-leeway-of-a-day',
    violates: 'An expired token is answered with 401, not only one that expired long ago.',
    behavior: { isExpired: (exp, nowSeconds) => behavior.isExpired(exp, nowSeconds - 24 * 60 * 60) },
  },
  {
    name: 'token-refused-with-400',
    violates: 'The status for an expired token or an invalid signature is 401.',
    behavior: { status: { ...behavior.status, unauthenticated: 400 } },
  },

  // Section 5: scopes
  {
    name: 'scopes-unchecked',
    violates: 'An operation that the scopes do not permit is answered with 403.',
    behavior: { permits: () => true },
  },
  {
    name: 'scope-verb-ignored',
    violates: 'The scopes permit the verbs that they list, not others of the same resource.',
    behavior: {
      permits: (scopes, required) => Object.hasOwn(scopes, required.replace(/^.*:/, '')),
    },
  },
  {
    name: 'scope-first-action-only',
    violates: 'Every verb in actions counts.',
    behavior: {
      permits(scopes, required) {
        const firsts = Object.entries(scopes).map(([resource, grant]) => {
          const { actions } = fieldsOf(grant);
          return [resource, { actions: Array.isArray(actions) ? actions.slice(0, 1) : [] }];
        });
        return behavior.permits(Object.fromEntries(firsts), required);
      },
    },
  },
  {
    name: 'scope-of-another-resource',
    violates: 'The phone-template update requires update:guardian_factors.',
    behavior: {
      requiredScope: { ...behavior.requiredScope, putTemplates: 'update:phone_templates' },
    },
  },
  {
    name: 'scope-refused-with-401',
    violates: 'The status for insufficient scope is 403.',
    behavior: { status: { ...behavior.status, forbidden: 401 } },
  },

  // Section 5: client credentials
  {
    name: 'client-secret-unchecked',
    violates: 'Tokens are for clients who show their credentials.',
    behavior: { acceptsSecret: () => true },
  },
  {
    name: 'client-token-scopes-as-list',
    violates: 'The scopes of a token are a map from resource to actions, and permit what the client may do.',
    behavior: { scopesClaim: (scopes) => ({ list: scopes }) },
  },
  {
    name: 'client-token-scopes-overwritten',
    violates: 'A token’s actions contain every verb that the client has on a resource.',
    behavior: {
      scopesClaim: (scopes) =>
        Object.fromEntries(
          scopes.map((scope) => scope.split(':')).map(([verb, resource]) => [resource, { actions: [verb] }]),
        ),
    },
  },
  {
    name: 'client-token-born-expired',
    violates: 'The token of a client-credentials grant is accepted as a bearer token.',
    behavior: { tokenLifetimeSeconds: -3600 },
  },

  // Section 5: request correlation
  {
    name: 'correlation-not-recorded',
    violates: 'A correlation ID is recorded under references.correlation_id.',
    behavior: { recordedCorrelationId: () => undefined },
  },
  {
    name: 'correlation-not-on-delete',
    violates: 'A correlation ID is accepted on DELETE as on PUT.',
    behavior: {
      recordedCorrelationId: (method, sent) =>
        method === 'DELETE' ? undefined : behavior.recordedCorrelationId(method, sent),
    },
  },
  {
    name: 'correlation-not-truncated',
    violates: 'Of a correlation ID, 64 characters are recorded.',
    behavior: { recordedCorrelationId: (_method, sent) => sent },
  },
  {
    name: 'correlation-last-64',
    violates: 'Of a longer correlation ID, the first 64 characters are recorded.',
    behavior: { recordedCorrelationId: (_method, sent) => sent.slice(-64) },
  },
  {
    name: 'correlation-truncated-to-63',
    violates: 'A correlation ID may have 64 characters.',
    behavior: { recordedCorrelationId: (_method, sent) => sent.slice(0, 63) },
  },
  {
    name: 'correlation-long-is-refused',
    violates: 'A longer correlation ID is truncated in the log; the request is carried out.',
    behavior: {
      recordedCorrelationId(method, sent) {
        if (sent.length > 64) throw new Refusal('invalid', 'X-Correlation-ID is too long.');
        return behavior.recordedCorrelationId(method, sent);
      },
    },
  },
];
