import { minimalInput } from '../lib/arbitraries/input.ts';
import type { Body } from '../lib/client/exchange.ts';
import type { Answer } from '../lib/runner/answer.ts';
import { response, status } from '../lib/runner/answer.ts';
import type { Call } from '../lib/runner/call.ts';
import { tenantMessages } from '../lib/runner/content.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectServed, expectThat } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { NotJudged, Violation } from '../lib/runner/verdict.ts';

/** Sections 1 and 8: every operation accepts a payload of 1 megabyte, and none that is larger. */

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** The operation's smallest valid body as JSON, brought to this size with white space, so that no field is long. */
function jsonBody(ctx: RequirementContext, bytes: number, chunked: boolean): Body {
  const { contract, operation } = ctx;
  const { body } = minimalInput(contract, operation);
  return { mediaType: json, bytes: padded(JSON.stringify(body ?? {}), bytes, ' '), chunked };
}

/**
 * The same as a form. White space would count as text there, so it is brought to size by empty pairs (`&&&`), or, for
 * servers that refuse those, by a long text, percent-encoded so that it is a third as long once decoded.
 */
function formBody(ctx: RequirementContext, bytes: number, chunked: boolean, padding: 'pairs' | 'text'): Body {
  const { contract, operation } = ctx;
  const { body } = minimalInput(contract, operation);
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(body))) pairs.append(name, String(value));
  const text = pairs.toString();
  if (padding === 'pairs') return { mediaType: form, bytes: padded(text, bytes, '&'), chunked };
  return { mediaType: form, bytes: padded(text, bytes, '%61'), chunked };
}

/** The same brought to this size by characters of several bytes in its first string; undefined where it has none. */
function wideBody(ctx: RequirementContext, bytes: number, chunked: boolean): Body | undefined {
  const { contract, operation } = ctx;
  const fields = Object.entries(Object(minimalInput(contract, operation).body));
  const [name, text] = fields.find(([, value]) => typeof value === 'string') ?? [];
  if (name === undefined) return undefined;
  const given = Object.fromEntries(fields);
  const made = once(JSON.stringify(['wide', given, bytes]), bytes, () => {
    const wide = `${text}${'€'.repeat(Math.floor(bytes / 3) - 1000)}`;
    return filled(JSON.stringify({ ...given, [name]: wide }), bytes, ' ');
  });
  return { mediaType: json, bytes: made, chunked };
}

/** The text, brought to this size by repetitions of the filler; what is too little for one more is filled with `a`. */
function padded(text: string, bytes: number, filler: string): Uint8Array {
  // With a filler of one byte a shorter body is the beginning of a longer one.
  const name = JSON.stringify([text, filler, ...(filler.length === 1 ? [] : [bytes])]);
  return once(name, bytes, () => filled(text, bytes, filler));
}

function filled(text: string, bytes: number, filler: string): Uint8Array {
  const result = Buffer.allocUnsafe(bytes);
  const start = result.write(text);
  const end = bytes - ((bytes - start) % filler.length);
  return result.fill(filler, start, end).fill('a', end);
}

/** Bodies that were made last; those of most operations are alike. */
const lately = new Map<string, Uint8Array>();
const latelyMade = 8;

/**
 * So many of the bytes that were made under this name, which nobody changes; so that a contract of hundreds of operations takes no
 * gigabytes of them.
 */
function once(name: string, bytes: number, make: () => Uint8Array): Uint8Array {
  const before = lately.get(name);
  if (before !== undefined && before.length >= bytes) return before.subarray(0, bytes);
  if (before === undefined && lately.size === latelyMade) lately.clear();
  const made = make();
  lately.set(name, made);
  return made;
}

/** Refused: a 4xx, or the connection was closed before the whole body was in. */
function expectTooLarge(answer: Answer, bytes: number): void {
  if (answer.exchange.failure?.kind === 'closed') return;
  const code = status(answer);
  if (code >= 400 && code < 500) return;
  throw new Violation(
    `a 4xx status or a closed connection, because the body has ${bytes} bytes`,
    String(code),
    [answer.exchange],
  );
}

/** The refusal of a body over the limit. Where it is taken, another requirement blames the server: throws NotJudged then. */
async function refusedOverLimit(ctx: RequirementContext, body: Body): Promise<Answer> {
  const answer = await refuse(ctx, body);
  const { response } = answer.exchange;
  if (response !== undefined && response.status < 400)
    throw new NotJudged(
      body.mediaType === form
        ? 'a form over the limit is not refused: see 8/payload-refused-form'
        : 'a body over the limit is not refused: see 8/payload-refused and 8/payload-refused-chunked',
    );
  return answer;
}

const send = (ctx: RequirementContext, body: Body): Promise<Answer> => ctx.call({ body });
const refuse = (ctx: RequirementContext, body: Body): Promise<Answer> => ctx.probe({ body });

const accepted = (id: string, chunked: boolean): Check =>
  requirement(id, { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { accepts } = ctx.contract.payload;
    expectServed(await send(ctx, jsonBody(ctx, accepts, chunked)), `its body has ${accepts} bytes, not more`);
  });

