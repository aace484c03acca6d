import type { Authorization } from '../lib/client/exchange.ts';
import { isObject } from '../lib/contract/json.ts';
import { type Operation, permits } from '../lib/contract/model.ts';
import { status } from '../lib/runner/call-result.ts';
import { capabilityTable } from '../lib/runner/capabilities.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectRefused } from '../lib/runner/expect.ts';
import { expectPermitted } from '../lib/runner/permission.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import type { KnownToken } from '../lib/tokens/token-source.ts';

/**
 * The part of the scope matrix that clients with known scopes cover, if the suite cannot get tokens of chosen scopes: a client
 * without the required scope gets 403, one with it does not.
 */

/** Some of the clients. */
interface Selection {
  /** What their tokens have, for messages. */
  readonly what: string;
  readonly selects: (token: KnownToken, operation: Operation) => boolean;
}

const isPermitted = ({ scopes }: KnownToken, operation: Operation): boolean => permits(operation, scopes);

const permitted: Selection = { what: 'the required scope', selects: isPermitted };
const others: Selection = {
  what: 'only scopes other than the required one',
  selects: (token, operation) => !isPermitted(token, operation),
};

/** The tokens of the selected clients. Throws NotJudged if there are none. */
async function clients(ctx: RequirementContext, { what, selects }: Selection) {
  const [first, ...more] = (await ctx.tokens.known()).filter((token) => selects(token, ctx.operation));
  if (first === undefined)
    throw new NotJudged(`no known client has ${what}`, capabilityTable.known_scopes.requiredFlags);
  return [first, ...more] as const;
}

/** The client is served if its scopes permit the operation, and refused with 403 otherwise. */
async function expectByScopes(ctx: RequirementContext, token: KnownToken): Promise<void> {
  const { client, scopes, authorization } = token;
  const { operation, run } = ctx;
  const record = (names: readonly string[], code: number) => {
    for (const name of names) run.recordScopeResult(operation, name, code);
  };
  if (isPermitted(token, operation)) {
    const result = await ctx.call({ authorization });
    const required = operation.scopes.map(({ name }) => name);
    record(required, status(result));
    return expectPermitted(ctx, result, `client ${client} has ${required.join(' and ')}`);
  }
  const result = await ctx.probe({ authorization });
  // The refusal of several scopes does not show that each of them is refused.
  if (scopes.length === 1) record(scopes, status(result));
  expectRefused(result, `the scopes of client ${client} are ${scopes.join(', ') || 'empty'}`, [403]);
}

/** Each of the selected clients is judged by its scopes. */
const judge =
  (...selections: readonly Selection[]) =>
  async (ctx: RequirementContext): Promise<void> => {
    const tokens = (await settleAll(selections, (each) => clients(ctx, each))).flat();
    for (const token of tokens) await expectByScopes(ctx, token);
    if (tokens.some((token) => !isPermitted(token, ctx.operation))) await ctx.twin();
  };

/** The selected clients whose scopes do not permit the operation are refused with 403. */
const clientsRefused = (what: string, selects: Selection['selects']) =>
  judge({ what, selects: (token, operation) => !isPermitted(token, operation) && selects(token, operation) });

/** Checks that judge a requirement in part, by its slug. */
export const byKnownClients: Readonly<Record<string, (ctx: RequirementContext) => Promise<void>>> = {
  'required-scope': judge(permitted),
  'each-scope-alone': clientsRefused(
    'only one scope, not the required one',
    ({ scopes }) => scopes.length === 1,
  ),
  'wrong-verb': clientsRefused('another verb on the required resource', ({ scopes }, operation) =>
    operation.scopes.some(({ resource }) => scopes.some((name) => name.endsWith(`:${resource}`))),
  ),
  'wrong-resource': clientsRefused('the required verb on other resources only', ({ scopes }, operation) =>
    operation.scopes.some(({ verb }) => scopes.some((name) => name.startsWith(`${verb}:`))),
  ),
  'all-but-required': clientsRefused(
    'several scopes, but not the required one',
    ({ scopes }) => scopes.length > 1,
  ),
  'among-others': judge({
    what: 'the required scope among others',
    selects: (token, operation) =>
      isPermitted(token, operation) && token.scopes.length > operation.scopes.length,
  }),
  'any-set': judge(permitted, others),
};

/** A client whose token has an empty scopes map is refused with 403. */
export const emptyScopes = clientsRefused('an empty scopes map', ({ authorization }) => {
  const scopes = authorization.claims?.scopes;
  return isObject(scopes) && Object.keys(scopes).length === 0;
});

/** The token of a client whose scopes do not permit the operation. Throws NotJudged if there is none. */
export const tokenWithout = async (ctx: RequirementContext): Promise<Authorization> =>
  (await clients(ctx, others))[0].authorization;
