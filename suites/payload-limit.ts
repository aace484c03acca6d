import { bodyValue, jsonOf, minimalInput } from '../lib/arbitraries/input.ts';
import { encodeBody } from '../lib/client/encode.ts';
import type { Body } from '../lib/client/exchange.ts';
import { Semaphore } from '../lib/client/pace.ts';
import { isObject } from '../lib/contract/json.ts';
import { formType } from '../lib/contract/media-types.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, response, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectServed, expectThat, isRefusal } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { NotJudged, TargetFailure } from '../lib/runner/verdict.ts';
import { expectKept, expectNotStored, policyToKeep } from './refused-effects.ts';
import { rounds } from './request-variations.ts';

/** Sections 1 and 8: every operation accepts a payload of 1 megabyte, and none that is larger. */

const updating = { needs: ['token', 'write'], lane: 'parallel' } as const;
const serially = { needs: ['token', 'write'], lane: 'operation' } as const;
const inspecting = { needs: ['token', 'write', 'inspect'], lane: 'operation' } as const;

/** The operation's smallest valid body. */
const smallest = ({ contract, operation }: RequirementContext): unknown =>
  minimalInput(contract, operation).body ?? {};

/** The media type of JSON that the operation takes. */
const jsonType = ({ operation }: RequirementContext): string =>
  jsonOf(operation.body?.content)?.mediaType ?? 'application/json';

/** That body as JSON, brought to this size with white space, so that no field is long. */
function jsonBody(ctx: RequirementContext, bytes: number, chunked: boolean): Body {
  const json = JSON.stringify(smallest(ctx));
  // In chunks half of it stands before the value, which a parser may skip uncounted.
  const before = chunked ? Math.max(0, bytes - Buffer.byteLength(json)) >> 1 : 0;
  return { mediaType: jsonType(ctx), bytes: padded(`${' '.repeat(before)}${json}`, bytes, ' '), chunked };
}

/** What a form is brought to size with, as white space would count as text there: empty pairs (`&&&`). */
const pairs = '&';
/** For servers that refuse those: a long text, percent-encoded so that it is a third as long once decoded. */
const characters = '%61';
type Padding = typeof pairs | typeof characters;

/** The same as a form. */
function formBody(ctx: RequirementContext, bytes: number, chunked: boolean, padding: Padding): Body {
  const media = ctx.operation.body?.content.find(({ kind }) => kind === 'form');
  const text = media && new TextDecoder().decode(encodeBody(media, bodyValue(ctx.contract, media)).bytes);
  return { mediaType: formType, bytes: padded(text ?? '', bytes, padding), chunked };
}

/** The same brought to this size by characters of several bytes in its first string; undefined where it has none. */
function wideBody(ctx: RequirementContext, bytes: number, chunked: boolean): Body | undefined {
  const body = smallest(ctx);
  if (!isObject(body)) return undefined;
  const [name, text] = Object.entries(body).find(([, value]) => typeof value === 'string') ?? [];
  if (name === undefined) return undefined;
  const wide = { ...body, [name]: `${text}${'€'.repeat(Math.floor(bytes / 3) - 1000)}` };
  return { mediaType: jsonType(ctx), bytes: padded(JSON.stringify(wide), bytes, ' '), chunked };
}

/** The text, brought to this size by repetitions of the filler; what is too little for one more is filled with `a`. */
function padded(text: string, bytes: number, filler: string): Uint8Array {
  const result = Buffer.allocUnsafe(Math.max(bytes, Buffer.byteLength(text)));
  const start = result.write(text);
  const end = result.length - ((result.length - start) % filler.length);
  return result.fill(filler, start, end).fill('a', end);
}

/** Refused: a 4xx, or the connection was closed before the whole body was in. */
function expectTooLarge(answer: CallResult, bytes: number): void {
  if (answer.exchange.failure?.kind === 'closed') return;
  const expected = `a 4xx status or a closed connection, because the body has ${bytes} bytes`;
  expectThat(isRefusal(answer), expected, String(status(answer)), answer.exchange);
}

/** The refusal of a body over the limit. Where it is taken, another requirement blames the server: throws NotJudged then. */
async function refusedOverLimit(ctx: RequirementContext, body: Body, how: Call = {}): Promise<CallResult> {
  const answer = await ctx.probe({ ...how, body });
  if ((answer.exchange.response?.status ?? 400) < 400)
    throw new NotJudged(
      'a body over the limit is not refused: see 8/payload-refused, 8/payload-refused-chunked and 8/payload-refused-form',
    );
  return answer;
}

/** Operations whose large bodies are in memory at a time. */
const slots = new Semaphore(2);

/** A requirement that waits for a slot. */
const large: typeof requirement = (id, how, judge) =>
  requirement(id, how, async (ctx) => {
    await slots.acquire();
    try {
      await judge(ctx);
    } finally {
      slots.release();
    }
  });

/** Large requests are sent in two variations only, which share no class. */
const twice = (ctx: RequirementContext): readonly number[] => rounds(ctx).slice(0, 2);

const accepted = (id: string, chunked: boolean): Check =>
  large(id, updating, async (ctx) => {
    const { accepts } = ctx.contract.payload;
    const because = `its body has ${accepts} bytes, not more`;
    for (const variation of twice(ctx))
      expectServed(await ctx.call({ body: jsonBody(ctx, accepts, chunked), variation }), because);
  });

