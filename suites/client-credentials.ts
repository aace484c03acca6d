import type { Authorization } from '../lib/client/exchange.ts';
import { isObject } from '../lib/contract/json.ts';
import { type Answer, members, response, status } from '../lib/runner/answer.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectServed, expectStatus, expectThat, isRefusal } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import type { ClientCredentials } from '../lib/tokens/token-source.ts';

/** Section 5, item 4: a token for client credentials (RFC 6749, section 4.4). */

const encoder = new TextEncoder();

type Fields = Readonly<Record<string, string | undefined>>;

const right = (client: ClientCredentials): Fields => ({
  grant_type: 'client_credentials',
  client_id: client.id,
  client_secret: client.secret,
  audience: client.audience,
});

/** How a token is asked for, where it is not by a form at the contract's path. */
interface Manner {
  readonly json?: boolean;
  readonly path?: (url: string) => string;
  /** Where the client's id and secret stand: among the fields, or in Authorization (RFC 6749, section 2.3.1). */
  readonly credentials?: 'fields' | 'basic';
  /** The client's secret as a shell script may say it. */
  readonly shownSecret?: string;
}

/** A token request with these fields; undefined leaves one out. */
async function ask(ctx: RequirementContext, changes: Fields = {}, manner: Manner = {}) {
  const { client } = ctx.target;
  if (client === undefined) throw new NotJudged('no client credentials', ['--client-id', '--client-secret']);
  const { client_id: id = '', client_secret: secret = '', ...rest } = { ...right(client), ...changes };
  const basic = manner.credentials === 'basic';
  const given = Object.entries(basic ? rest : { ...right(client), ...changes });
  const fields = given.flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const written = (all: readonly [string, string][]) =>
    manner.json ? JSON.stringify(Object.fromEntries(all)) : new URLSearchParams([...all]).toString();
  const marked = fields.map(([name, value]): [string, string] => [
    name,
    name === 'client_secret' ? 'SHOWN-SECRET' : value,
  ]);
  const pair = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  return ctx.send({
    operation: undefined,
    method: 'POST',
    target: '',
    url: manner.path?.(client.tokenUrl) ?? client.tokenUrl,
    ...(basic && { authorization: { value: `Basic ${pair}` } }),
    body: {
      mediaType: manner.json ? 'application/json' : 'application/x-www-form-urlencoded',
      bytes: encoder.encode(written(fields)),
      secret: true,
      recorded: written(marked).replace('SHOWN-SECRET', () => manner.shownSecret ?? '$CLIENT_SECRET'),
    },
  });
}

/** The answer to a right request, with the credentials where this server takes them: the specification names no place. */
async function askRightly(ctx: RequirementContext): Promise<{ answer: Answer; manner: Manner }> {
  const fields: Manner = { credentials: 'fields' };
  const answer = await ask(ctx, {}, fields);
  if (status(answer) < 400) return { answer, manner: fields };
  const basic: Manner = { credentials: 'basic' };
  const other = await ask(ctx, {}, basic);
  return status(other) < 400 ? { answer: other, manner: basic } : { answer, manner: fields };
}

/** Refused, and no token in the answer, wherever it may stand. */
async function expectNoToken(
  ctx: RequirementContext,
  changes: Fields,
  because: string,
  manner: Manner,
): Promise<void> {
  const answer = await ask(ctx, changes, manner);
  const code = status(answer);
  expectThat(code >= 400 && code < 500, `a 4xx status, because ${because}`, String(code), answer.exchange);
  const { text } = response(answer);
  const token = 'access_token' in members(answer) || /eyJ[\w-]+\.[\w-]+\.[\w-]*/.test(text);
  expectThat(!token, `no token, because ${because}`, 'an access token', answer.exchange);
}

const refused = (id: string, because: string, ...cases: readonly Fields[]): Check =>
  requirement(id, { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer, manner } = await askRightly(ctx);
    await ctx.twin(async () => answer);
    for (const changes of cases) await expectNoToken(ctx, changes, because, manner);
  });

/** The token of a right request, with its claims where it is a JSON Web Token. */
async function issued(
  ctx: RequirementContext,
): Promise<{ authorization: Authorization; claims: Readonly<Record<string, unknown>> | undefined }> {
  const { answer } = await askRightly(ctx);
  const token = members(answer).access_token;
  if (typeof token !== 'string') throw new NotJudged('no token was issued: see 5.4/token-issued');
  const secret = ctx.tokens.remember(token);
  return { authorization: secret, claims: claimsOf(token) };
}

function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** True where the scopes map (section 5, item 2) permits the verb on the resource. */
function permits(
  claims: Readonly<Record<string, unknown>> | undefined,
  verb: string,
  resource: string,
): boolean {
  const entry = isObject(claims?.scopes) ? claims.scopes[resource] : undefined;
  return isObject(entry) && Array.isArray(entry.actions) && entry.actions.includes(verb);
}

/** An operation that the token's scopes permit. */
const permittedOperation = (ctx: RequirementContext, claims: Readonly<Record<string, unknown>> | undefined) =>
  ctx.contract.operations.find(
    ({ scopes }) =>
      scopes.length > 0 && scopes.every(({ verb, resource }) => permits(claims, verb, resource)),
  );

