import fc from 'fast-check';
import type { Authorization, Exchange } from '../lib/client/exchange.ts';
import { type Operation, permits, type Scope, safeMethods, scopesClaim } from '../lib/contract/model.ts';
import { status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectRefused, expectThat, isRefusal, isServed, show } from '../lib/runner/expect.ts';
import { expectPermitted } from '../lib/runner/permission.ts';
import { tokenWithOnly } from '../lib/runner/requested-token.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { Violation } from '../lib/runner/verdict.ts';
import { byKnownClients, emptyScopes } from './known-clients.ts';
import { expectLaterPageRefused, expectTokensRefused } from './refusals.ts';
import { inTurn, variationsOf } from './requests.ts';

/**
 * Section 5, items 3 and 5: an operation is permitted if and only if the token's scopes contain the required one. Each
 * requirement exists twice: for operations whose scope the specification names, and for those whose scope is inferred.
 */

/**
 * The longest payload of a token, in characters, and the most resources in one token, each with one verb. By default, the header field
 * is up to 6,300 bytes long: some servers limit the whole header section to 8 KB, with what a gateway adds. For others it is up to
 * 3,000 bytes long.
 */
const longestToken = ({ run }: RequirementContext) =>
  run.neutral.refusalOfLongHeaders === undefined
    ? { payload: 3_500, resources: 68 }
    : { payload: 2_000, resources: 25 };

/** Length of a token's payload with these scopes as JSON, with 300 characters for the other claims. */
function charactersOf(scopes: readonly Scope[]): number {
  return 300 + JSON.stringify(scopesClaim(scopes)).length;
}

const halves = (group: readonly Scope[]): readonly (readonly Scope[])[] => [
  group.slice(0, group.length / 2),
  group.slice(group.length / 2),
];

/** Splits the scopes into groups of about the same size, each small enough for one token. */
function split(ctx: RequirementContext, scopes: readonly Scope[]): readonly (readonly Scope[])[] {
  if (scopes.length < 2 || charactersOf(scopes) <= longestToken(ctx).payload) return [scopes];
  return halves(scopes).flatMap((half) => split(ctx, half));
}

const scope = (verb: string, resource: string): Scope => ({ name: `${verb}:${resource}`, verb, resource });

const requires = ({ alternatives }: Operation, other: Pick<Scope, 'name'>): boolean =>
  alternatives.flat().some(({ name }) => name === other.name);

/** The scopes of the catalogue that the operation does not require. */
const others = ({ contract, operation }: RequirementContext): readonly Scope[] =>
  contract.scopes.filter((each) => !requires(operation, each));

/** As many resources as fit into a token, each with one verb, without those that the operation requires. */
function manyResources(ctx: RequirementContext): readonly Scope[] {
  const { contract, operation } = ctx;
  const resources = new Map(contract.scopes.map((each) => [each.resource, each]));
  const isNeeded = ({ resource }: Scope) => operation.scopes.some((each) => each.resource === resource);
  return [...resources.values()].filter((each) => !isNeeded(each)).slice(0, longestToken(ctx).resources);
}

function withoutRequired([first, ...more]: readonly Scope[]): string {
  if (first === undefined) return 'its token has no scopes';
  if (more.length === 0) return `its token has only ${first.name}`;
  return `none of the token's scopes (${more.length + 1}) is the required one`;
}

/** A request with these scopes is refused with 403, unless they permit the operation in another way. */
async function expectForbidden(ctx: RequirementContext, scopes: readonly Scope[], variation = 0) {
  if (permits(ctx.operation, scopes)) return;
  const authorization = await tokenWithOnly(ctx, scopes, variation);
  expectRefused(await ctx.probe({ authorization, variation }), withoutRequired(scopes), [403]);
}

/**
 * A rule on the decoded path may overlook a slash in an id. The id need not exist, and a router may refuse the slash. Some
 * servers return an HTML page for every unknown path to read.
 */
async function expectNotServedWithSlash(
  ctx: RequirementContext,
  authorization: Authorization,
): Promise<void> {
  const ids = ctx.operation.parameters.filter(
    ({ in: place, schema }) => place === 'path' && schema.enum === undefined,
  );
  if (ids.length === 0 || safeMethods.has(ctx.operation.method)) return;
  const path = Object.fromEntries(ids.map(({ name }) => [name, 'a/b']));
  const result = await ctx.call({ authorization, path, mayBeForbidden: true });
  const expectation = { expected: 'no 2xx status', because: 'its token has another verb' };
  expectThat(!isServed(result), expectation, String(status(result)), result.exchange);
}

/**
 * Each of these scopes is refused with 403: each in a token of its own, or as many in one token as fit if the matrix is
 * grouped. If a group is accepted, bisection finds the scopes that permit the operation alone, unless it would delete too much.
 * @param recordScopeResult called with each scope's status
 */
