import { duration } from '../report/text.ts';
import { FullContext, type RequirementContext } from './context.ts';
import { expectEqual, expectStatus } from './expect.ts';
import { errorOf } from './result.ts';
import type { RunContext } from './run-context.ts';
import { NotJudged } from './verdict.ts';
import { recordCheckpoint } from './visualizations.ts';
import { key, listing, page, wholeListing } from './walk.ts';

/** A checkpoint that one run issued and a later one judges: the way to see a day go by without the target's clock. */
export interface SavedCheckpoint {
  readonly operation: string;
  /** RFC 3339, when its answer had come. */
  readonly issued_at: string;
  readonly take: number;
  readonly from: string;
  /** Items on the page that brought it. */
  readonly after: number;
  /** Keys of the whole listing then: judged is only a listing that still reads so. */
  readonly listing: readonly string[];
}

/** Checkpoints that are saved by one run and judged by a later one. */
export interface SavedCheckpoints {
  /** Each is used once, because a spent one may be refused. */
  readonly fromEarlierRun: SavedCheckpoint[];
  /** True where this run saves checkpoints for a later one. */
  readonly saves: boolean;
  /** What this run has issued. */
  readonly issued: SavedCheckpoint[];
}

/** Items on a saved page, and checkpoints saved of each listing: one for each day on which it may be resumed, and a spare. */
const [savedPage, savedPerListing] = [3, 4];

/** Seconds around the end of a checkpoint's life in which nothing is judged: clocks and networks are not exact. */
const margin = 60;

const seconds = (saved: SavedCheckpoint): number => (Date.now() - Date.parse(saved.issued_at)) / 1000;

/** Issues checkpoints of all listings for a later run, where this run is to keep some. */
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
      if (issued.length === 0) onTrouble(`no checkpoints of ${operation.id} could be saved: it is too short`);
      savedCheckpoints.issued.push(...issued);
    } catch (error) {
      onTrouble(`no checkpoints of ${operation.id} could be saved: ${errorOf(error)}`);
    }
  }
}

/** None where the listing is too short to show anything. */
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
 * Judges the listing by a checkpoint that an earlier run saved.
 * @param age `young`: it must still continue the listing; `old`: the listing must start over
 */
export async function judgeSaved(ctx: RequirementContext, age: 'young' | 'old'): Promise<void> {
  const pagination = listing(ctx.operation);
  const life = pagination.kind === 'checkpoint' ? pagination.lifetime : 0;
  const saved = takeSaved(ctx, (its) => (age === 'young' ? its <= life - margin : its >= life + margin));
  if (saved === undefined) {
    const wanted = age === 'young' ? 'younger than 23 h 59 min' : 'older than 24 h 1 min';
    throw new NotJudged(`no saved checkpoint is ${wanted}`, ['--control', '--resume-checkpoints']);
  }
  await expectSame(ctx, saved);
  const got = await page(ctx, { take: saved.take, from: saved.from });
  // Read again: data that changed while the page was on its way is not a violation either.
  await expectSame(ctx, saved);
  const its = Math.round(seconds(saved));
  const [start] = saved.listing;
  const following = saved.listing[saved.after];
  recordCheckpoint(ctx, 'saved by an earlier run', { age: its, page: got, start, following });
  const because = `its checkpoint was issued ${duration(1000 * its)} ago`;
  expectStatus(got.answer, 200, because);
  const begin = age === 'young' ? saved.after : 0;
  const part = got.items.slice(0, saved.take).map(key);
  const wanted = saved.listing.slice(begin, begin + Math.max(1, part.length));
  expectEqual(
    `the ${age === 'young' ? 'second' : 'first'} page, because ${because}`,
    wanted,
    part,
    got.answer.exchange,
  );
  // That it works says little of a whole day while most of the day is still to come.
  if (age === 'young' && its < life / 2)
    throw new NotJudged(
      `the checkpoint still works after ${duration(1000 * its)}: resume it between 12 h and 23 h 59 min after its issue`,
      ['--resume-checkpoints'],
    );
}

/** The oldest that fits: it says most of its kind. It is spent then. */
function takeSaved(ctx: RequirementContext, fits: (age: number) => boolean): SavedCheckpoint | undefined {
  const { fromEarlierRun } = ctx.run.savedCheckpoints;
  const [found] = fromEarlierRun
    .filter((each) => each.operation === ctx.operation.id && fits(seconds(each)))
    .sort((one, other) => seconds(other) - seconds(one));
  if (found !== undefined) fromEarlierRun.splice(fromEarlierRun.indexOf(found), 1);
  return found;
}

async function expectSame(ctx: RequirementContext, saved: SavedCheckpoint): Promise<void> {
  const now = await readListing(ctx);
  if (now.join('\n') !== saved.listing.join('\n'))
    throw new NotJudged('the listing has changed since its checkpoint was saved', ['--save-checkpoints']);
}

async function readListing(ctx: RequirementContext): Promise<readonly string[]> {
  return (await wholeListing(ctx)).items.map(key);
}
