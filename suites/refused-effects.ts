import type { Authorization } from '../lib/client/exchange.ts';
import type { Scope } from '../lib/contract/model.ts';
import { tenantMessages } from '../lib/runner/content.ts';
import type { ContextFor } from '../lib/runner/context.ts';
import { expectEqual, expectThat, isRefusal } from '../lib/runner/expect.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { tokenWithout } from './known-clients.ts';

/** Section 5, items 1 and 3, and section 7: a request that is refused for its token has no effect. */

export const refusedEffects: readonly Check[] = [
  requirement(
    '5.3/refused-changes-nothing',
    { needs: ['known_scopes', 'write', 'inspect'], lane: 'operation' },
    async (ctx) => {
      const none: readonly Scope[] = [{ name: 'read:stats', verb: 'read', resource: 'stats' }];
      const token = () => (ctx.can('scopes') ? ctx.token(none) : tokenWithout(ctx));
      await expectUnchanged(ctx, token, 'its token permits something else');
    },
  ),

  requirement(
    '5.3/expired-changes-nothing',
    { needs: ['mint', 'write', 'inspect'], lane: 'operation' },
    async (ctx) => {
      const { minter, operation } = ctx;
      const claims = { ...minter.claims(operation.scopes), exp: minter.now() - 86_400 };
      await expectUnchanged(ctx, () => minter.sign(claims), 'its token has expired');
    },
  ),

  requirement(
    '5.1/no-header-changes-nothing',
    { needs: ['write', 'inspect'], lane: 'operation' },
    async (ctx) => expectUnchanged(ctx, async () => null, 'it carries no token'),
  ),

  requirement(
    '7/bad-signature-changes-nothing',
    { needs: ['mint', 'write', 'inspect'], lane: 'operation' },
    async (ctx) => {
      const { minter, operation } = ctx;
      const token = () => minter.signWithUntrustedKey(minter.claims(operation.scopes));
      await expectUnchanged(ctx, token, 'its signature is invalid');
    },
  ),
];

/** The tenant holds the same before and after a request that is refused for its token. */
async function expectUnchanged(
  ctx: ContextFor<'inspect'>,
  token: () => Promise<Authorization | null>,
  because: string,
): Promise<void> {
  const control = ctx.control;
  const before = await control.inspect();
  const json =
    ctx.operation.body === undefined
      ? {}
      : {
          json: {
            enrollment_message: `refused ${ctx.seed}`,
            verification_message: `refused ${ctx.seed}`,
          },
        };
  // A policy that no other requirement deletes: a deletion may take effect after its answer.
  const named = ctx.operation.parameters.find(({ resource }) => resource === 'rate_limit_policy');
  const present = new Set(before.rate_limit_policies.map(({ id }) => id));
  const policy = ctx.run.resources.all('rate_limit_policy').findLast((id) => present.has(id));
  if (named !== undefined && policy === undefined) throw new NotJudged('the tenant has no policy left');
  const path = named === undefined || policy === undefined ? {} : { path: { [named.name]: policy } };
  const answer = await ctx.probe({ ...json, ...path, authorization: await token() });
  if (!isRefusal(answer))
    throw new NotJudged('it was not refused: see the requirements on expiry and scopes');
  const after = await control.inspect();
  // Only what this request would change: others may be changing the rest.
  if (named === undefined) {
    expectEqual(
      `the messages as before, because ${because}`,
      tenantMessages(before),
      tenantMessages(after),
      answer.exchange,
    );
  } else {
    const isThere = after.rate_limit_policies.some(({ id }) => id === policy);
    expectThat(isThere, `policy ${policy} still there, because ${because}`, 'it is deleted', answer.exchange);
  }
}
