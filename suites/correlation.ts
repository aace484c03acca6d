import { minimalInput } from '../lib/generate/input.ts';
import { correlationId } from '../lib/generate/text.ts';
import { type Answer, status } from '../lib/judge/answer.ts';
import type { Call } from '../lib/judge/call.ts';
import { expectEqual, expectServed, expectThat, show } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { type Entry, requirement } from '../lib/judge/requirement.ts';
import { NotJudged, Violation } from '../lib/judge/verdict.ts';

/** Section 5, request correlation: the client's own ID of a changing request is found again in the tenant logs. */

/** The header field with this ID, as the operation's contract names it. */
function withId(judging: Judging, id: string): Call {
  const header = judging.operation.correlation?.header ?? 'X-Correlation-ID';
  return { headers: [[header, id]] };
}

/** Characters of an ID that the logs keep. */
const kept = (judging: Judging): number => judging.operation.correlation?.recordedLength ?? 0;

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** An ID of this length that no other request of the run carries; each length begins with a character of its own. */
function uniqueId(judging: Judging, length: number, salt: string): string {
  const start = `${salt}${judging.seed.toString(36)}${judging.operation.method}-`;
  return Array.from(
    { length },
    (_, index) => start[index] ?? alphabet[(index * 7 + length) % alphabet.length],
  ).join('');
}

/** A changing request that succeeds: it deletes data where the operation deletes, which needs some. */
async function change(judging: Judging, call: Call): Promise<Answer> {
  const named = judging.operation.parameters.find(({ resource }) => resource !== undefined);
  return named === undefined ? judging.call(call) : judging.consume('rate_limit_policy', call);
}

/** Where not even a plain ID is recorded, another requirement blames the server for that; it counts nothing more. */
async function expectPlainRecorded(judging: Judging): Promise<void> {
  const id = uniqueId(judging, 40, 'Plain');
  const answer = await change(judging, withId(judging, id));
  await expectRecorded(judging, id, id, answer).catch((error: unknown) => {
    if (!(error instanceof Violation)) throw error;
    throw new NotJudged('not even a plain ID of 40 characters is recorded: see 5/correlation-recorded');
  });
}

/** Waits until the logs hold this ID; throws a violation with what they hold in its place. */
async function expectRecorded(judging: Judging, id: string, recorded: string, answer: Answer): Promise<void> {
  const prefix = recorded.slice(0, 8);
  let seen: readonly string[] = [];
  const found = await judging.eventually(async () => {
    seen = await judging.logs.correlationIds(prefix);
    return seen.includes(recorded) ? true : undefined;
  }, judging.run.logWaitMs);
  const similar = seen.filter(
    (each) => each.toLowerCase().startsWith(prefix.toLowerCase()) || id.includes(each) || each.includes(id),
  );
  expectThat(
    found === true,
    `references.correlation_id ${show(recorded)} in the tenant logs within ${judging.run.logWaitMs / 1000} s`,
    similar.length === 0 ? 'no such entry' : `entries ${show(similar.slice(-3))}`,
    answer.exchange,
  );
}

async function expectEachRecorded(judging: Judging, lengths: readonly number[]): Promise<void> {
  for (const [index, length] of lengths.entries()) {
    const id = uniqueId(
      judging,
      length,
      alphabet[index + (judging.operation.method === 'PUT' ? 0 : alphabet.length / 2)] ?? 'x',
    );
    const answer = await change(judging, withId(judging, id));
    // An update that a long ID makes fail is seen by 5/correlation-accepted already.
    if (judging.operation.method === 'PUT' && status(answer) >= 400)
      throw new NotJudged(`${status(answer)} with an ID of ${length} characters: see 5/correlation-accepted`);
    expectServed(answer, `its correlation ID has ${length} characters`);
    await expectRecorded(judging, id, id.slice(0, kept(judging)), answer);
  }
}