async function eachForbidden(
  ctx: RequirementContext,
  candidates: readonly Scope[],
  recordScopeResult: (scope: Scope, code: number) => void = () => {},
): Promise<void> {
  // Each accepted deletion needs a policy, of which a user names few.
  const bisects = ctx.operation.method !== 'DELETE' || ctx.can('seed');
  const expectGroupRefused = async (group: readonly Scope[]): Promise<void> => {
    if (group.length === 0) return;
    const judgeHalves = async () => {
      if (group.length > 1) await settleAll(halves(group), expectGroupRefused);
    };
    if (permits(ctx.operation, group)) return judgeHalves();
    const result = await ctx.probe({ authorization: await tokenWithOnly(ctx, group) });
    // The scopes may permit the operation only together, which 5.5/all-but-required reports.
    if (!isRefusal(result) && group.length > 1 && bisects) return judgeHalves();
    for (const each of group) recordScopeResult(each, status(result));
    expectRefused(result, withoutRequired(group), [403]);
  };
  const groups = ctx.run.matrix === 'full' ? candidates.map((each) => [each]) : split(ctx, candidates);
  await settleAll(groups, expectGroupRefused);
}

/**
 * Of a few tokens that have all scopes of the catalogue between them, and one that has all of them, one is not answered with 403.
 * Returns without a judgement if the suite cannot choose scopes, or if the data of the request may not exist.
 */
export async function expectSomeScopePermits(ctx: RequirementContext): Promise<void> {
  const { operation } = ctx;
  if (!ctx.can('scopes') || operation.scopes.length === 0) return;
  const refused: Exchange[] = [];
  const all = [...others(ctx), ...operation.alternatives.flat()];
  const groups = split(ctx, all);
  // It may require several scopes at once. Not every server reads the long token with all of them.
  for (const group of groups.length > 1 ? [...groups, all] : groups) {
    const call = { authorization: await tokenWithOnly(ctx, group), mayBeForbidden: true };
    const result = await (namesPolicy(operation) ? ctx.deletePolicy(call) : ctx.call(call));
    if (!result.certain || status(result) !== 403) return;
    refused.push(result.exchange);
  }
  const because = 'the last one has all scopes of the catalogue';
  const expectation = { expected: `a status other than 403 for one of ${refused.length} tokens`, because };
  throw new Violation(expectation, '403 for each', refused);
}

const namesPolicy = ({ parameters }: Operation): boolean =>
  parameters.some(({ resource }) => resource === 'rate_limit_policy');

/** The other verbs of the catalogue on each required resource. */
function otherVerbs({ contract, operation }: RequirementContext): readonly Scope[] {
  const verbs = [...new Set(contract.scopes.map(({ verb }) => verb))];
  return operation.scopes
    .flatMap(({ resource }) => verbs.map((verb) => scope(verb, resource)))
    .filter((each) => !requires(operation, each));
}

/** Forms of a name, and wildcards, that some servers accept in its place. */
const similar = (name: string): readonly string[] => [
  ...['*', `${name}s`, '', 'all'],
  ...[name.toUpperCase(), `${name} `, ` ${name}`, name.slice(0, -1)],
];

/** Words outside the catalogue that some servers accept in place of the verb. */
const similarVerbs = (verb: string): readonly string[] => [
  'manage',
  ...similar(verb),
  ...['write', 'list', 'get', 'admin', `${verb}:`],
];

/** Names that some servers accept in place of the resource. */
const similarResources = (resource: string, verb: string): readonly string[] => [
  ...similar(resource),
  ...[`${resource}_`, `x${resource}`, `${resource}.*`],
  ...[resource.replaceAll('_', '-'), resource.split('_')[0] ?? '', `${verb}:${resource}`],
];

/** Scopes outside the catalogue that few servers accept in place of this one. */
const rareScopes = ({ verb, resource }: Scope, path: string): readonly Scope[] => {
  const inCamelCase = resource.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  // Other names of the same records, such as those in the operation's path.
  const names = [
    ...path.split(/\/|-/).filter((each) => /^\w+$/.test(each)),
    resource.split('_').at(-1) ?? '',
  ];
  return [
    ...names.map((each) => scope(verb, each)),
    ...['edit', 'put', 'upsert', 'modify', 'full_access'].map((each) => scope(each, resource)),
    ...[inCamelCase, `tenant/${resource}`, `${resource}_legacy`].map((each) => scope(verb, each)),
  ];
};

