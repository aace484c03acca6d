import type { Authorization } from '../lib/client/exchange.ts';
import type { DataSet } from '../lib/contract/data-set.ts';
import { permits, type Scope } from '../lib/contract/model.ts';
import type { Control } from '../lib/control/control.ts';
import { type CallResult, status } from '../lib/runner/call-result.ts';
import { tenantMessages } from '../lib/runner/content.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectNone, isRefusal } from '../lib/runner/expect.ts';
import { tokenWithOnly } from '../lib/runner/requested-token.ts';
import { type Check, type ContextFor, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { tokenWithout } from './known-clients.ts';
import { encodeLetters } from './path-spellings.ts';
import { validMessages } from './phone-messages.ts';
import { literal, minted, raw, variationsOf, widestLeeway } from './requests.ts';
import { alterableToken } from './signatures.ts';

/** Section 5, items 1 and 3, and section 7: a request that is refused for its token has no effect. */

const known = { needs: ['known_scopes', 'write', 'inspect'], lane: 'operation' } as const;
const anonymous = { needs: ['write', 'inspect'], lane: 'operation' } as const;
const withToken = { needs: ['token', 'write', 'inspect'], lane: 'operation' } as const;
const signed = { needs: ['mint', 'write', 'inspect'], lane: 'operation' } as const;

/** Bytes of a large body, more than many servers read by default. */
const largeBytes = 200_000;

/** Number of scopes with which a token's header field stays under the limits of common servers. */
const manyScopes = 30;

export const refusedEffects: readonly Check[] = [
  requirement('5.3/refused-changes-nothing', known, (ctx) => {
    const { operation, contract } = ctx;
    const others = contract.scopes.filter((each) => !permits(operation, [each]));
    // Scopes of the same resource first.
    const isNear = ({ resource }: Scope) => operation.scopes.some((each) => each.resource === resource);
    const nearest = [...others.filter(isNear), ...others.filter((each) => !isNear(each))];
    // Only a minted token can be without scopes.
    const sets = [
      nearest.slice(0, 1),
      nearest.slice(0, manyScopes),
      ctx.minter === undefined ? nearest.slice(-1) : [],
      // The same verb on another resource only.
      others
        .filter(({ verb, resource }) =>
          operation.scopes.some((each) => each.verb === verb && each.resource !== resource),
        )
        .slice(0, 1),
    ];
    const token = (variation: number) =>
      ctx.can('scopes')
        ? tokenWithOnly(ctx, sets[variation % sets.length] ?? [], variation)
        : tokenWithout(ctx);
    return expectUnchanged(ctx, token, 'its token permits something else', (path) => [
      `${path}/`,
      encodeLetters(path),
    ]);
  }),

  // Each age with JSON and with a form, which the variations use in turn.
  requirement('5.3/expired-changes-nothing', signed, (ctx) =>
    expectUnchanged(
      ctx,
      (each) => minted(ctx, { exp: ctx.minter.now() - (each < 2 ? 86_400 : widestLeeway + 60) }, each),
      'its token has expired',
    ),
  ),

  requirement('5.1/no-header-changes-nothing', anonymous, (ctx) => {
    const credentials = [null, literal('Bearer nonsense'), literal('Basic Y2xpZW50OnNlY3JldA==')];
    const token = async (variation: number) => credentials[variation % credentials.length] ?? null;
    // A router may serve other paths too, which a rule on authentication may overlook.
    return expectUnchanged(ctx, token, 'it has no valid token', (path) => [`${path}/`, `/${path}`]);
  }),

  requirement('7/bad-signature-changes-nothing', withToken, (ctx) => {
    const signatures = ['untrusted-key', 'untrusted-key', 'none', 'hmac-pem'] as const;
    const token = async (variation: number) => {
      const { altered } = await alterableToken(ctx, variation);
      const signature = signatures[variation % signatures.length] ?? 'none';
      return altered(signature, variation % 2 === 0 ? {} : { kid: 'no-such-key' });
    };
    return expectUnchanged(ctx, token, 'its signature is invalid');
  }),
];

/** The tenant before refused updates. If an earlier one has emptied its messages, they are updated, so that it shows again. */
async function tenantBefore(ctx: RequirementContext, inspect: Control['inspect']): Promise<DataSet> {
  const before = await inspect();
  const isEmptied = Object.values(tenantMessages(before)).includes('');
  if (!isEmptied || ctx.operation.body === undefined || !ctx.can('token')) return before;
  await ctx.call({ json: validMessages });
  return inspect();
}

/** Path parameters that name a policy that no other requirement deletes; undefined if the operation names no policy. */
function policyToKeep({ operation, run }: RequirementContext, before: DataSet) {
  const named = operation.parameters.find(({ resource }) => resource === 'rate_limit_policy');
  if (named === undefined) return undefined;
  const present = new Set(before.rate_limit_policies.map(({ id }) => id));
  const plain = run.resources.all('rate_limit_policy').filter((id) => /^[\w-]+$/.test(id));
  const id = plain.findLast((each) => present.has(each));
  if (id === undefined) throw new NotJudged('the tenant has no policy left');
  return { [named.name]: id };
}

/**
 * Judges that refused requests of the operation have no effect. Called before they are sent.
 * @param because why they are refused
 * @returns `policy`: path parameters that name a policy, for an operation that deletes one; `expectNoEffect`: judges the tenant after
 *   a request whose messages begin with `text`
 */
export async function noEffect(ctx: RequirementContext, inspect: Control['inspect'], because: string) {
  const before = await tenantBefore(ctx, inspect);
  const policy = policyToKeep(ctx, before);
  const idsIn = ({ rate_limit_policies: policies }: DataSet) => policies.map(({ id }) => id);
  const messagesIn = (stored: DataSet) => Object.values(tenantMessages(stored));
  const expectNoEffect = async ({ exchange }: CallResult, text: string): Promise<void> => {
    const after = await inspect();
    if (policy !== undefined) {
      // Policies that others deleted may disappear late.
      const left = [...ctx.run.resources.all('rate_limit_policy'), ...Object.values(policy)];
      const lost = idsIn(before).filter((id) => left.includes(id) && !idsIn(after).includes(id));
      expectNone({ expected: 'policies that are missing afterwards', because }, lost, exchange);
      return;
    }
    // Also a message that has become a beginning of the text, or empty. Other changes are not judged, because an earlier update may
    // take effect after its response.
    const changed = messagesIn(after).filter(
      (each) => each.startsWith(text) || (text.startsWith(each) && !messagesIn(before).includes(each)),
    );
    expectNone({ expected: 'messages of this update in the tenant', because }, changed, exchange);
  };
  return { policy, expectNoEffect };
}

/**
 * A request that is refused for its token has no effect.
 * @param spellings other spellings of its path, to which plain requests with the first token are sent too
 */
async function expectUnchanged(
  ctx: ContextFor<'inspect'>,
  token: (variation: number) => Promise<Authorization | null>,
  because: string,
  spellings: (path: string) => readonly string[] = () => [],
): Promise<void> {
  const { operation } = ctx;
  const text = `refused ${ctx.nonce}`;
  const messages = { enrollment_message: text, verification_message: text };
  const { policy, expectNoEffect } = await noEffect(ctx, ctx.control.inspect, because);
  const calls = await settleAll(variationsOf(ctx), async (variation) => {
    const sent = variation % 2 === 0 ? { json: messages } : { form: messages };
    return { ...(operation.body && sent), path: policy, variation, authorization: await token(variation) };
  });
  const [first] = calls;
  // Those that are equal to earlier ones may be answered from a cache. The last one is the plain request, with a further token.
  const authorization = await token(calls.length);
  const plain = calls.slice(0, 1).map((call) => ({ ...call, variation: undefined, authorization }));
  for (const call of [...calls, ...calls.slice(1), ...plain]) {
    const result = await ctx.probe(call);
    if (!isRefusal(result))
      throw new NotJudged(`${status(result)} is not a refusal: see the requirements on expiry and scopes`);
    await expectNoEffect(result, text);
  }
  const json = JSON.stringify(messages);
  // A middleware may pass over a large body. No other requirement judges whether it is refused.
  if (operation.body)
    await expectNoEffect(await ctx.probe({ ...raw(json.padEnd(largeBytes)), authorization }), text);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => policy?.[name] ?? '');
  for (const target of spellings(path)) {
    const request = {
      operation,
      method: operation.method,
      target,
      ...(operation.body && raw(json)),
      ...(first?.authorization && { authorization: first.authorization }),
    };
    await expectNoEffect(await ctx.send(request), text);
  }
}
