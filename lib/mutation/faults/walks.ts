import type { CheckpointPage } from '../../fake/rules.ts';
import { experiments } from '../builders/on.ts';
import { isEntry, isFiltered, isLaterPage, isLong, query } from '../builders/predicates.ts';
import { type Fault, faultsOf } from '../fault.ts';

const unfiltered = experiments.when((call) => !isFiltered(call));

/** Following `next` through a listing (sections 4.2 and 8, convention 2). */
export const walks: readonly Fault[] = faultsOf({
  '8/checkpoint-walk-complete': {
    'walk-repeats-at-each-boundary': experiments
      .when(isLaterPage, (call) => query(call, 'take') !== '1')
      .after('experiments.start', (index) => Math.max(0, index - 1)),
    'walk-skips-equal-times': experiments.next((page) =>
      page.nextPosition && isLong(page) ? otherTime(page, page.nextPosition) : page.nextPosition,
    ),
    'walk-loses-the-last': experiments.items((items, page) =>
      page.isLast && isLong(page) ? items.slice(0, -1) : items,
    ),
  },
  '8/checkpoint-walk-ends': {
    'walk-starts-over-at-its-end': experiments.next(
      (page) => page.nextPosition ?? (isLong(page) ? 0 : undefined),
    ),
    'walk-of-empty-pages': experiments.next((page) => page.nextPosition ?? page.all.length),
  },
  '8/checkpoint-next-present': {
    'next-missing-for-one-more': experiments.next((page) =>
      isLong(page) && page.matches - page.end === 1 ? undefined : page.nextPosition,
    ),
  },
  '4.2/walk-filtered': { 'walk-loses-its-filter': experiments.when(isLaterPage).filters(() => ({})) },
  '4.2/walk-edges': {
    'edge-empty-listing-is-404': unfiltered.status(404, ({ body }) =>
      JSON.stringify(body).startsWith('{"experiments":[]'),
    ),
    'edge-single-experiment-lost': experiments.items((items, page) => (page.all.length === 1 ? [] : items)),
    'edge-two-full-pages-lose-the-second': experiments.next((page) =>
      page.all.length === 2 * page.take ? undefined : page.nextPosition,
    ),
  },
  '4.2/walk-any-data': {
    'walk-flow-forgotten': experiments
      .when(isLaterPage)
      .filters(({ authentication_flow: flow, ...others }) =>
        others.status === undefined && flow !== undefined ? { ...others, authentication_flow: flow } : others,
      ),
  },
});

/** `created_at` of the experiment at a position. */
function timeAt(page: CheckpointPage, position: number): unknown {
  const entry = page.all[position];
  return isEntry(entry) ? entry.experiment.created_at : undefined;
}

/** The first position from this one on whose item has another time than the item before this position. */
function otherTime(page: CheckpointPage, position: number): number | undefined {
  const time = timeAt(page, position - 1);
  let at = position;
  while (at < page.all.length && timeAt(page, at) === time) at += 1;
  return at < page.all.length ? at : undefined;
}
