import { bodyValue, jsonOf, minimalInput } from '../lib/arbitraries/input.ts';
import { encodeBody } from '../lib/client/encode.ts';
import type { Body } from '../lib/client/exchange.ts';
import { Semaphore } from '../lib/client/pace.ts';
import { isObject } from '../lib/contract/json.ts';
import { formType } from '../lib/contract/media-types.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { refusesBodyWith5xx } from '../lib/runner/exchange-checks.ts';
import { assertExists, count, expectServed, expectThat, isRefusal, isServed } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { NotJudged, TargetFailure } from '../lib/runner/verdict.ts';
import { noEffect } from './refused-effects.ts';
import { twoVariations, variationsOf } from './requests.ts';

/** Sections 1 and 8: every operation accepts a payload of up to 1 megabyte, and refuses larger ones. */

const updating = { needs: ['token', 'write'] } as const;
const serially = { needs: ['token', 'write'], lane: 'operation' } as const;
const inspecting = { needs: ['token', 'write', 'inspect'], lane: 'operation' } as const;

/** The operation's smallest valid body. */
const smallestBody = ({ contract, operation }: RequirementContext): unknown =>
  minimalInput(contract, operation).body ?? {};

/** The JSON media type that the operation accepts. */
const jsonType = ({ operation }: RequirementContext): string =>
  jsonOf(operation.body?.content)?.mediaType ?? 'application/json';

/**
 * The smallest body as JSON, padded to this size with white space, so that no field is long. Half of it comes before the value: a
 * parser may skip it without counting it.
 */
function jsonBody(ctx: RequirementContext, bytes: number, chunked: boolean): Body {
  const json = JSON.stringify(smallestBody(ctx));
  const before = ' '.repeat(Math.max(0, bytes - Buffer.byteLength(json)) / 2);
  return { mediaType: jsonType(ctx), bytes: padded(`${before}${json}`, bytes, ' '), chunked };
}

/** Padding of forms, where white space would be part of a value: empty pairs (`&&&`). */
const emptyPairs = '&';
/** Padding for servers that refuse empty pairs: a long value, percent-encoded, which is a third as long once decoded. */
const encodedCharacters = '%61';
type Padding = typeof emptyPairs | typeof encodedCharacters;

/** The smallest body as a form, padded to this size. */
function formBody(ctx: RequirementContext, bytes: number, chunked: boolean, padding: Padding): Body {
  const media = ctx.operation.body?.content.find(({ kind }) => kind === 'form');
  const text = media && new TextDecoder().decode(encodeBody(media, bodyValue(ctx.contract, media)).bytes);
  return { mediaType: formType, bytes: padded(text ?? '', bytes, padding), chunked };
}

/** The smallest body as JSON, padded with multi-byte characters in its first string; undefined if it has no string. */
function multiByteBody(ctx: RequirementContext, bytes: number, chunked: boolean): Body | undefined {
  const body = smallestBody(ctx);
  if (!isObject(body)) return undefined;
  const [name, text] = Object.entries(body).find(([, value]) => typeof value === 'string') ?? [];
  if (name === undefined) return undefined;
  const wide = { ...body, [name]: `${text}${'€'.repeat(Math.floor(bytes / 3) - 1000)}` };
  return { mediaType: jsonType(ctx), bytes: padded(JSON.stringify(wide), bytes, ' '), chunked };
}

/** The text, padded to this size with repetitions of the filler, then with `a` if less than one more fits. */
function padded(text: string, bytes: number, filler: string): Uint8Array {
  const result = Buffer.allocUnsafe(Math.max(bytes, Buffer.byteLength(text)));
  const start = result.write(text);
  const end = result.length - ((result.length - start) % filler.length);
  return result.fill(filler, start, end).fill('a', end);
}

/** The body was refused: with a 4xx, or by closing the connection before the whole body was received. */
function expectTooLarge(ctx: RequirementContext, result: CallResult, bytes: number): void {
  if (result.exchange.failure?.kind === 'closed' || refusesBodyWith5xx(result.exchange, ctx.contract)) return;
  assertExists(ctx, result);
  const expectation = {
    expected: 'a 4xx status or a closed connection',
    because: `the body has ${count(bytes)} bytes, more than the limit`,
  };
  expectThat(isRefusal(result), expectation, String(status(result)), result.exchange);
}

/** The response to a body over the limit. Throws NotJudged if the body is accepted, which another requirement reports. */
async function refusedOverLimit(ctx: RequirementContext, call: Call): Promise<CallResult> {
  const result = await ctx.probe(call);
  if ((result.exchange.response?.status ?? 400) < 400)
    throw new NotJudged(
      'a body over the limit is not refused: see 8/payload-refused, 8/payload-refused-chunked and 8/payload-refused-form',
    );
  return result;
}

/** Limits the number of operations whose large bodies are in memory at the same time. */
const slots = new Semaphore(2);

