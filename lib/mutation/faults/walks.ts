import type { CheckpointPage } from '../../fake/rules.ts';
import { experiments } from '../builders/on.ts';
import { isEntry, isFiltered, isLaterPage, isLong, query } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const unfiltered = experiments.when((call) => !isFiltered(call));

/** Walks along next (sections 4.2 and 8, convention 2). */
export const walks: readonly Fault[] = faultsOf({
  '8/checkpoint-walk-complete': [
    fault('walk-repeats-at-each-boundary', 'Later pages begin with the last item of the page before.').by(
      experiments
        .when(isLaterPage, (call) => query(call, 'take') !== '1')
        .after('experiments.start', (index) => Math.max(0, index - 1)),
    ),
    fault('walk-skips-equal-times', 'A page begins with the first item newer than the last one shown.').by(
      experiments.next((page) =>
        page.nextPosition && isLong(page) ? otherTime(page, page.nextPosition) : page.nextPosition,
      ),
    ),
    fault('walk-loses-the-last', 'The last item of the listing is not listed.').by(
      experiments.items((items, page) => (page.isLast && isLong(page) ? items.slice(0, -1) : items)),
    ),
  ],
  '8/checkpoint-walk-ends': [
    fault('walk-starts-over-at-its-end', 'The next of the last page leads to the first.').by(
      experiments.next((page) => page.nextPosition ?? (isLong(page) ? 0 : undefined)),
    ),
    fault('walk-of-empty-pages', 'The last page is followed by empty ones without end.').by(
      experiments.next((page) => page.nextPosition ?? page.all.length),
    ),
  ],
  '8/checkpoint-next-present': fault(
    'next-missing-for-one-more',
    'next is missing where one item is left.',
  ).by(
    experiments.next((page) =>
      isLong(page) && page.matches - page.end === 1 ? undefined : page.nextPosition,
    ),
  ),
  '4.2/walk-filtered': fault('walk-loses-its-filter', 'From the second page on the filter is forgotten.').by(
    experiments.when(isLaterPage).filters(() => ({})),
  ),
  '4.2/walk-edges': [
    fault('edge-empty-listing-is-404', 'A tenant without experiments is answered 404.').by(
      unfiltered.status(404, ({ body }) => JSON.stringify(body).startsWith('{"experiments":[]')),
    ),
    fault('edge-single-experiment-lost', 'A single experiment is not listed.').by(
      experiments.items((items, page) => (page.all.length === 1 ? [] : items)),
    ),
    fault('edge-two-full-pages-lose-the-second', 'Of exactly two full pages the second is lost.').by(
      experiments.next((page) => (page.all.length === 2 * page.take ? undefined : page.nextPosition)),
    ),
  ],
  '4.2/walk-any-data': fault(
    'walk-flow-forgotten',
    'Beside status, later pages forget authentication_flow.',
  ).by(
    experiments
      .when(isLaterPage)
      .filters(({ authentication_flow: flow, ...others }) =>
        others.status === undefined && flow !== undefined ? { ...others, authentication_flow: flow } : others,
      ),
  ),
});

/** created_at of the experiment at a position. */
function timeAt(page: CheckpointPage, position: number): unknown {
  const entry = page.all[position];
  return isEntry(entry) ? entry.experiment.created_at : undefined;
}

/** From a position on, the first that follows an item of another time than the item before the position. */
function otherTime(page: CheckpointPage, position: number): number | undefined {
  const time = timeAt(page, position - 1);
  let at = position;
  while (at < page.all.length && timeAt(page, at) === time) at += 1;
  return at < page.all.length ? at : undefined;
}
