import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call, FakeResponse } from '../../fake/call.ts';
import { type Client, type IssueRules, override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { asForm } from './where.ts';

/** Section 5, item 4: tokens for client credentials. */

/** Changes the rules by which tokens are issued. */
const issues = (
  name: string,
  requirement: string,
  description: string,
  change: (usual: IssueRules) => Partial<IssueRules>,
): Fault => ({
  name,
  requirement: `5.4/${requirement}`,
  description,
  rules: (rules) => override(rules, 'issue', change),
});

/** Changes the claims of the tokens that are issued. */
const claims = (
  name: string,
  requirement: string,
  description: string,
  change: (usual: JsonObject) => JsonObject,
): Fault =>
  issues(name, requirement, description, (usual) => ({
    claims: (given, client) => change(usual.claims(given, client)),
  }));

/** Changes what a client gets with its token. */
const answers = (
  name: string,
  requirement: string,
  description: string,
  change: (usual: JsonObject) => JsonObject,
): Fault =>
  issues(name, requirement, description, (usual) => ({
    answered: (given, client) => change(usual.answered(given, client)),
  }));

/** Changes any answer of the token endpoint. */
const wholly = (
  name: string,
  requirement: string,
  description: string,
  change: (answer: FakeResponse, body: JsonObject, call: Call) => FakeResponse,
): Fault => ({
  name,
  requirement: `5.4/${requirement}`,
  description,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      answer(answer, call) {
        const given = usual.answer(answer, call);
        const issuing = call.operation === undefined && call.target.startsWith('/oauth/token');
        return issuing && isObject(given.body) ? change(given, given.body, call) : given;
      },
    })),
});

/** Which client is meant, in place of the one whose id and secret both fit. */
const finds = (
  name: string,
  requirement: string,
  description: string,
  fits: (client: Client, id: string, secret: string) => boolean,
): Fault =>
  issues(name, requirement, description, (usual) => ({
    client: (clients, id, secret) =>
      usual.client(clients, id, secret) ?? clients.find((each) => fits(each, id, secret)),
  }));

const leaked = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJsZWFrZWQifQ.AAAA';

/** The scopes claim rewritten. */
const rewritten = (usual: JsonObject, change: (map: JsonObject) => unknown): JsonObject => ({
  ...usual,
  scopes: change(isObject(usual.scopes) ? usual.scopes : {}),
});

