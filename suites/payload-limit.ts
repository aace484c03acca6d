import { minimalInput } from '../lib/generate/input.ts';
import type { Answer } from '../lib/judge/answer.ts';
import { response, status } from '../lib/judge/answer.ts';
import type { Call } from '../lib/judge/call.ts';
import { heldMessages } from '../lib/judge/content.ts';
import { expectEqual, expectServed, expectThat } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { type Entry, observation, requirement } from '../lib/judge/requirement.ts';
import { NotJudged, Violation } from '../lib/judge/verdict.ts';
import type { Body } from '../lib/target/exchange.ts';

/** Sections 1 and 8: every operation accepts a payload of 1 megabyte, and none that is larger. */

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** The operation's smallest valid body as JSON, brought to this size with white space, so that no field is long. */
function jsonBody(judging: Judging, bytes: number, chunked: boolean): Body {
  const { contract, operation } = judging;
  const { body } = minimalInput(contract, operation);
  return { mediaType: json, bytes: padded(JSON.stringify(body ?? {}), bytes, ' '), chunked };
}

/**
 * The same as a form. White space would count as text there, so it is brought to size by empty pairs (`&&&`), or, for
 * servers that refuse those, by a long text, percent-encoded so that it is a third as long once decoded.
 */
function formBody(judging: Judging, bytes: number, chunked: boolean, padding: 'pairs' | 'text'): Body {
  const { contract, operation } = judging;
  const { body } = minimalInput(contract, operation);
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(body))) pairs.append(name, String(value));
  const text = pairs.toString();
  if (padding === 'pairs') return { mediaType: form, bytes: padded(text, bytes, '&'), chunked };
  return { mediaType: form, bytes: padded(text, bytes, '%61'), chunked };
}

/** The same brought to this size by characters of several bytes in its first string; undefined where it has none. */
function wideBody(judging: Judging, bytes: number, chunked: boolean): Body | undefined {
  const { contract, operation } = judging;
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
async function refusedOverLimit(judging: Judging, body: Body): Promise<Answer> {
  const answer = await refuse(judging, body);
  const { response } = answer.exchange;
  if (response !== undefined && response.status < 400)
    throw new NotJudged('a body over the limit is not refused: see 8/payload-refused');
  return answer;
}

const send = (judging: Judging, body: Body): Promise<Answer> => judging.call({ body });
const refuse = (judging: Judging, body: Body): Promise<Answer> => judging.probe({ body });

const accepted = (id: string, chunked: boolean): Entry =>
  requirement(id, async (judging) => {
    const { accepts } = judging.contract.payload;
    expectServed(
      await send(judging, jsonBody(judging, accepts, chunked)),
      `its body has ${accepts} bytes, not more`,
    );
  });

const refused = (id: string, chunked: boolean): Entry =>
  requirement(id, async (judging) => {
    const { accepts, refuses } = judging.contract.payload;
    for (const body of [jsonBody(judging, refuses, chunked), wideBody(judging, refuses, chunked)])
      if (body !== undefined) expectTooLarge(await refuse(judging, body), refuses);
    await judging.twin(() => send(judging, jsonBody(judging, accepts, chunked)));
  });

/** The padding with which the server takes a form of the accepted size; it is no violation to refuse one of them. */
async function acceptedForm(judging: Judging): Promise<{ answer: Answer; padding: 'pairs' | 'text' }> {
  const { accepts } = judging.contract.payload;
  const answer = await send(judging, formBody(judging, accepts, false, 'pairs'));
  if (status(answer) < 400) return { answer, padding: 'pairs' };
  return { answer: await send(judging, formBody(judging, accepts, false, 'text')), padding: 'text' };
}

/** Times the limit of a body that no server should even read to its end. */
const farOver = 5;

export const payloadLimit: readonly Entry[] = [
  accepted('8/payload-accepted', false),
  accepted('8/payload-accepted-chunked', true),

  requirement('8/payload-accepted-form', async (judging) => {
    const { answer } = await acceptedForm(judging);
    expectServed(answer, `its form has ${judging.contract.payload.accepts} bytes, not more`);
  }),

  refused('8/payload-refused', false),
  refused('8/payload-refused-chunked', true),

  requirement('8/payload-refused-form', async (judging) => {
    const { refuses } = judging.contract.payload;
    const { answer, padding } = await acceptedForm(judging);
    await judging.twin(async () => answer);
    for (const chunked of [false, true]) {
      expectTooLarge(await refuse(judging, formBody(judging, refuses, chunked, padding)), refuses);
    }
  }),

  requirement('8/payload-far-over', async (judging) => {
    const bytes = judging.contract.payload.refuses * farOver;
    for (const chunked of [false, true]) {
      await refusedOverLimit(judging, jsonBody(judging, judging.contract.payload.refuses, chunked));
      expectTooLarge(await refuse(judging, jsonBody(judging, bytes, chunked)), bytes);
    }
    await judging.twin(() => judging.call());
  }),

  requirement('8/payload-far-over-form', async (judging) => {
    const bytes = judging.contract.payload.refuses * farOver;
    for (const chunked of [false, true]) {
      await refusedOverLimit(judging, formBody(judging, judging.contract.payload.refuses, chunked, 'text'));
      expectTooLarge(await refuse(judging, formBody(judging, bytes, chunked, 'text')), bytes);
    }
    await judging.twin(() => judging.call());
  }),

  requirement('8/payload-answers-afterwards', async (judging) => {
    const { refuses } = judging.contract.payload;
    for (const chunked of [false, true]) {
      const over = await refusedOverLimit(judging, jsonBody(judging, refuses * farOver, chunked));
      const after = await judging.call();
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
  }),

  requirement('8/payload-refused-changes-nothing', async (judging) => {
    const control = judging.control('inspect');
    const before = await control.inspect();
    const { refuses } = judging.contract.payload;
    const text = `over the limit ${judging.seed}`;
    const body = JSON.stringify({ enrollment_message: text, verification_message: text });
    for (const chunked of [false, true]) {
      const answer = await judging.probe({
        body: { mediaType: json, bytes: padded(body, refuses, ' '), chunked },
      });
      const code = answer.exchange.response?.status ?? 400;
      if (code < 400) throw new NotJudged('the body is not refused: see 8/payload-refused');
      const after = await control.inspect();
      expectEqual(
        'the messages as before a body over the limit',
        heldMessages(before),
        heldMessages(after),
        answer.exchange,
      );
    }
  }),

  requirement('8/payload-delete', async (judging) => {
    const { refuses } = judging.contract.payload;
    const call: Call = { body: jsonBody(judging, refuses, false) };
    expectTooLarge(await judging.probe(call), refuses);
    await judging.twin(() => judging.call());
  }),

  observation('8/payload-limit', async (judging) => {
    const { accepts, refuses } = judging.contract.payload;
    let [taken, over] = [accepts, refuses];
    while (over - taken > 1) {
      const middle = Math.floor((taken + over) / 2);
      const answer = await send(judging, jsonBody(judging, middle, false));
      if (answer.exchange.response !== undefined && response(answer).status < 300) taken = middle;
      else over = middle;
    }
    return taken;
  }),
];
