import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { DataSet } from '../lib/contract/data-set.ts';
import { alteredValues, entryNames } from '../lib/contract/data-set-differences.ts';
import { operation as operationOf } from '../lib/contract/model.ts';
import type { Query } from '../lib/runner/call.ts';
import { items } from '../lib/runner/call-result.ts';
import { tenantMessages } from '../lib/runner/content.ts';
import {
  expectEqual,
  expectNone,
  expectRefused,
  expectServed,
  expectStatus,
  expectSuccess,
} from '../lib/runner/expect.ts';
import type { Check, ContextFor } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { checkpointLifetime, key, keys, page, walkRequirement } from '../lib/runner/walk.ts';
import { customized } from './custom-text.ts';
import { expectedOf, isOrdinaryFilter } from './experiments-content.ts';
import { inputs } from './inputs.ts';
import { updateOf } from './phone-messages.ts';

/** All operations together: walks through the experiments, with requests to other operations and moves of the clock between pages. */

type Context = ContextFor<'seed' | 'inspect' | 'clock'>;

/** A walk through the experiments, of which each round reads one page. */
interface RunningWalk {
  readonly query: Query;
  /** Undefined for pages of the default size. */
  readonly take?: number;
  /** Keys of the items since its first page. */
  seen: string[];
  /** Keys of the items on its first and second page. */
  pages: (readonly string[])[];
  /** Pages read since its first one. */
  read: number;
  /** The checkpoint of its next page; undefined before its first page and at its end. */
  next?: string | undefined;
}

/** What the tenant must contain, and the walks. */
interface Tenant {
  /** What it contained at first. */
  readonly seeded: DataSet;
  readonly policies: Set<string>;
  messages: DataSet['phone_templates'];
  readonly walks: readonly RunningWalk[];
}

/** Walks with different filters, and with sizes without a common factor, so that no two are at the same position. */
function walksOf({ experiments }: DataSet): RunningWalk[] {
  const flows = experiments.map(({ experiment }) => experiment.authentication_flow);
  const flow = flows.find((each): each is string => typeof each === 'string' && isOrdinaryFilter(each));
  return [
    { query: {}, take: 7 },
    { query: {} },
    { query: { status: 'active' }, take: 3 },
    { query: { status: 'active', authentication_flow: flow }, take: 1 },
  ].map((walk) => ({ ...walk, seen: [], pages: [], read: 0 }));
}

/** Reads the next page of a walk, or its first one if it has not begun or has ended. @param isExpired true if its checkpoint has expired */
async function readPage(ctx: Context, walk: RunningWalk, isExpired = false): Promise<void> {
  const { query, take, next: from } = walk;
  const { result, items: found, next } = await page(ctx, { ...query, take, from });
  expectSuccess(result, 'the request is valid');
  const shown = keys(found);
  const [first] = walk.pages;
  // If its first page was empty, the walk may start again with the first page that is not.
  if (from !== undefined && isExpired && first?.length !== 0) {
    const what = { expected: 'experiments of the first page', because: 'the checkpoint has expired' };
    expectEqual(what, first?.toSorted(), shown.toSorted(), result.exchange);
  }
  if (from === undefined || isExpired) {
    // If only one of the two first pages is empty, the second pages are different ones.
    walk.pages = first?.length === shown.length ? [shown, ...walk.pages.slice(1)] : [shown];
    walk.seen = [];
    walk.read = 0;
  }
  // A walk that only seems to start over continues after its second page.
  const before = walk.read === 1 ? walk.pages[1] : undefined;
  if (before?.length === shown.length)
    expectEqual('experiments of the second page', before.toSorted(), shown.toSorted(), result.exchange);
  if (walk.read === 1) walk.pages[1] = shown;
  walk.read += 1;
  const { wanted, optional } = expectedOf(ctx.dataSet.experiments, query);
  const others = shown.filter((each) => !wanted.includes(each) && !optional.has(each));
  expectNone('experiments that the filters do not match', others, result.exchange);
  const again = shown.filter((each, index) => walk.seen.includes(each) || shown.indexOf(each) !== index);
  expectNone('experiments that this walk returned before', again, result.exchange);
  walk.seen.push(...shown);
  walk.next = next;
  if (next !== undefined) return;
  const missing = wanted.filter((each) => !walk.seen.includes(each));
  expectNone('experiments that the walk omitted', missing, result.exchange);
}

/**
 * Reads the next page of each walk after its checkpoint has expired. A service may issue the same checkpoint in several walks, and it
 * is then as young as its last issue: the walks take turns, so that the last issue of each checkpoint is known.
 */
async function readExpired(ctx: Context, walks: readonly RunningWalk[]): Promise<void> {
  const issued = new Set<string | undefined>();
  for (const walk of walks) {
    await readPage(ctx, walk, !issued.has(walk.next));
    issued.add(walk.next);
  }
}

async function moveClock(ctx: Context, seconds: number): Promise<void> {
  await ctx.clock.moveTo(ctx.clock.now() + seconds);
}

/** Seconds by which the clock stays clear of the moment when checkpoints expire. */
const margin = 3600;

const update = 'put_factor_phone_templates';

/** The command after which each walk continues. */
const nearlyExpiring = 'move the clock until just before the checkpoints expire';

/** The command after which each walk starts again. */
const expiring = 'move the clock until the checkpoints have expired';

type Command = (ctx: Context, tenant: Tenant) => Promise<void>;

const valid = { enrollment_message: 'Never stored: {{code}}', verification_message: '{{code}}' };