const refused = (id: string, chunked: boolean): Check =>
  large(id, updating, async (ctx) => {
    const { accepts, refuses } = ctx.contract.payload;
    const json = jsonBody(ctx, refuses, chunked);
    // A media type is the same in any case (RFC 9110, section 8.3.1).
    const bodies = [
      json,
      wideBody(ctx, refuses, chunked),
      { ...json, mediaType: jsonType(ctx).toUpperCase() },
    ];
    for (const variation of twice(ctx))
      for (const body of ctx.share(bodies, 2))
        if (body !== undefined) expectTooLarge(await ctx.probe({ body, variation }), refuses);
    // A server may refuse every body without a declared length (411): then it refuses a large one too.
    await ctx.twin({ body: jsonBody(ctx, accepts, false) });
  });

/** The padding with which the server takes a form of the accepted size; refusing one of them is not a violation. */
async function acceptedForm(ctx: RequirementContext): Promise<{ answer: CallResult; padding: Padding }> {
  const { accepts } = ctx.contract.payload;
  const answer = await ctx.call({ body: formBody(ctx, accepts, false, pairs) });
  if (status(answer) < 400) return { answer, padding: pairs };
  return { answer: await ctx.call({ body: formBody(ctx, accepts, false, characters) }), padding: characters };
}

/** Bytes of a form that every server reads. */
const smallForm = 2_000;

/** Times the limit of a body that no server should even read to its end; its size is hardly more than a power of two. */
const farOver = 4;

const far = (id: string, bodyOf: typeof jsonBody): Check =>
  large(id, updating, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    const bytes = refuses * farOver;
    const [over, farther] = [bodyOf(ctx, refuses, false), bodyOf(ctx, bytes, false)];
    for (const chunked of ctx.share([false, true])) {
      await refusedOverLimit(ctx, { ...over, chunked });
      for (const variation of twice(ctx))
        expectTooLarge(await ctx.probe({ body: { ...farther, chunked }, variation }), bytes);
    }
    await ctx.twin();
  });

export const payloadLimit: readonly Check[] = [
  accepted('8/payload-accepted', false),
  accepted('8/payload-accepted-chunked', true),

  large('8/payload-accepted-form', updating, async (ctx) => {
    const { answer, padding } = await acceptedForm(ctx);
    const { accepts } = ctx.contract.payload;
    expectServed(answer, `its form has ${accepts} bytes, not more`);
    for (const variation of twice(ctx))
      expectServed(
        await ctx.call({ body: formBody(ctx, accepts, false, padding), variation }),
        'another form was taken',
      );
  }),

  refused('8/payload-refused', false),
  refused('8/payload-refused-chunked', true),

  large('8/payload-refused-form', updating, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    const { padding } = await acceptedForm(ctx);
    // A smaller limit of forms is not judged, so the twin is a small form.
    await ctx.twin({ body: formBody(ctx, smallForm, false, padding) });
    for (const chunked of ctx.share([false, true])) {
      for (const variation of twice(ctx))
        expectTooLarge(
          await ctx.probe({ body: formBody(ctx, refuses, chunked, padding), variation }),
          refuses,
        );
    }
  }),

  far('8/payload-far-over', jsonBody),
  far('8/payload-far-over-form', (ctx, bytes, chunked) => formBody(ctx, bytes, chunked, characters)),

  large('8/payload-answers-afterwards', serially, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    for (const chunked of ctx.share([false, true])) {
      // Both requests are varied in the same way.
      const sameVariation = { variation: Number(chunked), variedAs: 'one row' };
      const refused = await refusedOverLimit(ctx, jsonBody(ctx, refuses * farOver, chunked), sameVariation);
      const after = await ctx.call(sameVariation);
      const { response: served, failure } = after.exchange;
      // A target that takes no connection is away: that is an error of the run.
      if (failure?.kind === 'refused') throw new TargetFailure(after.exchange);
      const isOrdinary = served !== undefined && served.status < 500 && served.status !== 413;
      // What is refused always, other requirements blame.
      const isServedLater = isOrdinary && served.status >= 400 && status(await ctx.call(sameVariation)) < 400;
      expectThat(
        isOrdinary && !isServedLater,
        'an ordinary answer after a body over the limit',
        String(served?.status ?? failure?.message),
        refused.exchange,
        after.exchange,
      );
    }
  }),

  large('8/payload-refused-changes-nothing', inspecting, async (ctx) => {
    const text = `over the limit ${ctx.seed}`;
    const body = JSON.stringify({ enrollment_message: text, verification_message: text });
    const bytes = padded(body, ctx.contract.payload.refuses, ' ');
    for (const chunked of ctx.share([false, true])) {
      const { exchange } = await refusedOverLimit(ctx, { mediaType: jsonType(ctx), bytes, chunked });
      expectNotStored(text, await ctx.control.inspect(), 'its body is over the limit', exchange);
    }
  }),

  large('8/payload-delete', serially, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    const before = await ctx.optional.inspect?.();
    const policy = before && policyToKeep(ctx, before);
    for (const variation of rounds(ctx)) {
      const call = { body: jsonBody(ctx, refuses, false), path: policy?.path, variation };
      const answer = await ctx.probe(call);
      expectTooLarge(answer, refuses);
      const after = policy && (await ctx.optional.inspect?.());
      if (after) expectKept(policy.id, after, 'its deletion was refused', answer.exchange);
    }
    await ctx.twin();
  }),

  observation('8/payload-limit', updating, async (ctx) => {
    const { accepts, refuses } = ctx.contract.payload;
    let [accepted, refused] = [accepts, refuses];
    // Most limits are the largest that is allowed.
    for (let size = refuses - 1; refused - accepted > 1; size = Math.floor((accepted + refused) / 2)) {
      const answer = await ctx.call({ body: jsonBody(ctx, size, false) });
      if (answer.exchange.response !== undefined && response(answer).status < 300) accepted = size;
      else refused = size;
    }
    return accepted;
  }),
];