/** Lengths about the number of characters that the logs keep, and far beyond it. */
const lengths = (keep: number) => [1, keep - 1, keep, keep + 1, keep + 2, keep * 2, 4000];

/** Characters of a body that no server reads in one piece. */
const slowCharacters = 90_000;

export const correlation: readonly Entry[] = [
  requirement('5/correlation-accepted', async (judging) => {
    const without = await judging.call();
    for (const length of lengths(kept(judging))) {
      const answer = await judging.call(withId(judging, uniqueId(judging, length, 'accepted')));
      const same = status(answer) === status(without);
      expectThat(
        same,
        `${status(without)}, as without a correlation ID, for one of ${length} characters`,
        String(status(answer)),
        answer.exchange,
      );
    }
  }),

  requirement('5/correlation-recorded', async (judging) => {
    await expectEachRecorded(
      judging,
      lengths(kept(judging)).filter((length) => length <= kept(judging)),
    );
  }),

  requirement('5/correlation-truncated', async (judging) => {
    await expectPlainRecorded(judging);
    await expectEachRecorded(
      judging,
      lengths(kept(judging)).filter((length) => length > kept(judging)),
    );
  }),

  requirement('5/correlation-exact', async (judging) => {
    await expectPlainRecorded(judging);
    let count = 0;
    await judging.property(
      correlationId({ min: 1, max: kept(judging) - 16 }),
      async (text) => {
        count += 1;
        // A prefix of its own tells this request's entry from those of other texts; the text itself stays as it is.
        const id = `x${judging.seed.toString(36)}.${count.toString(36)}-${text}`.slice(0, kept(judging));
        const answer = await judging.call(withId(judging, id));
        if (status(answer) >= 400) throw new NotJudged(`${status(answer)}: see 5/correlation-accepted`);
        await expectRecorded(judging, id, id, answer);
      },
      {
        runs: Math.ceil(judging.run.runs / 4),
        examples: [
          'CamelCase-UPPER-lower',
          '"quoted", {json}; <markup>%20+',
          '00000000',
          String.raw`!"#$%&'()*+,-./:;<=>?@[\]^_{|}~`,
          '..//--==',
        ],
      },
    );
  }),

  requirement('5/correlation-not-mixed', async (judging) => {
    // White space makes the bodies large enough to be read in several pieces, so that the requests overlap.
    const json = JSON.stringify(minimalInput(judging.contract, judging.operation).body).padEnd(
      slowCharacters,
    );
    const slow = { mediaType: 'application/json', bytes: new TextEncoder().encode(json) };
    const ids = Array.from({ length: 16 }, (_, index) => uniqueId(judging, 40, `m${index}-`));
    const answers = await Promise.all(ids.map((id) => judging.call({ ...withId(judging, id), body: slow })));
    const [first] = answers;
    if (first === undefined) return;
    if (answers.some((each) => status(each) >= 400))
      throw new NotJudged(`an update of ${slowCharacters} characters is refused: see 8/payload-accepted`);
    for (const [index, id] of ids.entries()) await expectRecorded(judging, id, id, answers[index] ?? first);
    const recorded = await judging.logs.correlationIds('m');
    const own = recorded.filter((each) => each.startsWith('m') && each.includes(judging.seed.toString(36)));
    expectEqual('each ID recorded for one request', [...new Set(own)].sort(), ids.toSorted(), first.exchange);
  }),

  requirement('5/correlation-refused', async (judging) => {
    const refused: Call = { authorization: { value: 'Bearer garbage', secret: false } };
    const without = await judging.probe(refused);
    for (const length of lengths(kept(judging))) {
      const answer = await judging.probe({
        ...refused,
        ...withId(judging, uniqueId(judging, length, 'refused')),
      });
      const same = status(answer) === status(without);
      expectThat(
        same,
        `${status(without)}, as without a correlation ID of ${length} characters`,
        String(status(answer)),
        answer.exchange,
      );
    }
  }),
];