/** What happens between the pages of the walks, by a description. */
const commands = {
  async 'update the phone messages'(ctx, tenant) {
    if (updateOf(ctx) === undefined) return;
    const json = { enrollment_message: 'one {{code}}', verification_message: '{{code}} one' };
    expectStatus(await ctx.call({ operation: update, json }), 200, 'both messages are valid');
    tenant.messages = json;
  },

  async 'send invalid updates'(ctx) {
    if (updateOf(ctx) === undefined) return;
    for (const { because, json } of inputs.invalid_updates)
      expectRefused(await ctx.probe({ operation: update, json }), because);
    // A service may keep the identity of a request that it has refused.
    const anonymous = await ctx.probe({ operation: update, json: valid, authorization: null });
    expectRefused(anonymous, 'it has no token, only the refused request before it has');
  },

  async 'delete a policy'(ctx, { policies }) {
    // Routers and gateways may refuse other characters in a path.
    const id = [...policies].find((each) => /^[\w-]+$/.test(each));
    if (id === undefined) return;
    policies.delete(id);
    const result = await ctx.call({ operation: 'deleteRateLimitPolicy', path: { id } });
    expectServed(result, 'the policy exists');
  },

  async 'delete a policy that does not exist'(ctx) {
    // 7/no-server-error reports a status of 500.
    const path = { id: 'no-such-policy' };
    await ctx.call({ operation: 'deleteRateLimitPolicy', path, mayBeForbidden: true });
  },

  async 'read the versions of an action'(ctx) {
    const action = ctx.dataSet.actions.find(({ versions }) => versions.length > 0);
    if (action === undefined) return;
    const path = { actionId: String(action.action.id) };
    const query = { page: 0, per_page: 10 };
    const result = await ctx.call({ operation: 'listActionVersions', path, query });
    expectSuccess(result, 'the action exists');
    const shown = keys(items(result, 'versions'));
    const own = new Set(action.versions.map(key));
    const others = shown.filter((each) => !own.has(each));
    expectNone('versions of other actions', others, result.exchange);
    expectEqual('number of versions', Math.min(10, own.size), new Set(shown).size, result.exchange);
  },

  async 'read a custom text'(ctx) {
    const operation = operationOf(ctx.contract, 'getSelfServiceProfileCustomText');
    const [first] = customized(ctx.dataSet, operation);
    if (first === undefined) return;
    // 4.5/text-content judges the texts.
    expectSuccess(await ctx.call({ operation, ...first.call }), 'the profile exists');
  },

  async 'inspect the tenant'(ctx, { policies, messages, seeded }) {
    const last = ctx.exchanges.filter(({ request }) => request.method !== 'GET').slice(-3);
    // A deletion or an update may take effect after its response.
    const stored = await ctx.eventually(
      () => ctx.control.inspect(),
      ctx.run.effectWaitMs,
      (found) =>
        found.rate_limit_policies.length === policies.size &&
        isDeepStrictEqual(tenantMessages(found), messages),
    );
    expectEqual('the phone messages', messages, tenantMessages(stored), ...last);
    const expected = { ...seeded, rate_limit_policies: [...policies].map((id) => ({ id })) };
    expectEqual('the entries of the tenant', entryNames(expected), entryNames(stored), ...last);
    // A service may store some values in another way.
    const unchanged = { ...ctx.dataSet, phone_templates: stored.phone_templates };
    const before = new Set(alteredValues(ctx.dataSet, seeded));
    const altered = alteredValues(unchanged, stored).filter((each) => !before.has(each));
    expectNone('values that no request changes', altered, ...last);
  },

  [nearlyExpiring]: (ctx) => moveClock(ctx, checkpointLifetime(ctx) - margin),
  [expiring]: (ctx) => moveClock(ctx, checkpointLifetime(ctx) + margin),
} satisfies Readonly<Record<string, Command>>;

type CommandName = keyof typeof commands;

const commandNames = Object.keys(commands).filter((name): name is CommandName =>
  Object.hasOwn(commands, name),
);

const everything = { needs: ['token', 'write', 'seed', 'inspect', 'clock'], lane: 'exclusive' } as const;

export const anyHistory: readonly Check[] = [
  walkRequirement('8/any-history', everything, async (ctx) => {
    const names: readonly CommandName[] = [...commandNames, 'delete a policy'];
    // Each request after a move of the clock, and walks that outlive their first checkpoint after an update and deletions. Texts may
    // disappear from a cache after a day.
    const readText = 'read a custom text';
    const long: CommandName[] = [
      nearlyExpiring,
      ...names.filter((each) => each !== expiring && each !== readText),
      nearlyExpiring,
      readText,
      expiring,
    ];
    await ctx.property(
      fc.shuffledSubarray([...names], { minLength: names.length }),
      async (order) => {
        const { rate_limit_policies, phone_templates } = ctx.dataSet;
        const policies = new Set(rate_limit_policies.map(({ id }) => id));
        await ctx.control.seed(ctx.dataSet);
        const seeded = await ctx.control.inspect();
        const messages = { ...phone_templates };
        const tenant: Tenant = { policies, messages, walks: walksOf(ctx.dataSet), seeded };
        await settleAll(tenant.walks, (walk) => readPage(ctx, walk));
        for (const name of order) {
          await commands[name](ctx, tenant);
          if (name === expiring) await readExpired(ctx, tenant.walks);
          else await settleAll(tenant.walks, (walk) => readPage(ctx, walk));
        }
        await settleAll(tenant.walks, (walk) => readPage(ctx, walk));
        await commands['inspect the tenant'](ctx, tenant);
      },
      { examples: [long], fraction: 1 / 25, sequential: true },
    );
  }),
];