/** A requirement that waits for a slot. */
const largeRequirement: typeof requirement = (id, how, judge) =>
  requirement(id, how, (ctx) => slots.run(() => judge(ctx)));

/**
 * True if the service refuses bodies without Content-Length with 411. A service may close the connection while a large body is
 * still sent, so that its response is lost: a small body then shows it.
 */
async function requiresLength(ctx: RequirementContext, { exchange }: CallResult): Promise<boolean> {
  if (exchange.failure?.kind !== 'closed') return [411, 501].includes(exchange.response?.status ?? 0);
  return status(await ctx.probe({ body: jsonBody(ctx, 0, true) })) === 411;
}

/** Throws NotJudged if a small body is refused too, in chunks if the large one was: then the refusal is not for the size. */
async function assertNotForSize(ctx: RequirementContext, result: CallResult): Promise<void> {
  if (!isRefusal(result)) return;
  const { chunked } = result.exchange.request;
  if (status(await ctx.call({ body: jsonBody(ctx, 0, chunked) })) === status(result))
    throw new NotJudged(`a small body${chunked ? ' in chunks' : ''} is refused with ${status(result)} too`);
}

const payloadAccepted = (
  id: string,
  what: string,
  bodyOf: (ctx: RequirementContext, bytes: number) => Body | Promise<Body>,
): Check =>
  largeRequirement(id, updating, async (ctx) => {
    const { accepts } = ctx.contract.payload;
    const body = await bodyOf(ctx, accepts);
    for (const variation of twoVariations(ctx)) {
      const result = await ctx.call({ body, variation });
      if (body.chunked && (await requiresLength(ctx, result)))
        throw new NotJudged(
          'the service requires Content-Length (411), as RFC 9110, section 15.5.12, permits',
        );
      await assertNotForSize(ctx, result);
      expectServed(result, `its ${what} has only ${count(accepts)} bytes`);
    }
  });

const payloadRefused = (id: string, chunked: boolean): Check =>
  largeRequirement(id, updating, async (ctx) => {
    const { accepts, refuses } = ctx.contract.payload;
    const bodies = [
      jsonBody(ctx, refuses, chunked),
      multiByteBody(ctx, refuses, chunked),
      {
        // Media types are case-insensitive (RFC 9110, section 8.3.1).
        mediaType: jsonType(ctx).toUpperCase(),
        // A parser may stop reading at the end of the value.
        bytes: padded(JSON.stringify(smallestBody(ctx)), refuses, ' '),
        chunked,
      },
    ];
    for (const variation of twoVariations(ctx))
      for (const body of ctx.share(bodies, 2))
        if (body !== undefined) expectTooLarge(ctx, await ctx.probe({ body, variation }), refuses);
    // The twin is never chunked: a server may refuse every body without a declared length (411).
    await ctx.twin({ body: jsonBody(ctx, accepts, false) });
  });

/** The padding with which the server accepts a form of the accepted size. It may refuse one of the two paddings. */
async function acceptedPadding(ctx: RequirementContext): Promise<Padding> {
  const { accepts } = ctx.contract.payload;
  const result = await ctx.call({ body: formBody(ctx, accepts, false, emptyPairs) });
  // A form parser may fail at that many pairs: 7/no-server-error must not report it.
  ctx.run.attribute([result.exchange]);
  return status(result) < 400 ? emptyPairs : encodedCharacters;
}

/** Size in bytes of a form that every server accepts. */
const smallForm = 2_000;

/** Multiple of the limit that no server should read to the end. The size is slightly more than a power of two. */
const farOverLimit = 4;

const refusedFarOver = (id: string, bodyOf: typeof jsonBody): Check =>
  largeRequirement(id, updating, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    const bytes = refuses * farOverLimit;
    const [over, farOver] = [bodyOf(ctx, refuses, false), bodyOf(ctx, bytes, false)];
    for (const chunked of ctx.share([false, true])) {
      await refusedOverLimit(ctx, { body: { ...over, chunked } });
      for (const variation of twoVariations(ctx, 2 * Number(chunked)))
        expectTooLarge(ctx, await ctx.probe({ body: { ...farOver, chunked }, variation }), bytes);
    }
    await ctx.twin();
  });

