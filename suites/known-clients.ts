import { status } from '../lib/judge/answer.ts';
import { expectRefused, expectServed } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { NotJudged } from '../lib/judge/verdict.ts';
import type { Authorization } from '../lib/target/exchange.ts';
import { isObject } from '../lib/target/jwt.ts';
import type { KnownToken } from '../lib/target/target.ts';

/**
 * The scope matrix as far as clients of known scopes go, for targets that the suite can have no tokens of chosen scopes for: a
 * client without the scope that an operation needs gets 403, one with it does not.
 */

/** The clients' tokens of which this holds. Throws NotJudged where it holds of none. */
async function clients(
  judging: Judging,
  what: string,
  holds: (token: KnownToken) => boolean,
): Promise<readonly [KnownToken, ...KnownToken[]]> {
  const [first, ...more] = (await judging.target.tokens.known()).filter(holds);
  if (first === undefined)
    throw new NotJudged(`no client is known that has ${what}`, [
      '--signing-key',
      'auth.clients in the profile',
    ]);
  return [first, ...more];
}

/** True for a token without one of the scopes that the operation needs. */
const lacks = ({ operation }: Judging, { scopes }: KnownToken): boolean =>
  operation.scopes.some(({ name }) => !scopes.includes(name));

async function expectForbidden(judging: Judging, tokens: readonly KnownToken[]): Promise<void> {
  for (const { client, scopes, authorization } of tokens) {
    const answer = await judging.probe({ authorization });
    const [only, ...more] = scopes;
    if (only !== undefined && more.length === 0) judging.run.cell(judging.operation, only, status(answer));
    expectRefused(answer, `client ${client} has ${scopes.join(', ') || 'no scope'} only`, [403]);
  }
  await judging.twin(() => judging.call());
}

async function expectPermitted(judging: Judging, tokens: readonly KnownToken[]): Promise<void> {
  const { operation, run } = judging;
  for (const { client, authorization } of tokens) {
    const answer = await judging.call({ authorization });
    for (const { name } of operation.scopes) run.cell(operation, name, status(answer));
    expectServed(answer, `client ${client} has ${operation.scopes.map(({ name }) => name).join(' and ')}`);
  }
}

/** Judges the refusal of the clients without the needed scope of which this holds too. */
const forbids =
  (what: string, holds: (token: KnownToken, judging: Judging) => boolean) =>
  async (judging: Judging): Promise<void> =>
    expectForbidden(
      judging,
      await clients(judging, what, (token) => lacks(judging, token) && holds(token, judging)),
    );

/** By the slug of the requirement that it judges in part. */
export const byKnownClients: Readonly<Record<string, (judging: Judging) => Promise<void>>> = {
  'required-scope': async (judging) =>
    expectPermitted(
      judging,
      await clients(judging, 'the scope that it needs', (token) => !lacks(judging, token)),
    ),

  'each-scope-alone': forbids('one scope, another than it needs', ({ scopes }) => scopes.length === 1),

  'wrong-verb': forbids('another verb on the resource that it needs', ({ scopes }, { operation }) =>
    operation.scopes.some(({ resource }) => scopes.some((name) => name.endsWith(`:${resource}`))),
  ),

  'wrong-resource': forbids('the verb that it needs on other resources only', ({ scopes }, { operation }) =>
    operation.scopes.some(({ verb }) => scopes.some((name) => name.startsWith(`${verb}:`))),
  ),

  'all-but-required': forbids('several scopes, but not the one it needs', ({ scopes }) => scopes.length > 1),

  'among-others': async (judging) =>
    expectPermitted(
      judging,
      await clients(
        judging,
        'the scope that it needs among others',
        (token) => token.scopes.length > judging.operation.scopes.length && !lacks(judging, token),
      ),
    ),

  'any-set': async (judging) => {
    const permitted = await clients(judging, 'the scope that it needs', (token) => !lacks(judging, token));
    const others = await clients(judging, 'other scopes than it needs', (token) => lacks(judging, token));
    await expectPermitted(judging, permitted);
    await expectForbidden(judging, others);
  },
};

/** The token of a client without the scopes that the operation needs. Throws NotJudged where there is none. */
export async function tokenWithout(judging: Judging): Promise<Authorization> {
  const [first] = await clients(judging, 'other scopes than it needs', (token) => lacks(judging, token));
  return first.authorization;
}

/** A client whose token carries a map of no scopes is refused with 403. */
export const emptyScopes = forbids('no scope, and a token that says so', ({ authorization }) => {
  const scopes = authorization.claims?.scopes;
  return isObject(scopes) && Object.keys(scopes).length === 0;
});