const refused = (id: string, chunked: boolean): Check =>
  requirement(id, { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { accepts, refuses } = ctx.contract.payload;
    for (const body of [jsonBody(ctx, refuses, chunked), wideBody(ctx, refuses, chunked)])
      if (body !== undefined) expectTooLarge(await refuse(ctx, body), refuses);
    // A server may refuse every body without a declared length (411): then it refuses a large one too.
    await ctx.twin(() => send(ctx, jsonBody(ctx, accepts, false)));
  });

/** The padding with which the server takes a form of the accepted size; it is no violation to refuse one of them. */
async function acceptedForm(ctx: RequirementContext): Promise<{ answer: Answer; padding: 'pairs' | 'text' }> {
  const { accepts } = ctx.contract.payload;
  const answer = await send(ctx, formBody(ctx, accepts, false, 'pairs'));
  if (status(answer) < 400) return { answer, padding: 'pairs' };
  return { answer: await send(ctx, formBody(ctx, accepts, false, 'text')), padding: 'text' };
}

/** Bytes of a form that every server reads. */
const smallForm = 2_000;

/** Times the limit of a body that no server should even read to its end. */
const farOver = 5;

export const payloadLimit: readonly Check[] = [
  accepted('8/payload-accepted', false),
  accepted('8/payload-accepted-chunked', true),

  requirement('8/payload-accepted-form', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { answer } = await acceptedForm(ctx);
    expectServed(answer, `its form has ${ctx.contract.payload.accepts} bytes, not more`);
  }),

  refused('8/payload-refused', false),
  refused('8/payload-refused-chunked', true),

  requirement('8/payload-refused-form', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    const { padding } = await acceptedForm(ctx);
    // A smaller limit of forms is not judged, so the twin is a small form.
    await ctx.twin(() => send(ctx, formBody(ctx, smallForm, false, 'text')));
    for (const chunked of [false, true]) {
      expectTooLarge(await refuse(ctx, formBody(ctx, refuses, chunked, padding)), refuses);
    }
  }),

  requirement('8/payload-far-over', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const bytes = ctx.contract.payload.refuses * farOver;
    for (const chunked of [false, true]) {
      await refusedOverLimit(ctx, jsonBody(ctx, ctx.contract.payload.refuses, chunked));
      expectTooLarge(await refuse(ctx, jsonBody(ctx, bytes, chunked)), bytes);
    }
    await ctx.twin(() => ctx.call());
  }),

  requirement('8/payload-far-over-form', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const bytes = ctx.contract.payload.refuses * farOver;
    for (const chunked of [false, true]) {
      await refusedOverLimit(ctx, formBody(ctx, ctx.contract.payload.refuses, chunked, 'text'));
      expectTooLarge(await refuse(ctx, formBody(ctx, bytes, chunked, 'text')), bytes);
    }
    await ctx.twin(() => ctx.call());
  }),

  requirement(
    '8/payload-answers-afterwards',
    { needs: ['token', 'write'], lane: 'operation' },
    async (ctx) => {
      const { refuses } = ctx.contract.payload;
      for (const chunked of [false, true]) {
        const over = await refusedOverLimit(ctx, jsonBody(ctx, refuses * farOver, chunked));
        const after = await ctx.call();
        const code = after.exchange.response?.status;
        const served = code !== undefined && code < 500 && code !== 413;
        expectThat(
          served,
          'an ordinary answer after a body over the limit',
          String(code ?? after.exchange.failure?.message),
          over.exchange,
          after.exchange,
        );
      }
    },
  ),

  requirement(
    '8/payload-refused-changes-nothing',
    { needs: ['token', 'write', 'inspect'], lane: 'operation' },
    async (ctx) => {
      const control = ctx.control;
      const before = await control.inspect();
      const { refuses } = ctx.contract.payload;
      const text = `over the limit ${ctx.seed}`;
      const body = JSON.stringify({ enrollment_message: text, verification_message: text });
      for (const chunked of [false, true]) {
        const answer = await ctx.probe({
          body: { mediaType: json, bytes: padded(body, refuses, ' '), chunked },
        });
        const code = answer.exchange.response?.status ?? 400;
        if (code < 400) throw new NotJudged('the body is not refused: see 8/payload-refused');
        const after = await control.inspect();
        expectEqual(
          'the messages as before a body over the limit',
          tenantMessages(before),
          tenantMessages(after),
          answer.exchange,
        );
      }
    },
  ),

  requirement('8/payload-delete', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { refuses } = ctx.contract.payload;
    const call: Call = { body: jsonBody(ctx, refuses, false) };
    expectTooLarge(await ctx.probe(call), refuses);
    await ctx.twin(() => ctx.call());
  }),

  observation('8/payload-limit', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { accepts, refuses } = ctx.contract.payload;
    let [taken, over] = [accepts, refuses];
    while (over - taken > 1) {
      const middle = Math.floor((taken + over) / 2);
      const answer = await send(ctx, jsonBody(ctx, middle, false));
      if (answer.exchange.response !== undefined && response(answer).status < 300) taken = middle;
      else over = middle;
    }
    return taken;
  }),
];
