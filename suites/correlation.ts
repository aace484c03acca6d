import { minimalInput } from '../lib/arbitraries/input.ts';
import { correlationId } from '../lib/arbitraries/text.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectServed, expectThat, show } from '../lib/runner/expect.ts';
import { type Check, type ContextFor, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged, Violation } from '../lib/runner/verdict.ts';
import { inTurn, rounds } from './request-variations.ts';

/** Section 5, request correlation: the client's own ID of a mutating request is found again in the tenant logs. */

/** The header field with this ID. Its name is the same in any case (RFC 9110, section 5.1), so IDs of odd length have it in lower case. */
function withId(ctx: RequirementContext, id: string): Call {
  const header = ctx.operation.correlation?.header ?? 'X-Correlation-ID';
  return { headers: [[id.length % 2 === 0 ? header : header.toLowerCase(), id]] };
}

/** Characters of an ID that the logs keep. */
const recordedLength = (ctx: RequirementContext): number => ctx.operation.correlation?.recordedLength ?? 0;

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** An ID of this length that no other request of the run carries, in groups that end with a hyphen. */
function uniqueId(ctx: RequirementContext, length: number, salt: string): string {
  const start = `${salt}${ctx.seed.toString(36)}${ctx.operation.method}-`;
  return Array.from(
    { length },
    (_, index) => start[index] ?? (index % 8 === 7 ? '-' : alphabet[(index * 7 + length) % alphabet.length]),
  ).join('');
}

/** A mutating request that succeeds: it deletes data where the operation deletes, which needs some. */
async function change(ctx: RequirementContext, call: Call = {}): Promise<CallResult> {
  const named = ctx.operation.parameters.find(({ resource }) => resource !== undefined);
  const answer = await (named === undefined ? ctx.call(call) : ctx.consume('rate_limit_policy', call));
  // A request that a long ID makes fail is seen by 5/correlation-accepted already.
  if (status(answer) >= 400)
    throw new NotJudged(`${status(answer)} for a valid request: see 5/correlation-accepted`);
  return answer;
}

/** Where not even a plain ID is recorded, another requirement blames the server for that; it counts nothing more. */
async function expectPlainRecorded(ctx: ContextFor<'logs'>): Promise<void> {
  const id = uniqueId(ctx, 40, 'Plain');
  const answer = await change(ctx, withId(ctx, id));
  await expectRecorded(ctx, id, id, answer).catch((error: unknown) => {
    if (!(error instanceof Violation)) throw error;
    throw new NotJudged('not even a plain ID of 40 characters is recorded: see 5/correlation-recorded');
  });
}

/** Waits until the logs contain this ID; throws a violation with what they contain in its place. */
async function expectRecorded(
  ctx: ContextFor<'logs'>,
  id: string,
  recorded: string,
  answer: CallResult,
): Promise<void> {
  const prefix = recorded.slice(0, 8);
  let seen: readonly string[] = [];
  const found = await ctx.eventually(async () => {
    seen = await ctx.logs.correlationIds(prefix);
    return seen.includes(recorded) ? true : undefined;
  }, ctx.run.logWaitMs);
  // Entries in another case, which a filter does not find.
  if (found === undefined) seen = [...seen, ...(await ctx.logs.correlationIds('').catch(() => []))];
  const similar = [...new Set(seen)].filter(
    (each) =>
      each.toLowerCase().startsWith(prefix.toLowerCase()) ||
      (each.length >= prefix.length && id.includes(each)),
  );
  const sized = (text: string) => `${show(text)} (length ${text.length})`;
  const cut = id === recorded ? '' : `, the beginning of the ${id.length} characters that were sent`;
  expectThat(
    found === true,
    `references.correlation_id ${sized(recorded)}${cut}, in the tenant logs within ${ctx.run.logWaitMs / 1000} s`,
    similar.length === 0 ? 'no such entry' : similar.slice(-3).map(sized).join(', '),
    answer.exchange,
  );
}