export const payloadLimit: readonly Check[] = [
  payloadAccepted('8/payload-accepted', 'body', (ctx, bytes) => jsonBody(ctx, bytes, false)),
  payloadAccepted('8/payload-accepted-chunked', 'body', (ctx, bytes) => jsonBody(ctx, bytes, true)),
  payloadAccepted('8/payload-accepted-form', 'form', async (ctx, bytes) =>
    formBody(ctx, bytes, false, await acceptedPadding(ctx)),
  ),

  payloadRefused('8/payload-refused', false),
  payloadRefused('8/payload-refused-chunked', true),

  largeRequirement('8/payload-refused-form', updating, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    const padding = await acceptedPadding(ctx);
    // The twin is a small form, because a lower limit for forms is not judged here.
    await ctx.twin({ body: formBody(ctx, smallForm, false, padding) });
    for (const chunked of ctx.share([false, true])) {
      const body = formBody(ctx, refuses, chunked, padding);
      for (const variation of twoVariations(ctx, 2 * Number(chunked)))
        expectTooLarge(ctx, await ctx.probe({ body, variation }), refuses);
    }
  }),

  refusedFarOver('8/payload-far-over', jsonBody),
  refusedFarOver('8/payload-far-over-form', (ctx, bytes, chunked) =>
    formBody(ctx, bytes, chunked, encodedCharacters),
  ),

  largeRequirement('8/payload-answers-afterwards', serially, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    for (const chunked of ctx.share([false, true])) {
      // The first two requests are varied in the same way.
      const first = Number(chunked);
      const body = jsonBody(ctx, refuses * farOverLimit, chunked);
      const refused = await refusedOverLimit(ctx, { body, variation: first, sameVariation: true });
      for (const variation of [first, ...variationsOf(ctx).filter((each) => each !== first)]) {
        const after = await ctx.call({ variation, sameVariation: true });
        const { response: served, failure } = after.exchange;
        // A target that refuses connections is down: that is an error of the run.
        if (failure?.kind === 'refused') throw new TargetFailure(after.exchange);
        const isOrdinary = served !== undefined && served.status < 500 && served.status !== 413;
        // Other requirements report a request that is always refused.
        const isServedLater =
          isOrdinary &&
          served.status >= 400 &&
          status(await ctx.call({ variation, sameVariation: true })) < 400;
        const expected = 'a status below 500 other than 413 for a valid request after a body over the limit';
        const got = String(served?.status ?? failure?.message);
        expectThat(isOrdinary && !isServedLater, expected, got, refused.exchange, after.exchange);
      }
    }
  }),

  largeRequirement('8/payload-refused-changes-nothing', inspecting, async (ctx) => {
    const text = `over the limit ${ctx.nonce}`;
    const messages = { enrollment_message: text, verification_message: text };
    const { refuses } = ctx.contract.payload;
    const json = { mediaType: jsonType(ctx), bytes: padded(JSON.stringify(messages), refuses, ' ') };
    const form = {
      mediaType: formType,
      bytes: padded(new URLSearchParams(messages).toString(), refuses, emptyPairs),
    };
    // Not in turn: a fault of every second request would meet only one of the media types.
    const bodies = [
      { ...json, chunked: false },
      { ...form, chunked: false },
      { ...form, chunked: true },
      { ...json, chunked: true },
    ];
    const { expectNoEffect } = await noEffect(ctx, ctx.control.inspect, 'its body is over the limit');
    for (const body of ctx.share(bodies)) {
      // Three variations together meet every class of header fields.
      const variations = body.chunked ? [1] : [0, ...variationsOf(ctx).slice(2, 3)];
      for (const variation of variations) {
        const result = await refusedOverLimit(ctx, { body, variation, sameVariation: true });
        await expectNoEffect(result, text);
      }
    }
  }),

  largeRequirement('8/payload-delete', serially, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    const { inspect } = ctx.control;
    if (ctx.dataSet === undefined && ctx.run.resources.all('rate_limit_policy').length === 1)
      throw new NotJudged('the only policy is left for 4.3/delete-succeeds', [
        '--rate-limit-policy-id of a second policy',
      ]);
    // Some servers read no body in chunks: they would take it for an empty one.
    const readsChunks = !ctx.run.neutral.isRefused('framing: chunked');
    const effect = inspect && (await noEffect(ctx, inspect, 'the body of the deletion is over the limit'));
    for (const variation of variationsOf(ctx)) {
      const body = jsonBody(ctx, refuses, readsChunks && variation % 2 === 1);
      const result = await ctx.probe({ body, path: effect?.policy, variation });
      expectTooLarge(ctx, result, refuses);
      if (effect?.policy !== undefined) await effect.expectNoEffect(result, '');
    }
    await ctx.twin();
  }),

  observation('8/payload-limit', updating, async (ctx) => {
    const { accepts, refuses } = ctx.contract.payload;
    const isAccepted = async (size: number) => {
      const result = await ctx.call({ body: jsonBody(ctx, size, false) });
      return result.exchange.response !== undefined && isServed(result);
    };
    if (await isAccepted(refuses)) return `over ${refuses}`;
    let [accepted, refused] = [accepts, refuses];
    // Starts with the largest allowed limit, which is the most common.
    for (let size = refuses - 1; refused - accepted > 1; size = Math.floor((accepted + refused) / 2)) {
      if (await isAccepted(size)) accepted = size;
      else refused = size;
    }
    return accepted;
  }),
];
