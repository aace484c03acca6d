import { minimalInput } from '../lib/arbitraries/input.ts';
import { correlationId } from '../lib/arbitraries/text.ts';
import type { Exchange } from '../lib/client/exchange.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectNone, expectServed, expectThat, plural, show } from '../lib/runner/expect.ts';
import { tokenWithOnly } from '../lib/runner/requested-token.ts';
import { type Check, type ContextFor, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { largeAuthorization } from '../lib/runner/vary.ts';
import { NotJudged, Violation } from '../lib/runner/verdict.ts';
import { literal, raw, slowJson, twoVariations, variationsOf } from './requests.ts';

/** Section 5, request correlation: the tenant logs contain the client's correlation ID of a mutating request. */

/** The header field with this ID; in lower case for odd lengths, since names are case-insensitive (RFC 9110, section 5.1). */
export function withId(ctx: RequirementContext, id: string): Call {
  const header = ctx.operation.correlation?.header ?? 'X-Correlation-ID';
  return { headers: [[id.length % 2 === 0 ? header : header.toLowerCase(), id]] };
}

/** Number of characters of an ID that the logs keep. */
export const recordedLength = (ctx: RequirementContext): number =>
  ctx.operation.correlation?.recordedLength ?? 0;

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** An ID of this length that no other request has. */
export function uniqueId(ctx: RequirementContext, length: number, salt: string): string {
  const start = `${salt}${ctx.nonce.toString(36)}${ctx.operation.method}-`;
  return start.padEnd(length, alphabet).slice(0, length);
}

/** Sends a mutating request that succeeds. A delete operation uses up a policy. */
async function change(ctx: RequirementContext, call: Call = {}): Promise<CallResult> {
  const named = ctx.operation.parameters.find(({ resource }) => resource !== undefined);
  const result = await (named === undefined ? ctx.call(call) : ctx.deletePolicy(call));
  if (status(result) >= 400)
    throw new NotJudged(
      `${status(result)} for a valid request: see 5/correlation-accepted and the operation's own requirements`,
    );
  return result;
}

/** Throws NotJudged if not even a plain ID is recorded, which another requirement reports. */
async function assertPlainRecorded(ctx: ContextFor<'logs'>): Promise<void> {
  const id = uniqueId(ctx, 40, 'Plain');
  const result = await change(ctx, withId(ctx, id));
  await expectRecorded(ctx, id, result).catch((error: unknown) => {
    if (!(error instanceof Violation)) throw error;
    throw new NotJudged('not even a plain ID of 40 characters is recorded: see 5/correlation-recorded');
  });
}

/** Waits until the logs contain what they keep of this ID. Throws a Violation with similar entries if they never do. */
async function expectRecorded(ctx: ContextFor<'logs'>, id: string, result: CallResult): Promise<void> {
  const recorded = id.slice(0, recordedLength(ctx));
  const prefix = recorded.slice(0, 8);
  const found = await ctx.eventually(
    () => ctx.logs.correlationIds(prefix),
    ctx.run.logWaitMs,
    (ids) => ids.includes(recorded),
  );
  if (found.includes(recorded)) {
    // A service may have several logs.
    const longer = found.find((each) => each.length > recorded.length && each.startsWith(recorded));
    const cutAll = `only the first ${recorded.length} characters of the ID in the tenant logs`;
    expectThat(id === recorded || longer === undefined, cutAll, show(longer), result.exchange);
    return;
  }
  // The filter does not find entries in another case.
  const all = [...found, ...(await ctx.logs.correlationIds('').catch(() => []))];
  const similar = [...new Set(all)].filter(
    (each) =>
      each.toLowerCase().startsWith(prefix.toLowerCase()) ||
      (each.length >= prefix.length && id.includes(each)),
  );
  const sized = (text: string) => `${show(text)} (length ${text.length})`;
  const cut = id === recorded ? '' : `, the first ${recorded.length} of the ${id.length} characters sent`;
  throw new Violation(
    `references.correlation_id ${sized(recorded)}${cut}, in the tenant logs within ${ctx.run.logWaitMs / 1000} s`,
    similar.length === 0 ? 'no such entry' : similar.slice(-3).map(sized).join(', '),
    [result.exchange],
  );
}

/** The logs contain what they keep of an ID of each length. */
async function expectEachRecorded(ctx: ContextFor<'logs'>, lengths: readonly number[]): Promise<void> {
  const isUpdate = ctx.operation.body !== undefined;
  const keep = recordedLength(ctx);
  // JSON and forms are different variations. A deletion uses up a policy, of which there may be few.
  const variations = isUpdate ? twoVariations(ctx) : [0];
  const requests = [...ctx.share(lengths).entries()].flatMap(([index, length]) =>
    variations.map((variation) => ({ index, length, variation })),
  );
  const send = async ({ index, length, variation }: (typeof requests)[number]) => {
    // Each ID starts with a different character, so that even an ID of one character is unique. Some services take 0 for none.
    const digit = String(variation + (isUpdate ? 0 : 2));
    const letter = alphabet[index + 10 * variation + (isUpdate ? 0 : 30)] ?? 'x';
    // Only updates have IDs with other characters, in 5/correlation-exact.
    const plain = uniqueId(ctx, length, length === 1 ? digit : letter);
    const unique = isUpdate ? plain : plain.replace('-', '.');
    // Some servers trim a trailing separator after truncation.
    const id = length > keep ? `${unique.slice(0, keep - 1)}-${unique.slice(keep)}` : unique;
    const result = await change(ctx, { variation, ...withId(ctx, id) });
    expectServed(result, `its correlation ID has ${plural(length, 'character')}`);
    return { id, result };
  };
  // Deletions are sent at the same time: a service may mix them up. 5/correlation-not-mixed does so with updates.
  const batches = isUpdate ? requests.map((each) => [each]) : [requests];
  const sent: Awaited<ReturnType<typeof send>>[] = [];
  for (const batch of batches) sent.push(...(await settleAll(batch, send)));
  // Entries may be late: all of them are on their way while the first one is waited for.
  for (const { id, result } of sent) await expectRecorded(ctx, id, result);
}

/** Lengths around the number of characters that the logs keep, and far beyond it if the token leaves enough space for that. */
async function lengths(ctx: RequirementContext): Promise<readonly number[]> {
  const keep = recordedLength(ctx);
  const token = await ctx.token(ctx.operation.scopes);
  const longest = token.value.length > largeAuthorization ? [] : [1000];
  // The length of 257 characters is 1 if it is stored in a byte.
  return [1, keep - 1, keep, keep + 1, 2 * keep, 257, ...longest];
}

/** An ID with every character that some log format escapes, as long as the logs keep. */
const allSigns = (ctx: RequirementContext, number: number | string): string =>
  String.raw`${number}!"#$$%&'()*+,-./:;<=>?@[\]^_{|}~`.padEnd(recordedLength(ctx), '"');

/** A number with as many digits as that of a card, which some logs mask. It starts with zeros, which a parser removes. */
const longNumber = (number: number): string => `00${number}`.padEnd(16, '7');

const logging = { needs: ['token', 'write', 'logs'], lane: 'operation' } as const;

/** A call whose variations add no ID. */
const withoutId = (ctx: RequirementContext): Call => ({
  operation: { ...ctx.operation, correlation: undefined },
});

/**
 * The status with a correlation ID of any length is the same as without one.
 * @param letter with which its IDs start
 */
const sameStatus = (
  id: string,
  letter: string,
  send: (ctx: RequirementContext, call: Call) => Promise<CallResult>,
): Check =>
  requirement(id, { needs: ['token', 'write'] }, async (ctx) => {
    const [longest = 0, ...others] = (await lengths(ctx)).toReversed();
    // An ID of one character is unique in this run. Another run may have sent it, unless a seed has emptied the logs.
    const first = ctx.operation.body === undefined ? letter.toUpperCase() : letter;
    for (const variation of variationsOf(ctx)) {
      const sendId = (length?: number) =>
        send(ctx, {
          ...(length === undefined
            ? withoutId(ctx)
            : withId(ctx, uniqueId(ctx, length, `${first}${variation}-${length}-`))),
          variation,
          // All of them have the same variation.
          sameVariation: true,
        });
      // A server may treat the first request with a token differently.
      const early = variation % 2 === 1 ? await sendId(longest) : undefined;
      const without = status(await sendId());
      if (without >= 500) throw new NotJudged(`${without} without a correlation ID: see 7/no-server-error`);
      const isNew = (length: number) => length > 1 || ctx.can('seed');
      const rest = others.filter((length, index) => index % 3 === variation % 3 && isNew(length));
      for (const length of ctx.share([longest, ...rest])) {
        const result = length === longest && early !== undefined ? early : await sendId(length);
        const because = `that is the status without a correlation ID, and this one has ${plural(length, 'character')}`;
        const expectation = { expected: String(without), because };
        expectThat(status(result) === without, expectation, String(status(result)), result.exchange);
      }
    }
  });

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** How often the logs contain an ID. */
async function timesRecorded(ctx: ContextFor<'logs'>, id: string): Promise<number> {
  const ids = await ctx.logs.correlationIds(id);
  return ids.filter((each) => each === id).length;
}

/**
 * The logs contain an ID at most as often as another one. The number of entries for each request is not specified.
 * @param least how often it may be there in any case
 */
async function expectNoMoreOften(
  ctx: ContextFor<'logs'>,
  id: string,
  other: string,
  like: string,
  exchange: Exchange,
  least = 0,
): Promise<void> {
  const { most, count } = await ctx.eventually(
    async () => ({
      most: Math.max(least, await timesRecorded(ctx, other)),
      count: await timesRecorded(ctx, id),
    }),
    ctx.run.logWaitMs,
    (found) => found.count <= found.most,
  );
  const expected = `${show(id)} in the tenant logs at most ${times(most)}`;
  const because = `the request after it had no ID of its own, and ${like} is recorded ${times(most)}`;
  expectThat(count <= most, { expected, because }, times(count), exchange);
}

/**
 * The ID of a refused request is not recorded for the request without an ID that follows it. Whether it is recorded for the refused
 * request is not specified, so another refused request shows that.
 */
async function expectRefusedNotInherited(ctx: ContextFor<'logs'>, variation: number): Promise<void> {
  const refuse = async (salt: string) => {
    const id = uniqueId(ctx, 40, salt);
    const authorization = literal('Bearer garbage');
    // Without a body: a server may close the connection before it has read one. A request that is sent again may be recorded again.
    await ctx.probe({ ...withId(ctx, id), body: null, variation, authorization });
    return id;
  };
  const followed = await refuse(`Refused${variation}`);
  const { exchange } = await change(ctx, { ...withoutId(ctx), variation, sameVariation: true });
  const alone = await refuse(`Alone${variation}`);
  const last = uniqueId(ctx, 40, `Last${variation}`);
  const result = await change(ctx, { ...withId(ctx, last), variation, sameVariation: true });
  await expectRecorded(ctx, last, result);
  await expectNoMoreOften(ctx, followed, alone, 'that of another refused request', exchange);
}

export const correlation: readonly Check[] = [
  sameStatus('5/correlation-accepted', 'a', (ctx, id) => ctx.call(id)),
  sameStatus('5/correlation-refused', 'r', (ctx, id) =>
    ctx.probe({ ...id, authorization: literal('Bearer garbage') }),
  ),

  requirement('5/correlation-recorded', logging, async (ctx) => {
    const short = (await lengths(ctx)).filter((length) => length <= recordedLength(ctx));
    await expectEachRecorded(ctx, short.toReversed());
    // Detects a service that applies the ID of a refused request to the next one.
    const isUpdate = ctx.operation.body !== undefined;
    const refused = isUpdate
      ? { json: {} }
      : { authorization: ctx.can('scopes') ? await tokenWithOnly(ctx, []) : null };
    await ctx.probe({ ...withId(ctx, uniqueId(ctx, 40, 'Before')), ...refused });
    const id = uniqueId(ctx, 40, 'Next');
    await expectRecorded(ctx, id, await change(ctx, withId(ctx, id)));
  }),

  requirement('5/correlation-truncated', logging, async (ctx) => {
    await assertPlainRecorded(ctx);
    const long = (await lengths(ctx)).filter((length) => length > recordedLength(ctx));
    await expectEachRecorded(ctx, long);
    // Whether refused requests are logged is not specified; how much of an ID is logged is.
    const refused = [{ authorization: literal('Bearer garbage') }, ...(ctx.operation.body ? [raw('{')] : [])];
    for (const [index, call] of refused.entries()) {
      const id = uniqueId(ctx, 2 * recordedLength(ctx), `${index}Refused`);
      const { exchange } = await ctx.probe({ ...withId(ctx, id), ...call });
      const tooLong = (await ctx.logs.correlationIds(id.slice(0, recordedLength(ctx)))).filter(
        (each) => each.length > recordedLength(ctx),
      );
      expectNone(`recorded IDs of more than ${recordedLength(ctx)} characters`, tooLong, exchange);
    }
  }),

  requirement('5/correlation-exact', { needs: ['token', 'write', 'logs'] }, async (ctx) => {
    await assertPlainRecorded(ctx);
    const isUpdate = ctx.operation.body !== undefined;
    const send = async (id: string, variation?: number) => {
      const call = { ...withId(ctx, id), variation };
      const result = await (isUpdate ? ctx.call(call) : ctx.deletePolicy(call));
      if (status(result) >= 400)
        throw new NotJudged(`${status(result)} for ${show(id)}: the characters of an ID are not specified`);
      return { id, result };
    };
    if (!isUpdate) {
      // A deletion uses up a policy, of which there may be few. The ID also has as many digits in a row as a card number.
      const { id, result } = await send(allSigns(ctx, longNumber(ctx.nonce)));
      return expectRecorded(ctx, id, result);
    }
    const sent: Awaited<ReturnType<typeof send>>[] = [];
    // IDs that a server may parse as a UUID, a number or a formula, trim, or compare without regard to case.
    for (const variation of variationsOf(ctx)) {
      const number = ctx.nonce + variation;
      const uuid = `${number.toString(16).padStart(8, '0').toUpperCase()}-58CC-4372-A567-0E02B2C3D479`;
      const small = uuid.toLowerCase();
      const ids = [
        // In braces, as Windows writes it.
        variation % 2 === 0 ? uuid : `{${uuid}}`,
        allSigns(ctx, number),
        // With small letters, as some tracers write it, or as JSON.
        small,
        (variation % 2 === 0 ? small : uuid).replaceAll('-', ''),
        JSON.stringify(small),
        variation % 2 === 0 ? longNumber(number) : `00${number}`,
        `${number}e3`,
        `=-"${number}"_token=\${a}{}|a@b.example|10.0.0.1|+491511234567==`,
        `CamelCase-UPPER-lower-%s-%d-${number}`,
        `{json};%20+%0D%0a${number}==//--..`,
      ];
      for (const id of ctx.share(ids, 3)) sent.push(await send(id, variation));
    }
    for (const { id, result } of sent) await expectRecorded(ctx, id, result);
    let count = 0;
    await ctx.property(
      correlationId({ min: 1, max: recordedLength(ctx) - 16 }),
      async (text) => {
        count += 1;
        // A unique prefix distinguishes the log entry of this request, and leaves the text unchanged.
        const unique = `x${ctx.nonce.toString(36)}.${count.toString(36)}-${text}`;
        const { id, result } = await send(unique.slice(0, recordedLength(ctx)));
        await expectRecorded(ctx, id, result);
      },
      { fraction: 1 / 8 },
    );
  }),

  requirement('5/correlation-not-mixed', logging, async (ctx) => {
    const slow = slowJson(minimalInput(ctx.contract, ctx.operation).body);
    const keep = recordedLength(ctx);
    // They differ in one character only, the last one that is recorded.
    const ids = Array.from({ length: 8 }, (_, index) => {
      const isLong = index % 2 === 1;
      const same = uniqueId(ctx, (isLong ? keep : 40) - 1, `m-${isLong ? 'long' : 'short'}-`);
      return `${same}${index}${isLong ? alphabet : ''}`;
    });
    // Half of them with small bodies, which end at about the same time.
    const sent = await settleAll(ids.entries(), async ([index, id]) => ({
      id,
      result: await ctx.call({ ...withId(ctx, id), ...(index < ids.length / 2 && slow) }),
    }));
    if (sent.some(({ result }) => status(result) >= 400))
      throw new NotJudged('an update with a large body is refused: see 8/payload-accepted');
    for (const { id, result } of sent) await expectRecorded(ctx, id, result);
    const recorded = await ctx.logs.correlationIds('m');
    const own = new Set(recorded.filter((each) => each.includes(ctx.nonce.toString(36))));
    const wanted = ids.map((id) => id.slice(0, keep)).toSorted();
    const evidence = sent.slice(0, 1).map(({ result }) => result.exchange);
    expectEqual('the recorded IDs, one for each request', wanted, [...own].toSorted(), ...evidence);
  }),

  // Exclusive, because a request of another operation in between could pass on its ID.
  requirement('5/correlation-not-inherited', { ...logging, lane: 'exclusive' }, async (ctx) => {
    const send = async (salt: string, variation: number) => {
      const id = uniqueId(ctx, 40, salt);
      const result = await change(ctx, { ...withId(ctx, id), variation, sameVariation: true });
      await expectRecorded(ctx, id, result);
      return id;
    };
    // Requests without an ID are varied like the one before. A deletion uses up a policy, of which there may be few.
    for (const variation of ctx.operation.body === undefined ? [0] : twoVariations(ctx)) {
      const first = await send(`Followed${variation}`, variation);
      // More than one if the request was sent again after a 429.
      const own = await timesRecorded(ctx, first);
      await change(ctx, { ...withoutId(ctx), variation, sameVariation: true });
      const { exchange } = await change(ctx, { ...withoutId(ctx), variation, sameVariation: true });
      const second = await send(`Single${variation}`, variation);
      const like = 'an ID that is not followed by requests without one';
      await expectNoMoreOften(ctx, first, second, like, exchange, own);
      await expectRefusedNotInherited(ctx, variation);
    }
  }),

  observation('5/correlation-of-refused', logging, async (ctx) => {
    const refused: readonly (readonly [what: string, id: string, call: Call])[] = [
      ['without a valid token', uniqueId(ctx, 40, 'no-token-'), { authorization: literal('Bearer garbage') }],
      ['without the messages', uniqueId(ctx, 40, 'no-messages-'), { json: {} }],
    ];
    const codes = await settleAll(refused, async ([, id, call]) =>
      status(await ctx.probe({ ...call, ...withId(ctx, id) })),
    );
    // Entries may be late, but hardly later than that of a later request.
    await assertPlainRecorded(ctx);
    const ids = await ctx.logs.correlationIds('no-');
    const found = (id: string) => (ids.includes(id) ? 'recorded' : 'not recorded');
    return Object.fromEntries(refused.map(([what, id], index) => [`${codes[index]} ${what}`, found(id)]));
  }),
];
