import { status } from './call-result.ts';
import type { RequirementContext } from './context.ts';
import { keys, type Walk } from './walk.ts';

/** Maximum walks in the report: more would hide the interesting ones. */
const maximumWalks = 12;

/** Maximum pages of a complete walk in the report. Longer ones show nothing new. */
const maximumPages = 20;

/** Maximum characters of a page's query in the report. */
const shownCharacters = 80;

/**
 * Records a walk for the report.
 * @param title describes the walk: `take=7`
 * @param expected ids that the listing should contain
 */
export function recordWalk(
  ctx: RequirementContext,
  title: string,
  found: Walk,
  expected: readonly string[],
): void {
  const { walks } = ctx.run;
  // A failing requirement is judged twice; keep its second walk, with plain requests.
  const earlier = walks.findIndex((each) => each.requirement === ctx.id && each.title === title);
  if (earlier >= 0) walks.splice(earlier, 1);
  const isComplete = found.broken === undefined && found.items.length === expected.length;
  if (walks.length >= maximumWalks || (isComplete && found.pages.length > maximumPages)) return;
  walks.push({
    operation: ctx.operation.id,
    title,
    requirement: ctx.id,
    expected,
    pages: found.pages.map(({ result, items }) => ({
      query: new URL(result.exchange.request.url).search.slice(1, shownCharacters),
      status: status(result),
      items: keys(items),
    })),
  });
}
