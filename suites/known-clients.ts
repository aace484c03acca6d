import { status } from '../lib/judge/answer.ts';
import { expectRefused, expectServed } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { NotJudged } from '../lib/judge/verdict.ts';
import type { KnownToken } from '../lib/target/target.ts';

/**
 * The scope matrix as far as clients of known scopes go, for targets that the suite can have no tokens of chosen scopes for: a
 * client without the scope that an operation needs gets 403, one with it does not.
 */

/** The clients' tokens of which this holds, by the names of their scopes. */
async function clients(
  judging: Judging,
  what: string,
  holds: (scopes: readonly string[], needed: readonly string[]) => boolean,
): Promise<readonly KnownToken[]> {
  const needed = judging.operation.scopes.map(({ name }) => name);
  const found = (await judging.target.tokens.known()).filter(({ scopes }) => holds(scopes, needed));
  if (found.length === 0)
    throw new NotJudged(`no client is known that has ${what}`, [
      '--signing-key',
      'auth.clients in the profile',
    ]);
  return found;
}

const lacks = (scopes: readonly string[], needed: readonly string[]): boolean =>
  needed.some((name) => !scopes.includes(name));

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

/** By the slug of the requirement that it judges in part. */
export const byKnownClients: Readonly<Record<string, (judging: Judging) => Promise<void>>> = {
  'required-scope': async (judging) =>
    expectPermitted(
      judging,
      await clients(judging, 'the scope that it needs', (scopes, needed) => !lacks(scopes, needed)),
    ),
  'each-scope-alone': async (judging) =>
    expectForbidden(
      judging,
      await clients(
        judging,
        'one scope, another than it needs',
        (scopes, needed) => scopes.length === 1 && lacks(scopes, needed),
      ),
    ),
  'all-but-required': async (judging) =>
    expectForbidden(
      judging,
      await clients(
        judging,
        'several scopes, but not the one it needs',
        (scopes, needed) => scopes.length > 1 && lacks(scopes, needed),
      ),
    ),
  'among-others': async (judging) =>
    expectPermitted(
      judging,
      await clients(
        judging,
        'the scope that it needs among others',
        (scopes, needed) => scopes.length > needed.length && !lacks(scopes, needed),
      ),
    ),
};