export const clientCredentials: readonly Check[] = [
  requirement('5.4/token-issued', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer } = await askRightly(ctx);
    expectStatus(answer, 200, 'the client and its secret are right (RFC 6749, section 5.1)');
    const { access_token: token } = members(answer);
    expectThat(
      typeof token === 'string' && token !== '',
      'a JSON object with access_token',
      'none',
      answer.exchange,
    );
  }),

  requirement('5.4/token-is-jwt', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { claims } = await issued(ctx);
    const [exchange] = ctx.exchanges.slice(-1);
    const shown = exchange === undefined ? [] : [exchange];
    expectThat(
      claims !== undefined,
      'a JSON Web Token',
      'a token whose payload is not JSON object',
      ...shown,
    );
    const map = claims?.scopes;
    const holds =
      isObject(map) && Object.values(map).every((entry) => isObject(entry) && Array.isArray(entry.actions));
    expectThat(
      holds,
      'a scopes claim that maps resources to { actions: [...] }',
      JSON.stringify(map) ?? 'no scopes claim',
      ...shown,
    );
  }),

  requirement('5.4/token-works', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { authorization, claims } = await issued(ctx);
    const operation = permittedOperation(ctx, claims);
    if (operation === undefined) throw new NotJudged("the client's scopes permit no operation");
    expectServed(await ctx.call({ operation, authorization }), 'the token was just issued and permits it');
  }),

  requirement('5.4/token-scoped', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { authorization, claims } = await issued(ctx);
    if (claims === undefined) throw new NotJudged('the token shows no scopes: see 5.4/token-is-jwt');
    const [denied] = ctx.contract.operations
      .filter(({ scopes }) => scopes.some(({ verb, resource }) => !permits(claims, verb, resource)))
      .toSorted((one, other) => Number(one.scopeInferred) - Number(other.scopeInferred));
    if (denied === undefined) throw new NotJudged("the client's scopes permit every operation");
    const operation = permittedOperation(ctx, claims);
    if (operation !== undefined && status(await ctx.call({ operation, authorization })) === 401)
      throw new NotJudged('the token is no good at all: see 5.4/token-works');
    const answer = await ctx.probe({ operation: denied, authorization });
    if (denied.scopeInferred && status(answer) !== 403)
      throw new NotJudged(`the scope that ${denied.id} requires is not known`, ['assume.required_scopes']);
    expectStatus(answer, 403, "the client's scopes do not permit it");
  }),

  requirement('5.4/token-type', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer } = await askRightly(ctx);
    const { token_type: type, access_token: token } = members(answer);
    if (typeof token !== 'string') throw new NotJudged('no token was issued: see 5.4/token-issued');
    const bearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
    expectThat(
      bearer,
      'token_type: Bearer (RFC 6750, section 4)',
      JSON.stringify(type) ?? 'none',
      answer.exchange,
    );
  }),

  requirement('5.4/wrong-secret', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const secret = ctx.target.client?.secret ?? '';
    const swapped = secret.replace(/[a-z]/gi, (each) =>
      each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase(),
    );
    const { answer, manner } = await askRightly(ctx);
    await ctx.twin(async () => answer);
    const wrong = [
      ['not-the-secret', 'not-the-secret'],
      ['', ''],
      [`${secret}x`, '$CLIENT_SECRETx'],
      // What bash makes of the secret without its last character, and with the case of its letters swapped.
      [secret.slice(0, -1), `\${CLIENT_SECRET%?}`],
      [swapped, `\${CLIENT_SECRET~~}`],
    ] as const;
    for (const [text, shown] of wrong) {
      const manners = { ...manner, shownSecret: shown };
      if (text !== secret) await expectNoToken(ctx, { client_secret: text }, 'the secret is wrong', manners);
    }
  }),
  refused('5.4/unknown-client', 'nobody knows the client', { client_id: 'no-such-client' }),
  refused(
    '5.4/missing-fields',
    'a field is missing',
    { grant_type: undefined },
    { client_id: undefined },
    { client_secret: undefined },
  ),
  refused('5.4/unsupported-grant', 'no such grant type exists', { grant_type: 'no_such_grant' }),

  requirement('5.4/other-audience', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer, manner } = await askRightly(ctx);
    await ctx.twin(async () => answer);
    for (const audience of ['https://elsewhere.example/', '/api/v1/']) {
      const other = await ask(ctx, { audience }, manner);
      const token = members(other).access_token;
      if (typeof token !== 'string') continue;
      const operation = permittedOperation(ctx, claimsOf(token));
      if (operation === undefined) continue;
      const used = await ctx.call({
        authorization: ctx.tokens.remember(token),
        operation,
        mayBeForbidden: true,
      });
      expectThat(
        isRefusal(used),
        `no token for the audience ${audience}, or one that is refused`,
        `a token that was answered with ${status(used)}`,
        other.exchange,
        used.exchange,
      );
    }
  }),

  observation('5.4/missing-audience', { needs: ['client'], lane: 'parallel' }, async (ctx) =>
    status(await ask(ctx, { audience: undefined }, (await askRightly(ctx)).manner)),
  ),

  observation('5.4/json-request', { needs: ['client'], lane: 'parallel' }, async (ctx) =>
    status(await ask(ctx, {}, { json: true })),
  ),

  observation('5.4/path-without-slash', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    return status(await ask(ctx, {}, { path: (url) => url.replace(/\/$/, '') }));
  }),

  observation('5.4/absolute-audience', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    return status(await ask(ctx, { audience: `${ctx.target.baseUrl}/` }));
  }),
];
