import type { Control } from '../lib/control/control.ts';
import { type CallResult, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import {
  assertExists,
  expectEqual,
  expectNone,
  expectNotServed,
  expectServed,
  expectThat,
  isRefusal,
  plural,
  show,
} from '../lib/runner/expect.ts';
import { tokenWithOnly } from '../lib/runner/requested-token.ts';
import { type Check, type ContextFor, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { ignoreNotJudged, NotJudged } from '../lib/runner/verdict.ts';
import { recordedLength, uniqueId, withId } from './correlation.ts';
import { inputs } from './inputs.ts';
import { statusesOf } from './observed-statuses.ts';
import { updateOf, validMessages } from './phone-messages.ts';
import { variationsOf } from './requests.ts';

/** Sections 2.4 and 4.3: DELETE /rate-limit-policies/{id}. */

const kind = 'rate_limit_policy';

const deleting = { needs: ['token', 'write', 'rate_limit_policy'], lane: 'operation' } as const;
const inspecting = { needs: ['token', 'write', 'inspect', 'rate_limit_policy'], lane: 'operation' } as const;
const inspectingAll = { ...inspecting, lane: 'exclusive' } as const;

const longestId = (ctx: RequirementContext): number => {
  const parameter = ctx.operation.parameters.find(({ resource }) => resource === kind);
  return parameter?.schema.maxLength ?? 0;
};

/** This many ids are deleted in every variation. */
const fewIds = 3;

type Inspect = Control['inspect'];

const storedPolicies = async (inspect: Inspect): Promise<readonly string[]> =>
  (await inspect()).rate_limit_policies.map(({ id }) => id).toSorted();

/** Policies of a tenant that are deleted. */
interface DeletedPolicies {
  readonly ids: readonly string[];
  /** Why the ids are valid, for messages. */
  readonly because: string;
  /** Ids of policies that must stay. */
  readonly similar: readonly string[];
}

/** Deletes the policies one by one, and concurrently. Policies with similar ids must stay. */
const deletable = (
  id: string,
  because: string,
  idsOf: (ctx: RequirementContext) => readonly string[],
  similar: readonly string[] = [],
  least = 1,
): Check =>
  requirement(id, { needs: ['token', 'write', 'seed'], lane: 'exclusive' }, async (ctx) => {
    const ids = ctx.share(idsOf(ctx), least);
    const policies = { ids, because, similar };
    const data = { ...ctx.dataSet, rate_limit_policies: [...similar, ...ids].map((each) => ({ id: each })) };
    const { inspect, seed } = ctx.control;
    await sendRefusedDeletions(ctx, ids[0] ?? '');
    await seed(data);
    await expectDeletedOneByOne(ctx, policies);
    if (inspect === undefined) return;
    // A few ids in every variation, many in one.
    for (const variation of ids.length > fewIds ? variationsOf(ctx).slice(1, 2) : variationsOf(ctx)) {
      await seed(data);
      await expectDeletedConcurrently(ctx, inspect, policies, variation);
    }
  });

/** Sends deletions that are refused: a service may remember one as done. If it executes one, the next seed restores the policy. */
async function sendRefusedDeletions(ctx: RequirementContext, id: string): Promise<void> {
  const refused = [null, ...(ctx.can('scopes') ? [await tokenWithOnly(ctx, [])] : [])];
  for (const authorization of refused) await ctx.probe({ path: { id }, authorization });
}

/** Deletes a policy that exists. */
async function expectDeletionServed(
  ctx: RequirementContext,
  id: string,
  because: string,
  variation?: number,
): Promise<CallResult> {
  const result = await ctx.call({ path: { id }, variation });
  expectServed(result, `it names the existing policy ${show(id)}: ${because}`);
  return result;
}

/** Deletes one policy after the other, so that the last request must have deleted a missing policy. Similar ones must stay. */
async function expectDeletedOneByOne(
  ctx: RequirementContext,
  { ids, because, similar }: DeletedPolicies,
): Promise<void> {
  const { inspect } = ctx.control;
  // A service may go on with what a failed deletion has left. One that trims an id may be left with none, and look for any policy.
  const unknown = ids.length > fewIds ? ' ' : 'no-such-policy';
  await ctx.call({ path: { id: unknown }, mayBeForbidden: true });
  for (const [index, id] of ids.entries()) {
    // It may also go on with what a refused deletion has left.
    if (index === 1) await ctx.call({ path: { id: 'x'.repeat(longestId(ctx) + 1) }, mayBeForbidden: true });
    const result = await expectDeletionServed(ctx, id, because);
    if (inspect === undefined) continue;
    const isLast = similar.length === 0 && id === ids.at(-1);
    await expectDeleted(ctx, inspect, id, result, isLast ? 'it is the only policy left' : undefined);
    const left = (await storedPolicies(inspect)).filter((other) => similar.includes(other));
    expectEqual(`the policies with ids like ${show(id)}`, similar.toSorted(), left, result.exchange);
  }
  if (inspect === undefined) return;
  const againIn = (stored: readonly string[]) => ids.filter((id) => stored.includes(id));
  const stored = await ctx.eventually(
    () => storedPolicies(inspect),
    ctx.run.effectWaitMs,
    (found) => againIn(found).length === 0,
  );
  expectNone('deleted policies that exist again', againIn(stored), ...ctx.exchanges.slice(-1));
}

/**
 * Sends half of the deletions at once and the others one after the other, so that some are received while an update is under way: a
 * service that writes the whole tenant for each change loses those that it did not read. It may pass over what a reader locks.
 */
async function expectDeletedConcurrently(
  ctx: RequirementContext,
  inspect: Inspect,
  { ids, because }: DeletedPolicies,
  variation: number,
): Promise<void> {
  const deleted = new Map<string, CallResult>();
  const deletions = ids.toReversed().map((id) => async () => {
    deleted.set(id, await expectDeletionServed(ctx, id, because, variation));
  });
  const others = ctx.run.operations.filter(({ id }) =>
    ['put_factor_phone_templates', 'listExperiments'].includes(id),
  );
  // No token may permit them.
  const otherRequests = others.map((operation) => async () => {
    const call = { operation, ...(operation.body && { json: validMessages }), mayBeForbidden: true };
    await ctx.call(call).catch(ignoreNotJudged);
  });
  const half = Math.ceil(deletions.length / 2);
  const oneAfterTheOther = async () => {
    for (const send of deletions.slice(half)) await send();
  };
  const atOnce = [...deletions.slice(0, half).toSpliced(1, 0, ...otherRequests), oneAfterTheOther];
  await settleAll(atOnce, (send) => send());
  const number = deletions.length + otherRequests.length - 1;
  const concurrent = `${plural(number, 'other request')} were sent at the same time`;
  for (const [id, result] of deleted) await expectDeleted(ctx, inspect, id, result, concurrent);
}

/** Waits until the policy has disappeared from the tenant. A service may respond before it deletes the policy (202). */
async function expectDeleted(
  ctx: RequirementContext,
  inspect: Inspect,
  id: string,
  { exchange }: CallResult,
  because?: string,
): Promise<void> {
  const expected = `policy ${show(id)} gone from the tenant within ${ctx.run.effectWaitMs / 1000} s of its deletion`;
  const isDeleted = (policies: readonly string[]) => !policies.includes(id);
  const left = await ctx.eventually(() => storedPolicies(inspect), ctx.run.effectWaitMs, isDeleted);
  expectThat(isDeleted(left), { expected, because }, 'it is still there', exchange);
}

/** A policy that no other request deletes. Throws NotJudged if there is none left. */
function takePolicy(ctx: RequirementContext): string {
  const id = ctx.run.resources.take(kind);
  if (id === undefined) throw new NotJudged('there is no other policy left', ['--control']);
  return id;
}

/** Ids that are one character too long, or far too long. Cut to the maximum length they name existing policies, if known. */
const tooLong = (ctx: RequirementContext): readonly string[] => {
  const longest = longestId(ctx);
  const known = ctx.run.resources.all(kind).filter((id) => id.length === longest && /^\w+$/.test(id));
  const cut = [longest + 1, longest + 2, longest + 256, 1001].map((length, index) => {
    const id = known.at(-1 - index) ?? 'a'.repeat(longest);
    return index % 2 === 0 ? id.padEnd(length, index === 0 ? 'a' : 'ü') : id.padStart(length, 'a');
  });
  // A database may store UUIDs. A pattern may match one line only, or ignore a line feed at the end.
  const digits = '9'.repeat(longest + 1);
  return [...cut, '3f2504e0-4f89-41d3-9a0c-0305e82c3301', digits, `${known[0] ?? 'a'.repeat(longest)}\n`];
};

/** Number of policies that observations leave for requirements if the tenant cannot be seeded. */
const reserved = 3;

/** Deletes a policy for an observation. Undefined if requirements need the remaining policies. */
const removeSpare = async (ctx: RequirementContext) => {
  const isSpare = ctx.dataSet !== undefined || ctx.run.resources.all(kind).length > reserved;
  return isSpare ? ctx.deletePolicy() : undefined;
};

/** Lists of an id and others that only an inexact comparison matches: parts, patterns, numbers, a long prefix. */
const similarIds = (ctx: RequirementContext): readonly (readonly string[])[] => [
  ['pol_x', 'pol_', 'pol', 'pol_x1', 'xpol_x', 'polax', 'pol-x'],
  ['7', '07', '70', '7b', 'b7'],
  // Beyond 2^53, where two numbers are equal in JavaScript.
  ['9007199254740993', '9007199254740992'],
  ['a_long_policy_id', 'a_long_policy_id_2', 'also_a_long_policy_id'],
  ['1', '2', '21'].map((end) => end.padStart(longestId(ctx), 'k')),
  ['1', '2'].map((start) => start.padEnd(longestId(ctx), 'k')),
];

/** Ids that differ only in case, which a service may be unable to store. */
const idsInOtherCase = ['pol_y', 'POL_Y', 'Pol_y'];

/** The ids of two policies that have no similar ones beside them. */
const loneId = 'Lone_Id';
const loneNumber = '41';

/**
 * Ids of no policy: some begin or end like one, match one as a pattern of SQL, equal one as a number, name two, or differ from a
 * long one in the last character. The first one is empty if the tenant can be filled again: an endpoint of its own may delete all.
 */
const missingIds = (ctx: RequirementContext): readonly string[] => [
  ...[ctx.can('seed') ? '' : 'no-such-policy', 'Lone_I', 'Lone_Ix', 'one_Id'],
  ...['Lone_Id.', 'Lone__d', 'Lone-Id', '041', 'Lone_Id,41', '3'.padStart(longestId(ctx), 'k'), '*', '3'],
];

/** The deletion of an id changes none of the other policies that are judged, neither before nor after it has taken effect. */
async function expectOthersKept(
  ctx: ContextFor<'inspect'>,
  judged: ReadonlySet<string>,
  id: string,
  send = () => ctx.call({ path: { id }, mayBeForbidden: true }),
): Promise<void> {
  const others = async () =>
    (await storedPolicies(ctx.control.inspect)).filter((each) => each !== id && judged.has(each));
  const before = await others();
  const deletion = await send();
  const what = `the policies other than ${show(id)}`;
  expectEqual(what, before, await others(), deletion.exchange);
  if (isRefusal(deletion)) return;
  const isDeleted = (policies: readonly string[]) => !policies.includes(id);
  await ctx.eventually(() => storedPolicies(ctx.control.inspect), ctx.run.effectWaitMs, isDeleted);
  expectEqual(what, before, await others(), deletion.exchange);
}

/** Seeds policies with the ids of these lists, and deletes the first one of each list. Other policies must stay. */
async function deleteFirstOfEach(
  ctx: ContextFor<'inspect'>,
  seed: Control['seed'],
  lists: readonly (readonly string[])[],
): Promise<void> {
  // Those that only an inexact comparison matches come before the one that is deleted.
  const ids = [...lists.flat(), loneId, loneNumber].toReversed();
  await seed({ ...ctx.dataSet, rate_limit_policies: ids.map((id) => ({ id })) });
  for (const [id = ''] of lists) await expectOthersKept(ctx, new Set(ids), id);
}

export const rateLimitPolicies: readonly Check[] = [
  requirement('4.3/delete-succeeds', deleting, async (ctx) => {
    const result = await ctx.deletePolicy();
    assertExists(ctx, result);
    expectServed(result, 'the policy exists');
  }),

  deletable('4.3/delete-short-id', 'an id is a text, whatever it looks like', () => inputs.short_ids),
  deletable('4.3/delete-long-id', 'an id may have this length', (ctx) => {
    const longest = longestId(ctx);
    return [
      // In the form of a ULID.
      '01ARZ3NDEKTSV4RRFFQ69G5FAV'.padEnd(longest, '_').slice(0, longest),
      // In the form of an ObjectId of MongoDB.
      `2bbb${'5F0C'.repeat(longest)}`.slice(0, Math.min(24, longest)),
      // With letters that a ULID does not have.
      `LIO${'0-'.repeat(longest).slice(4 - longest)}e`,
      `lio${'0Ab1'.repeat(longest)}`.slice(0, longest),
    ];
  }),
  deletable(
    '4.3/delete-encoded-id',
    'its id is percent-encoded (RFC 3986, section 2.1)',
    (ctx) => inputs.encoded_ids.toSpliced(-2, 0, 'ü'.repeat(longestId(ctx))),
    inputs.similar_to_encoded_ids,
    3,
  ),

  requirement('4.3/policy-is-gone', inspecting, async (ctx) => {
    const recordedId = uniqueId(ctx, recordedLength(ctx), 'Repeated');
    const deletion = (end: string) => ctx.deletePolicy(withId(ctx, recordedId + end));
    const result = await deletion('1');
    if (isRefusal(result))
      throw new NotJudged(`the deletion was refused with ${status(result)}: see 4.3/delete-succeeds`);
    await expectDeleted(ctx, ctx.control.inspect, result.id, result);
    const before = await storedPolicies(ctx.control.inspect);
    const again = await ctx.call({ path: { id: result.id }, mayBeForbidden: true });
    // A service may roll back with a refused update what it has just deleted.
    const update = updateOf(ctx);
    if (update !== undefined)
      await ctx.probe({ operation: update, json: {}, mayBeForbidden: true }).catch(ignoreNotJudged);
    const stored = await storedPolicies(ctx.control.inspect);
    const expected = 'no such policy after a second deletion';
    const because = 'no request creates policies; one that was under way may have restored it';
    expectThat(!stored.includes(result.id), { expected, because }, 'the policy exists again', again.exchange);
    // Policies that other requirements deleted may disappear late.
    const kept = ctx.run.resources.all(kind).filter((each) => before.includes(each));
    const lost = kept.filter((each) => !stored.includes(each));
    expectNone('other policies that are missing after a second deletion', lost, again.exchange);
    const next = await deletion('2');
    const sameId = 'its correlation ID begins like that of an earlier deletion, and was not refused';
    if (status(next) < 300) await expectDeleted(ctx, ctx.control.inspect, next.id, next, sameId);
  }),

  requirement('4.3/others-stay', inspectingAll, async (ctx) => {
    const similar = ctx.share(similarIds(ctx), 2);
    // Policies that other requirements deleted may disappear late.
    const judged = new Set([...ctx.run.resources.all(kind), ...similar.flat(), loneId, loneNumber]);
    const { seed } = ctx.control;
    // Without this, the policy may be deleted already, together with another one.
    await seed?.(ctx.dataSet);
    const first = takePolicy(ctx);
    await expectOthersKept(ctx, judged, first, () => ctx.call({ path: { id: first } }));
    if (seed !== undefined) {
      // A service that cannot store these ids is judged by the others.
      await deleteFirstOfEach(ctx, seed, [idsInOtherCase]).catch(ignoreNotJudged);
      await deleteFirstOfEach(ctx, seed, similar);
    }
    // A deletion of a missing policy must not delete another one either.
    const missing = missingIds(ctx);
    for (const variation of variationsOf(ctx))
      for (const id of variation % 2 === 0 ? missing.slice(0, 4) : missing.slice(4))
        await expectOthersKept(ctx, judged, id, () =>
          ctx.call({ path: { id }, mayBeForbidden: true, variation }),
        );
    // A server may read the parameters of the path from the query or the body too.
    for (const call of [{ query: { id: loneNumber } }, { json: { id: loneNumber } }])
      await expectOthersKept(ctx, judged, loneId, () => ctx.probe({ path: { id: loneId }, ...call }));
  }),

  requirement('4.3/id-case', { ...inspectingAll, needs: [...inspecting.needs, 'seed'] }, async (ctx) => {
    await ctx.control.seed({ ...ctx.dataSet, rate_limit_policies: [{ id: loneId }] });
    for (const id of [loneId.toLowerCase(), `${loneId} `, `${loneId}\n`])
      await expectOthersKept(ctx, new Set([loneId]), id);
    for (const list of ctx.share(inputs.cut_ids))
      await deleteFirstOfEach(ctx, ctx.control.seed, [list]).catch(ignoreNotJudged);
  }),

  requirement('4.3/others-deletable', deleting, async (ctx) => {
    const first = await ctx.deletePolicy();
    assertExists(ctx, first);
    if (isRefusal(first))
      throw new NotJudged(`the first deletion was refused with ${status(first)}: see 4.3/delete-succeeds`);
    const id = takePolicy(ctx);
    // A client may repeat a deletion that is under way. 7/no-server-error judges both.
    const deletions = await settleAll([id, id], () => ctx.call({ path: { id }, mayBeForbidden: true }));
    const [served = first] = deletions.toSorted((one, other) => status(one) - status(other));
    assertExists(ctx, served);
    expectServed(served, `it names ${id}, and only ${first.id} was deleted before`);
    // 7/no-server-error judges a repeated deletion, also where too few policies are named for the observations.
    if (ctx.dataSet === undefined) await ctx.call({ path: { id: first.id }, mayBeForbidden: true });
  }),

  requirement('4.3/id-too-long', { needs: ['token', 'write'], lane: 'operation' }, async (ctx) => {
    const ids = ctx.share(tooLong(ctx), 2);
    const longest = longestId(ctx);
    // Policies that other requirements deleted may disappear late.
    const left = ctx.run.resources.all(kind);
    const policies = async () => ctx.control.inspect && storedPolicies(ctx.control.inspect);
    for (const variation of variationsOf(ctx))
      for (const id of ids) {
        const before = (await policies()) ?? [];
        const result = await ctx.call({ path: { id }, mayBeForbidden: true, variation });
        expectNotServed(result, `an id of ${id.length} characters is longer than the maximum of ${longest}`);
        const after = (await policies()) ?? [];
        const lost = before.filter((each) => left.includes(each) && !after.includes(each));
        expectNone('policies that are missing after its refusal', lost, result.exchange);
      }
  }),

  statusesOf('4.3/id-too-long-status', { needs: ['token', 'write'] }, (ctx) => {
    const lengths = [longestId(ctx) + 1, 200];
    const call = (length: number) => ({ path: { id: 'z'.repeat(length) }, mayBeForbidden: true });
    return Object.fromEntries(lengths.map((length) => [`${length} characters`, call(length)]));
  }),

  observation('4.3/success-status', deleting, async (ctx) => {
    const result = await removeSpare(ctx);
    return result && status(result);
  }),
  observation('4.3/second-delete-status', deleting, async (ctx) => {
    const deletion = await removeSpare(ctx);
    return deletion && status(await ctx.call({ path: { id: deletion.id }, mayBeForbidden: true }));
  }),

  statusesOf('4.3/unknown-id-status', { needs: ['token', 'write'] }, () => ({
    'no-such-policy': { path: { id: 'no-such-policy' }, mayBeForbidden: true },
    // Some databases cannot store U+0000.
    'no-such\\0policy': { path: { id: 'no-such\0policy' }, mayBeForbidden: true },
  })),
];
