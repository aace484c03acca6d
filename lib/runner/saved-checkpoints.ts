import { duration } from '../report/text.ts';
import { FullContext, type RequirementContext } from './context.ts';
import { expectEqual, expectSuccess } from './expect.ts';
import { errorOf } from './result.ts';
import type { RunContext } from './run-context.ts';
import { NotJudged } from './verdict.ts';
import { checkpointLifetime, keys, page, wholeListing } from './walk.ts';

/** A checkpoint that one run gets and a later one judges, to test its lifetime of a day without moving the target's clock. */
export interface SavedCheckpoint {
  readonly operation: string;
  /** RFC 3339, when its response had arrived. */
  readonly issued_at: string;
  readonly take: number;
  readonly from: string;
  /** Number of items on the page with the checkpoint. */
  readonly after: number;
  /** Keys of the whole listing at that time. The checkpoint is judged only if the listing has not changed. */
  readonly listing: readonly string[];
}

/** The checkpoints from an earlier run and for a later one. */
export interface SavedCheckpoints {
  /** Each is used once, because the server may refuse a used one. */
  readonly fromEarlierRun: SavedCheckpoint[];
  /** True if this run saves checkpoints for a later one. */
  readonly saves: boolean;
  /** The checkpoints that this run has saved. */
  readonly issued: SavedCheckpoint[];
}

/** Items on the page before a saved checkpoint, and saved checkpoints per listing: one for each day with a run, and a spare. */
const savedPage = 3;
const savedPerListing = 4;

/** Seconds before and after a checkpoint expires in which it is not judged, because clocks and networks are not exact. */
const margin = 60;

/** Seconds since its issue. */
const ageOf = (saved: SavedCheckpoint): number => (Date.now() - Date.parse(saved.issued_at)) / 1000;

/** Saves checkpoints of all listings for a later run, if this run should. */
export async function saveCheckpoints(run: RunContext, onTrouble: (message: string) => void): Promise<void> {
  const { savedCheckpoints, target } = run;
  if (!savedCheckpoints.saves) return;
  if (!target.capabilities.has('token')) return onTrouble('no checkpoints could be saved: no valid token');
  if (target.capabilities.has('seed'))
    return onTrouble('no checkpoints were saved: the data of this run is removed at its end');
  for (const operation of target.contract.operations) {
    if (operation.pagination?.kind !== 'checkpoint') continue;
    const ctx = new FullContext(run, `checkpoints of ${operation.id}`, operation);
    try {
      const issued = await issueCheckpoints(ctx);
      if (issued.length === 0)
        onTrouble(`no checkpoints of ${operation.id} could be saved: the listing is too short`);
      savedCheckpoints.issued.push(...issued);
    } catch (error) {
      onTrouble(`no checkpoints of ${operation.id} could be saved: ${errorOf(error)}`);
    }
  }
}

/** Checkpoints of the listing; none if it is too short to show anything. */
async function issueCheckpoints(ctx: RequirementContext): Promise<readonly SavedCheckpoint[]> {
  const reference = await readListing(ctx);
  const saved: SavedCheckpoint[] = [];
  while (reference.length >= savedPage * 3 && saved.length < savedPerListing) {
    const first = await page(ctx, { take: savedPage });
    if (first.next === undefined) break;
    saved.push({
      operation: ctx.operation.id,
      issued_at: new Date().toISOString(),
      take: savedPage,
      from: first.next,
      after: first.items.length,
      listing: reference,
    });
  }
  return saved;
}

/**
 * Judges a checkpoint that an earlier run saved.
 * @param age `young`: the checkpoint must still continue the listing; `old`: the listing must start over
 */
export async function judgeSaved(ctx: RequirementContext, age: 'young' | 'old'): Promise<void> {
  const life = checkpointLifetime(ctx);
  const [comparison, limit] = age === 'young' ? ['younger', life - margin] : ['older', life + margin];
  const saved = takeSaved(ctx, (elapsed) => (age === 'young' ? elapsed <= limit : elapsed >= limit));
  if (saved === undefined) {
    const reason = `no saved checkpoint is ${comparison} than ${duration(1000 * limit)}`;
    throw new NotJudged(reason, ['--control', '--resume-checkpoints']);
  }
  await expectUnchanged(ctx, saved);
  const got = await page(ctx, { take: saved.take, from: saved.from });
  // Read the listing again: a change while the page was requested is not a violation either.
  await expectUnchanged(ctx, saved);
  const ageSeconds = Math.round(ageOf(saved));
  const because = `its checkpoint was issued ${duration(1000 * ageSeconds)} ago`;
  expectSuccess(got.result, because);
  const begin = age === 'young' ? saved.after : 0;
  const part = keys(got.items.slice(0, saved.take));
  const wanted = saved.listing.slice(begin, begin + Math.max(1, part.length));
  expectEqual(
    { expected: `the ${age === 'young' ? 'second' : 'first'} page`, because },
    wanted,
    part,
    got.result.exchange,
  );
  // A checkpoint that works early in its life shows little about the whole lifetime.
  if (age === 'young' && ageSeconds < life / 2)
    throw new NotJudged(
      `the checkpoint still works after ${duration(1000 * ageSeconds)}: resume it between ${duration(500 * life)} and ${duration(1000 * (life - margin))} after its issue`,
      ['--resume-checkpoints'],
    );
}

/** Takes the oldest checkpoint that fits, which shows the most. No other requirement gets it. */
function takeSaved(ctx: RequirementContext, fits: (age: number) => boolean): SavedCheckpoint | undefined {
  const { fromEarlierRun } = ctx.run.savedCheckpoints;
  const [found] = fromEarlierRun
    .filter((each) => each.operation === ctx.operation.id && fits(ageOf(each)))
    .sort((one, other) => ageOf(other) - ageOf(one));
  if (found !== undefined) fromEarlierRun.splice(fromEarlierRun.indexOf(found), 1);
  return found;
}

async function expectUnchanged(ctx: RequirementContext, saved: SavedCheckpoint): Promise<void> {
  const now = await readListing(ctx);
  if (now.join('\n') !== saved.listing.join('\n'))
    throw new NotJudged('the listing has changed since its checkpoint was saved', ['--save-checkpoints']);
}

async function readListing(ctx: RequirementContext): Promise<readonly string[]> {
  return keys((await wholeListing(ctx)).items);
}