/** The other verbs on each required resource, and the required verb on other resources, in the catalogue or not. */
const similarScopes = (ctx: RequirementContext): readonly Scope[] => {
  const { contract, operation } = ctx;
  const resources = [...new Set(contract.scopes.map(({ resource }) => resource))];
  const further = resources.filter((_resource, index) => index % 8 === 0 || index > resources.length - 3);
  const onOthers = operation.scopes
    .flatMap(({ verb }) => [...further, 'user_tickets'].map((each) => scope(verb, each)))
    .filter((each) => !requires(operation, each));
  return [...otherVerbs(ctx), ...onOthers];
};

/** A token with the scopes of all operations, the same one on each: a gateway may remember by token what it permits. */
async function expectSharedTokenAccepted(ctx: RequirementContext): Promise<void> {
  const needed = new Map(
    ctx.contract.operations.flatMap(({ scopes }) => scopes.map((each) => [each.name, each])),
  );
  if (needed.size > longestToken(ctx).resources) return;
  const authorization = await ctx.tokens.permitting([...needed.values()]);
  if (authorization === undefined) return;
  const because = 'its token has the scopes of all operations';
  await expectPermitted(ctx, await ctx.call({ authorization }), because);
}

/** What each requirement judges, by its slug, if the suite can get tokens of chosen scopes. */
const scopeChecks: Readonly<Record<string, (ctx: RequirementContext) => Promise<void>>> = {
  'required-scope': async (ctx) => {
    const { operation } = ctx;
    const call = { authorization: await tokenWithOnly(ctx, operation.scopes), mayBeForbidden: true };
    // A service may cache whether it accepted a token, whatever the operation. No path parameter, because the data may not
    // exist.
    const other = ctx.run.operations.find(
      (each) => safeMethods.has(each.method) && !each.path.includes('{') && !permits(each, operation.scopes),
    );
    const tryOther = async () => other && ctx.probe({ operation: other, authorization: call.authorization });
    if (!operation.scopeInferred) await tryOther();
    const first = await ctx.call(call);
    // The deletion names a made-up id, which may be answered with 403 too.
    const isUnclear = status(first) === 403 && !first.certain && operation.method === 'DELETE';
    const result = isUnclear && namesPolicy(operation) ? await ctx.deletePolicy(call) : first;
    for (const { name } of operation.scopes) ctx.run.recordScopeResult(operation, name, status(result));
    const names = operation.scopes.map(({ name }) => name).join(' and ');
    await expectPermitted(ctx, result, `its token has ${names}`);
    const refused = operation.scopeInferred ? await tryOther() : undefined;
    if (refused && other)
      expectRefused(refused, `its token has ${names}, which permits ${operation.id}, not ${other.id}`, [403]);
  },

  'each-scope-alone': async (ctx) => {
    const { operation, run } = ctx;
    const record = ({ name }: Scope, code: number) => run.recordScopeResult(operation, name, code);
    await eachForbidden(ctx, others(ctx), record);
    await ctx.twin();
  },

  'wrong-verb': async (ctx) => {
    const wrong = otherVerbs(ctx);
    await eachForbidden(ctx, wrong);
    const tokens = await settleAll(wrong.slice(0, 1), (each) => tokenWithOnly(ctx, [each]));
    await expectLaterPageRefused(ctx, tokens, 'its token has another verb', [403]);
    for (const authorization of tokens) await expectNotServedWithSlash(ctx, authorization);
    await expectForbidden(ctx, wrong);
    await ctx.twin();
  },

  'wrong-resource': async (ctx) => {
    const { contract, operation } = ctx;
    const resources = [...new Set(contract.scopes.map(({ resource }) => resource))];
    const catalogue = new Set(contract.scopes.map(({ name }) => name));
    const wrong = operation.scopes.flatMap(({ verb }) =>
      resources.map((each) => scope(verb, each)).filter(({ name }) => !catalogue.has(name)),
    );
    await eachForbidden(ctx, wrong);
    await ctx.twin();
  },

  'unknown-scope': async (ctx) => {
    const all = ctx.operation.scopes
      .flatMap(({ verb, resource }) => [
        ...similarVerbs(verb).map((each) => scope(each, resource)),
        ...similarResources(resource, verb).map((each) => scope(verb, each)),
      ])
      .concat(scope('*', '*'), scope('manage', 'all'))
      .filter((each) => !requires(ctx.operation, each));
    // Operations whose scope is inferred try six of them each.
    const alone = ctx.operation.scopeInferred ? inTurn(ctx, all, 0, 6) : all;
    await settleAll(ctx.share(alone, 4).entries(), async ([index, each]) => {
      const authorization = await tokenWithOnly(ctx, [each]);
      // A gateway may compare the whole URL with its rules.
      const result = await ctx.probe({ authorization, ...(index % 2 === 1 && { query: { trace: '1' } }) });
      expectRefused(result, `its token has ${show(each.verb)} on ${show(each.resource)}`);
    });
    const rare = ctx.operation.scopes
      .flatMap((each) => rareScopes(each, ctx.operation.path))
      .filter((each) => !requires(ctx.operation, each));
    const combined = [...all, ...rare];
    for (const variation of ctx.share(variationsOf(ctx))) {
      const result = await ctx.probe({
        authorization: await tokenWithOnly(ctx, combined, variation),
        variation,
      });
      expectRefused(result, withoutRequired(combined));
    }
    await ctx.twin();
  },

  'all-but-required': async (ctx) => {
    const groups = [similarScopes(ctx), ...split(ctx, others(ctx)), manyResources(ctx)];
    for (const variation of ctx.share(variationsOf(ctx)))
      await settleAll(variation === 0 ? groups : groups.slice(0, -1), (group) =>
        expectForbidden(ctx, group, variation),
      );
    await ctx.twin();
  },

  'among-others': async (ctx) => {
    const { operation } = ctx;
    const { scopes: needed } = operation;
    const insertInto = (group: readonly Scope[], at: number) => group.toSpliced(at, 0, ...needed);
    // The position of the verb among the actions of its resource varies, as does that of the resource among the others.
    // Only scopes of the catalogue: a server may refuse a token with others.
    const catalogue = new Set(ctx.contract.scopes.map(({ name }) => name));
    const sameResource = otherVerbs(ctx).filter(({ name }) => catalogue.has(name));
    const many = manyResources(ctx);
    const sets = [
      ...[sameResource.length, 0, 1].map((at) => insertInto(sameResource, at)),
      ...[many.length, 0].map((at) => insertInto(many, at)),
    ];
    // Operations whose scope is inferred try two of the sets in each variation.
    const setsOf = (variation: number) => (operation.scopeInferred ? inTurn(ctx, sets, variation, 2) : sets);
    const large = split(ctx, others(ctx)).map((group, index) =>
      insertInto(group, [0, group.length / 2, group.length][index % 3] ?? 0),
    );
    const calls = [
      ...variationsOf(ctx).flatMap((variation) => setsOf(variation).map((scopes) => ({ scopes, variation }))),
      ...large.map((scopes) => ({ scopes, variation: 0 })),
    ];
    await expectSharedTokenAccepted(ctx);
    const names = needed.map(({ name }) => name).join(' and ');
    await settleAll(ctx.share(calls, 4), async ({ scopes, variation }) => {
      const result = await ctx.call({
        authorization: await tokenWithOnly(ctx, scopes, variation),
        variation,
      });
      const position = scopes.findIndex(({ name }) => name === needed[0]?.name) + 1;
      const because = `its token has ${names}, at position ${position} of its ${scopes.length} scopes`;
      await expectPermitted(ctx, result, because);
    });
  },

  'any-set': async (ctx) => {
    const { contract, operation } = ctx;
    const catalogue = fc.constantFrom(...contract.scopes.map(({ name }) => name));
    // All lengths are equally likely; by default fast-check prefers short arrays.
    const picks = fc.uniqueArray(catalogue, { minLength: 1, maxLength: 40, size: 'max' });
    const required = operation.scopes.map(({ name }) => name);
    const named = fc.tuple(picks, fc.boolean()).map(([names, needed]) => {
      const rest = names.filter((name) => !requires(operation, { name }));
      return needed || rest.length === 0 ? [...rest, ...required] : rest;
    });
    await ctx.property(
      named,
      async (names) => {
        const scopes = contract.scopes.filter(({ name }) => names.includes(name));
        if (!permits(operation, scopes)) return expectForbidden(ctx, scopes);
        const result = await ctx.call({ authorization: await tokenWithOnly(ctx, scopes) });
        await expectPermitted(ctx, result, `its token has the required scope among ${names.length}`);
      },
      { fraction: operation.scopeInferred ? 1 / 8 : 1 },
    );
  },
};

export const scopes: readonly Check[] = [
  ...Object.entries(scopeChecks).flatMap(([slug, chosen]) => {
    const judge = (ctx: RequirementContext) =>
      ctx.can('scopes') ? chosen(ctx) : (byKnownClients[slug] ?? chosen)(ctx);
    // Clients can only have scopes of the catalogue.
    const need = slug === 'unknown-scope' ? 'scopes' : 'known_scopes';
    const how = { needs: [need] } as const;
    return [requirement(`5.5/${slug}`, how, judge), requirement(`5.5/${slug}-inferred`, how, judge)];
  }),

  requirement('5.3/empty-scopes', { needs: ['known_scopes'] }, async (ctx) => {
    const { minter } = ctx;
    if (minter === undefined) return emptyScopes(ctx);
    const make = async (variation: number) => [
      await minter.sign({ ...minter.claims(ctx.operation.scopes, variation), scopes: {} }),
    ];
    await expectTokensRefused(ctx, make, 'the token permits nothing', () => [403]);
  }),
];