/** Faults of section 5, item 4. */
export const clientCredentialsFaults: readonly Fault[] = [
  wholly('token-201', 'token-issued', 'An issued token is answered 201.', (answer) =>
    answer.status === 200 ? { ...answer, status: 201 } : answer,
  ),
  wholly(
    'token-json-only',
    'token-issued',
    'A form is answered 415 by the token endpoint.',
    (answer, _body, call) =>
      asForm(call) ? { ...answer, status: 415, body: { error: 'invalid_request' } } : answer,
  ),
  issues('token-absolute-audience', 'token-issued', 'The audience must be absolute.', (usual) => ({
    acceptsAudience: (audience, expected) =>
      audience.startsWith('http') && usual.acceptsAudience(audience, expected),
  })),
  answers(
    'token-in-camel-case',
    'token-issued',
    'The token stands under accessToken.',
    ({ access_token, ...rest }) => ({
      ...rest,
      accessToken: access_token,
    }),
  ),
  {
    name: 'token-endpoint-without-slash',
    requirement: '5.4/token-issued',
    description: 'The token endpoint is not found with its final slash.',
    rules: (rules) =>
      override(rules, 'routing', {
        target: (target) => (target.startsWith('/oauth/token/') ? '/nowhere' : target),
      }),
  },

  answers('token-opaque', 'token-is-jwt', 'The access token is an opaque string.', (usual) => ({
    ...usual,
    access_token: 'b3BhcXVlLXRva2VuLW9mLXRoZS1zZXJ2aWNl',
  })),
  claims('issued-scope-string', 'token-is-jwt', 'Issued tokens carry their scopes as a string.', (usual) =>
    rewritten(usual, (map) => Object.keys(map).join(' ')),
  ),
  claims('issued-scope-list', 'token-is-jwt', 'Issued tokens carry their scopes as a list.', (usual) =>
    rewritten(usual, Object.keys),
  ),
  claims(
    'issued-without-actions',
    'token-is-jwt',
    'Issued tokens map a resource to a bare list of verbs.',
    (usual) =>
      rewritten(usual, (map) =>
        Object.fromEntries(
          Object.entries(map).map(([name, entry]) => [name, isObject(entry) ? entry.actions : entry]),
        ),
      ),
  ),
  claims('issued-actions-string', 'token-is-jwt', 'Issued tokens carry the actions as a string.', (usual) =>
    rewritten(usual, (map) =>
      Object.fromEntries(
        Object.entries(map).map(([name, entry]) => [
          name,
          { actions: isObject(entry) ? String(entry.actions) : '' },
        ]),
      ),
    ),
  ),
  claims(
    'issued-without-scopes',
    'token-is-jwt',
    'Issued tokens carry no scopes claim.',
    ({ scopes: _scopes, ...rest }) => rest,
  ),

  {
    name: 'issuer-unknown',
    requirement: '5.4/token-works',
    description:
      'The service does not know its own token endpoint as an issuer, and permits its tokens nothing.',
    rules: (rules) =>
      override(rules, 'scopes', (usual) => ({
        permits: (claim, scope, all, call) => all.iss === undefined && usual.permits(claim, scope, all, call),
      })),
  },
  claims(
    'issued-expired',
    'token-works',
    'The exp of issued tokens is their lifetime, not a time.',
    (usual) => ({
      ...usual,
      exp: 86_400,
    }),
  ),
  claims('issued-not-yet-valid', 'token-works', 'Issued tokens are valid a minute from now.', (usual) => ({
    ...usual,
    nbf: Number(usual.iat) + 60,
  })),
  answers('issued-cut', 'token-works', 'An issued token is cut at 300 characters.', (usual) => ({
    ...usual,
    access_token: String(usual.access_token).slice(0, 300),
  })),

  {
    name: 'own-tokens-not-scoped',
    requirement: '5.4/token-scoped',
    description: 'Tokens of the own token endpoint are verified, their scopes are not.',
    rules: (rules) =>
      override(rules, 'scopes', (usual) => ({
        permits: (claim, scope, all, call) => all.iss !== undefined || usual.permits(claim, scope, all, call),
      })),
  },
  {
    name: 'clients-read-everything',
    requirement: '5.4/token-scoped',
    description: 'Whatever a client may do, the token that it was issued may update the templates too.',
    rules: (rules) =>
      override(rules, 'scopes', (usual) => ({
        permits: (claim, scope, all, call) =>
          (all.iss !== undefined && call.method === 'PUT') || usual.permits(claim, scope, all, call),
      })),
  },

  answers('token-type-jwt', 'token-type', 'The token type is JWT.', (usual) => ({
    ...usual,
    token_type: 'JWT',
  })),
  answers(
    'token-type-missing',
    'token-type',
    'The answer names no token type.',
    ({ token_type: _type, ...rest }) => rest,
  ),

  finds(
    'secret-unchecked',
    'wrong-secret',
    'The secret is not compared.',
    ({ client_id: known }, id) => known === id,
  ),
  finds(
    'secret-by-beginning',
    'wrong-secret',
    'The secret is compared as far as the request has it.',
    (client, id, secret) =>
      client.client_id === id && secret.length > 3 && client.client_secret.startsWith(secret),
  ),
  finds(
    'secret-cut-at-8',
    'wrong-secret',
    'Only the first eight characters of a secret count, as with crypt(3).',
    (client, id, secret) =>
      client.client_id === id && client.client_secret.slice(0, 8) === secret.slice(0, 8),
  ),
  finds(
    'secret-any-case',
    'wrong-secret',
    "The secret is compared by the database's collation, which ignores case.",
    (client, id, secret) =>
      client.client_id === id && client.client_secret.toLowerCase() === secret.toLowerCase(),
  ),
  finds(
    'secret-empty',
    'wrong-secret',
    'An empty secret fits every client.',
    ({ client_id: known }, id, secret) => known === id && secret === '',
  ),
  wholly(
    'wrong-secret-token',
    'wrong-secret',
    'The refusal of a wrong secret carries a token.',
    (answer, body) =>
      body.error === 'invalid_client' ? { ...answer, body: { ...body, access_token: leaked } } : answer,
  ),
  wholly(
    'wrong-secret-200',
    'wrong-secret',
    'A wrong secret is answered 200 with an error in the body.',
    (answer, body) => (body.error === 'invalid_client' ? { ...answer, status: 200 } : answer),
  ),

  issues(
    'unknown-client-is-first',
    'unknown-client',
    'An unknown client is taken for the first one.',
    (usual) => ({
      client: (clients, id, secret) =>
        usual.client(clients, id, secret) ??
        clients.find((each) => each.client_id !== id && each.client_secret === secret),
    }),
  ),
  finds(
    'unknown-client-on-trust',
    'unknown-client',
    'A client that is not known is registered on the way.',
    ({ client_id: known }, id) => known !== id && id !== '',
  ),

  issues(
    'grant-type-optional',
    'missing-fields',
    'Without grant_type, client_credentials is meant.',
    (usual) => ({
      required: usual.required.filter((name) => name !== 'grant_type'),
      acceptsGrant: (grant) => grant === '' || usual.acceptsGrant(grant),
    }),
  ),
  issues(
    'client-id-optional',
    'missing-fields',
    'Without client_id, the client is found by its secret.',
    (usual) => ({
      required: usual.required.filter((name) => name !== 'client_id'),
      client: (clients, id, secret) =>
        usual.client(clients, id, secret) ??
        clients.find((each) => id === '' && each.client_secret === secret),
    }),
  ),
  issues(
    'client-secret-optional',
    'missing-fields',
    'Without client_secret, the client is a public one and gets its token.',
    (usual) => ({
      required: usual.required.filter((name) => name !== 'client_secret'),
      client: (clients, id, secret) =>
        usual.client(clients, id, secret) ?? clients.find((each) => each.client_id === id && secret === ''),
    }),
  ),

  issues('any-grant', 'unsupported-grant', 'The grant type is not looked at.', () => ({
    acceptsGrant: () => true,
  })),
  issues(
    'any-grant-but-password',
    'unsupported-grant',
    'Every grant type but password and refresh_token counts as client_credentials.',
    () => ({
      acceptsGrant: (grant) => !['password', 'refresh_token', ''].includes(grant),
    }),
  ),
];
