import type { CheckpointLife, CheckpointUse, Walk as ReportWalk } from '../report/report.ts';
import { status } from './call-result.ts';
import type { RequirementContext } from './context.ts';
import { key, listing, type Page, type Walk } from './walk.ts';

/** What the report visualizes besides the verdicts. */
export interface Visualizations {
  readonly walks: ReportWalk[];
  readonly checkpoints: CheckpointLife[];
}

/** Walks of a run that are in the report: more would bury the ones that show something. */
const maximumWalks = 12;

/** Pages up to which a walk that went well is in the report; longer ones only show more of the same. */
const maximumPages = 20;

/** Characters of a page's query that are shown. */
const shownCharacters = 80;

/**
 * Records a walk for the report.
 * @param title what was walked: `take=7`
 * @param expected ids that the listing should give, where they are known
 */
export function recordWalk(
  ctx: RequirementContext,
  title: string,
  found: Walk,
  expected?: readonly string[],
): void {
  const { walks } = ctx.run.visualizations;
  // What fails is judged twice: the plain requests come last.
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

/** One use of a checkpoint: when, what came, and the keys that either answer begins with. */
export interface Use {
  /** Seconds between issue and use. */
  readonly age: number;
  readonly page: Page;
  /** Key of the first item of the listing, and of the page that the checkpoint stands for. */
  readonly start: string | undefined;
  readonly following: string | undefined;
}

/** Records the life of a checkpoint for the report. */
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