async function expectEachRecorded(ctx: ContextFor<'logs'>, lengths: readonly number[]): Promise<void> {
  const isUpdate = ctx.operation.body !== undefined;
  for (const [index, length] of ctx.share(lengths).entries()) {
    // A form and JSON have different variations; a deletion takes data, of which there may be little.
    for (const variation of isUpdate ? rounds(ctx).slice(0, 2) : [0]) {
      // Each ID begins with a character of its own, however short it is.
      const id = uniqueId(ctx, length, alphabet[index + 10 * variation + (isUpdate ? 0 : 30)] ?? 'x');
      const answer = await change(ctx, { variation, ...withId(ctx, id) });
      expectServed(answer, `its correlation ID has ${length} characters`);
      await expectRecorded(ctx, id, id.slice(0, recordedLength(ctx)), answer);
    }
  }
}

/** Lengths about the number of characters that the logs keep, and far beyond it. */
const lengths = (keep: number) => [1, keep - 1, keep, keep + 1, keep + 2, keep * 2, 1000];

/** Characters of a body that no server reads in one piece. */
const slowCharacters = 90_000;

const logging = { needs: ['token', 'write', 'logs'], lane: 'operation' } as const;

/** No variation of a request adds an ID. */
const withoutId = (ctx: RequirementContext): Call => ({
  operation: { ...ctx.operation, correlation: undefined },
});

/** The request gets the status that it gets without a correlation ID, however long that is. */
const sameStatus = (id: string, send: (ctx: RequirementContext, call: Call) => Promise<CallResult>): Check =>
  requirement(id, { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const [longest = 0, ...others] = lengths(recordedLength(ctx)).toReversed();
    for (const variation of rounds(ctx)) {
      // All of them are varied in the same way.
      const same = { variation, variedAs: 'one row' };
      const without = status(await send(ctx, { ...withoutId(ctx), ...same }));
      const rest = others.filter((_length, index) => index % 3 === variation % 3);
      for (const length of ctx.share([longest, ...rest])) {
        const answer = await send(ctx, { ...withId(ctx, uniqueId(ctx, length, 'same')), ...same });
        const expected = `${without}, as without a correlation ID, for one of ${length} characters`;
        expectThat(status(answer) === without, expected, String(status(answer)), answer.exchange);
      }
    }
  });

