import { behaviour } from './behaviour.ts';
import { fieldsOf, type PlainServerFault } from './fault.ts';
import { Refusal } from './model.ts';

/** Defects of authentication and correlation IDs (section 5). */
export const authenticationFaults: PlainServerFault[] = [
  // Section 5: tokens
  {
    name: 'token-signature-unchecked',
    violates: 'A token with an invalid signature is answered with 401.',
    behaviour: { verifySignature: () => true },
  },
  {
    name: 'token-alg-none-accepted',
    violates: 'A token with an invalid signature is answered with 401, so one without a signature is too.',
    behaviour: {
      verifySignature: (header, ...rest) =>
        header.alg === 'none' || behaviour.verifySignature(header, ...rest),
    },
  },
  {
    name: 'token-unknown-key-accepted',
    violates: 'A token of a key that is not trusted is answered with 401.',
    behaviour: {
      verifySignature(header, signed, signature, keys) {
        const known = keys.some((key) => key.kid === header.kid);
        return !known || behaviour.verifySignature(header, signed, signature, keys);
      },
    },
  },
  {
    name: 'token-expiry-unchecked',
    violates: 'An expired token is answered with 401.',
    behaviour: { isExpired: () => false },
  },
  {
    name: 'token-expiry-leeway-of-a-day',
    violates: 'An expired token is answered with 401, not only one that expired long ago.',
    behaviour: { isExpired: (exp, nowSeconds) => behaviour.isExpired(exp, nowSeconds - 24 * 60 * 60) },
  },
  {
    name: 'token-refused-with-400',
    violates: 'The status for an expired token or an invalid signature is 401.',
    behaviour: { status: { ...behaviour.status, unauthenticated: 400 } },
  },

  // Section 5: scopes
  {
    name: 'scopes-unchecked',
    violates: 'An operation that the scopes do not permit is answered with 403.',
    behaviour: { permits: () => true },
  },
  {
    name: 'scope-verb-ignored',
    violates: 'The scopes permit the verbs that they list, not others of the same resource.',
    behaviour: {
      permits: (scopes, required) => Object.hasOwn(scopes, required.replace(/^.*:/, '')),
    },
  },
  {
    name: 'scope-first-action-only',
    violates: 'Every verb in actions counts.',
    behaviour: {
      permits(scopes, required) {
        const firsts = Object.entries(scopes).map(([resource, grant]) => {
          const { actions } = fieldsOf(grant);
          return [resource, { actions: Array.isArray(actions) ? actions.slice(0, 1) : [] }];
        });
        return behaviour.permits(Object.fromEntries(firsts), required);
      },
    },
  },
  {
    name: 'scope-of-another-resource',
    violates: 'The phone-template update requires update:guardian_factors.',
    behaviour: {
      requiredScope: { ...behaviour.requiredScope, putTemplates: 'update:phone_templates' },
    },
  },
  {
    name: 'scope-refused-with-401',
    violates: 'The status for insufficient scope is 403.',
    behaviour: { status: { ...behaviour.status, forbidden: 401 } },
  },

  // Section 5: client credentials
  {
    name: 'client-secret-unchecked',
    violates: 'Tokens are for clients who show their credentials.',
    behaviour: { acceptsSecret: () => true },
  },
  {
    name: 'client-token-scopes-as-list',
    violates: 'The scopes of a token are a map from resource to actions, and permit what the client may do.',
    behaviour: { scopesClaim: (scopes) => ({ list: scopes }) },
  },
  {
    name: 'client-token-scopes-overwritten',
    violates: 'A token’s actions contain every verb that the client has on a resource.',
    behaviour: {
      scopesClaim: (scopes) =>
        Object.fromEntries(
          scopes.map((scope) => scope.split(':')).map(([verb, resource]) => [resource, { actions: [verb] }]),
        ),
    },
  },
  {
    name: 'client-token-born-expired',
    violates: 'The token of a client-credentials grant is accepted as a bearer token.',
    behaviour: { tokenLifetimeSeconds: -3600 },
  },

  // Section 5: request correlation
  {
    name: 'correlation-not-recorded',
    violates: 'A correlation ID is recorded under references.correlation_id.',
    behaviour: { recordedCorrelationId: () => undefined },
  },
  {
    name: 'correlation-not-on-delete',
    violates: 'A correlation ID is accepted on DELETE as on PUT.',
    behaviour: {
      recordedCorrelationId: (method, sent) =>
        method === 'DELETE' ? undefined : behaviour.recordedCorrelationId(method, sent),
    },
  },
  {
    name: 'correlation-not-truncated',
    violates: 'Of a correlation ID, 64 characters are recorded.',
    behaviour: { recordedCorrelationId: (_method, sent) => sent },
  },
  {
    name: 'correlation-last-64',
    violates: 'Of a longer correlation ID, the first 64 characters are recorded.',
    behaviour: { recordedCorrelationId: (_method, sent) => sent.slice(-64) },
  },
  {
    name: 'correlation-truncated-to-63',
    violates: 'A correlation ID may have 64 characters.',
    behaviour: { recordedCorrelationId: (_method, sent) => sent.slice(0, 63) },
  },
  {
    name: 'correlation-long-is-refused',
    violates: 'A longer correlation ID is truncated in the log; the request is carried out.',
    behaviour: {
      recordedCorrelationId(method, sent) {
        if (sent.length > 64) throw new Refusal('invalid', 'X-Correlation-ID is too long.');
        return behaviour.recordedCorrelationId(method, sent);
      },
    },
  },
];
