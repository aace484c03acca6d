import type { CheckpointLife, CheckpointUse, Walk as ReportWalk } from '../report/report.ts';
import { status } from './call-result.ts';
import type { RequirementContext } from './context.ts';
import { key, listing, type Page, type Walk } from './walk.ts';

/** Data for the visualizations of the report. */
export interface Visualizations {
  readonly walks: ReportWalk[];
  readonly checkpoints: CheckpointLife[];
}

/** Maximum walks in the report: more would hide the interesting ones. */
const maximumWalks = 12;

/** Maximum pages of a complete walk in the report. Longer ones show nothing new. */
const maximumPages = 20;

/** Maximum characters of a page's query in the report. */
const shownCharacters = 80;

/**
 * Records a walk for the report.
 * @param title describes the walk: `take=7`
 * @param expected ids that the listing should contain, if known
 */
export function recordWalk(
  ctx: RequirementContext,
  title: string,
  found: Walk,
  expected?: readonly string[],
): void {
  const { walks } = ctx.run.visualizations;
  // A failing requirement is judged twice; keep its second walk, with plain requests.
  const earlier = walks.findIndex((each) => each.requirement === ctx.id && each.title === title);
  if (earlier >= 0) walks.splice(earlier, 1);
  const isComplete = found.broken === undefined && found.items.length === (expected?.length ?? 0);
  if (walks.length >= maximumWalks || (isComplete && found.pages.length > maximumPages)) return;
  walks.push({
    operation: ctx.operation.id,
    title,
    requirement: ctx.id,
    ...(expected !== undefined && { expected }),
    pages: found.pages.map(({ answer, items }) => ({
      query: new URL(answer.exchange.request.url).search.slice(1, shownCharacters),
      status: status(answer),
      items: items.map(key),
    })),
  });
}

/** One use of a checkpoint: its age, the page, and the possible keys of its first item. */
export interface Use {
  /** Seconds between issue and use. */
  readonly age: number;
  readonly page: Page;
  /** Key of the first item of the listing, and of the first item after the checkpoint. */
  readonly start: string | undefined;
  readonly following: string | undefined;
}

/** Records the uses of a checkpoint for the report. */
export function recordCheckpoint(ctx: RequirementContext, title: string, ...uses: readonly Use[]): void {
  const pagination = listing(ctx.operation);
  if (pagination.kind !== 'checkpoint') return;
  ctx.run.visualizations.checkpoints.push({
    operation: ctx.operation.id,
    title,
    requirement: ctx.id,
    lifetime_s: pagination.lifetime,
    uses: uses.map(({ age, page, start, following }) => ({
      age_s: age,
      status: status(page.answer),
      outcome: effectOf(page, start, following),
      expected: age < pagination.lifetime ? 'continued' : 'restarted',
    })),
  });
}

function effectOf(
  page: Page,
  start: string | undefined,
  following: string | undefined,
): CheckpointUse['outcome'] {
  const code = status(page.answer);
  if (code >= 400 && code < 500) return 'refused';
  const [first] = page.items.map(key);
  if (code !== 200 || first === undefined) return 'other';
  return first === following ? 'continued' : first === start ? 'restarted' : 'other';
}