export const correlation: readonly Check[] = [
  sameStatus('5/correlation-accepted', (ctx, id) => ctx.call(id)),
  sameStatus('5/correlation-refused', (ctx, id) =>
    ctx.probe({ ...id, authorization: { value: 'Bearer garbage', secret: false } }),
  ),

  requirement('5/correlation-recorded', logging, async (ctx) => {
    const short = lengths(recordedLength(ctx))
      .filter((length) => length <= recordedLength(ctx))
      .toReversed();
    await expectEachRecorded(ctx, short);
  }),

  requirement('5/correlation-truncated', logging, async (ctx) => {
    await expectPlainRecorded(ctx);
    const long = lengths(recordedLength(ctx)).filter((length) => length > recordedLength(ctx));
    await expectEachRecorded(ctx, long);
  }),

  requirement('5/correlation-exact', { needs: ['token', 'write', 'logs'], lane: 'parallel' }, async (ctx) => {
    await expectPlainRecorded(ctx);
    const expectExact = async (id: string, variation?: number) => {
      const answer = await ctx.call({ ...withId(ctx, id), variation });
      if (status(answer) >= 400)
        throw new NotJudged(`${status(answer)} for ${show(id)}: no sentence names the characters of an ID`);
      await expectRecorded(ctx, id, id, answer);
    };
    // What is taken for a UUID or a number, if nothing else stands in the ID.
    for (const variation of rounds(ctx)) {
      const number = ctx.seed + variation;
      const uuid = `${number.toString(16).padStart(8, '0').toUpperCase()}-58CC-4372-A567-0E02B2C3D479`;
      const numbers = [`00${number}`, `${number}e3`];
      // Every character that some writer of logs escapes.
      const signs = String.raw`${number}!"#$%&'()*+,-./:;<=>?@[\]^_{|}~`;
      for (const id of ctx.share([uuid, signs, ...inTurn(ctx, numbers, variation)], 2))
        await expectExact(id, variation);
    }
    let count = 0;
    await ctx.property(
      correlationId({ min: 1, max: recordedLength(ctx) - 16 }),
      async (text) => {
        count += 1;
        // A prefix of its own distinguishes this request's entry from those of other texts; the text itself stays as it is.
        const id = `x${ctx.seed.toString(36)}.${count.toString(36)}-${text}`;
        await expectExact(id.slice(0, recordedLength(ctx)));
      },
      {
        runs: Math.ceil(ctx.run.runs / 8),
        examples: ['CamelCase-UPPER-lower-%s-%d', '..//--==', '{json}; %20+'],
      },
    );
  }),

  requirement('5/correlation-not-mixed', logging, async (ctx) => {
    // White space makes the bodies large enough to be read in several pieces, so that the requests overlap.
    const json = JSON.stringify(minimalInput(ctx.contract, ctx.operation).body).padEnd(slowCharacters);
    const slow = { mediaType: 'application/json', bytes: new TextEncoder().encode(json) };
    const ids = Array.from({ length: 8 }, (_, index) => uniqueId(ctx, 40, `m${index}-`));
    const answers = await settleAll(ids, (id) => ctx.call({ ...withId(ctx, id), body: slow }));
    const [first] = answers;
    if (first === undefined) return;
    if (answers.some((each) => status(each) >= 400))
      throw new NotJudged(`an update of ${slowCharacters} characters is refused: see 8/payload-accepted`);
    for (const [index, id] of ids.entries()) await expectRecorded(ctx, id, id, answers[index] ?? first);
    const recorded = await ctx.logs.correlationIds('m');
    const own = recorded.filter((each) => each.startsWith('m') && each.includes(ctx.seed.toString(36)));
    const recordedOnce = [...new Set(own)].toSorted();
    expectEqual('each ID recorded for one request', recordedOnce, ids.toSorted(), first.exchange);
  }),

  // No other operation's request may come between, whose ID would be the one that is inherited.
  requirement('5/correlation-not-inherited', { ...logging, lane: 'exclusive' }, async (ctx) => {
    const recorded = async (id: string): Promise<number> => {
      const ids = await ctx.logs.correlationIds(id);
      return ids.filter((each) => each === id).length;
    };
    const send = async (salt: string, variation: number) => {
      const id = uniqueId(ctx, 40, salt);
      const answer = await change(ctx, { ...withId(ctx, id), variation, variedAs: 'one row' });
      await expectRecorded(ctx, id, id, answer);
      return id;
    };
    // Those without an ID are varied like the one before them; a deletion takes data, of which there may be little.
    for (const variation of ctx.operation.body === undefined ? [0] : rounds(ctx).slice(0, 2)) {
      const first = await send(`Followed${variation}`, variation);
      await change(ctx, { ...withoutId(ctx), variation, variedAs: 'one row' });
      const { exchange } = await change(ctx, { ...withoutId(ctx), variation, variedAs: 'one row' });
      const second = await send(`Single${variation}`, variation);
      // How many entries a request makes is not specified, but the same for both.
      let expected = 0;
      const isEqual = await ctx.eventually(async () => {
        expected = await recorded(second);
        return (await recorded(first)) <= expected ? true : undefined;
      }, ctx.run.logWaitMs);
      const wanted = `${show(first)} recorded as often as an ID that no request without an ID follows (${expected})`;
      expectThat(isEqual === true, wanted, `recorded ${await recorded(first)} times`, exchange);
    }
  }),
];
