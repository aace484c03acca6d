import type { CheckpointPage } from '../../fake/rules.ts';
import { experiments } from '../builders/on.ts';
import { filterCount, isEntry, isFiltered, isLaterPage, isLong, query } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const filtered = experiments.when(isFiltered);
const unfiltered = experiments.when((call) => !isFiltered(call));

/** Walks along next (sections 4.2 and 8, convention 2). */
export const walks: readonly Fault[] = [
  ...faultsOf('8/checkpoint-walk-complete', [
    fault('walk-repeats-at-each-boundary', 'Later pages begin with the last item of the page before.').by(
      experiments.laterPagesStart((index, _matches, call) =>
        query(call, 'take') === '1' ? index : index - 1,
      ),
    ),
    fault('walk-skips-equal-times', 'A page begins with the first item newer than the last one shown.').by(
      experiments.next((page) =>
        page.nextPosition && isLong(page) ? otherTime(page, page.nextPosition) : page.nextPosition,
      ),
    ),
    fault('walk-loses-the-last', 'The last item of the listing is not listed.').by(
      experiments.items((items, page) => (page.isLast && isLong(page) ? items.slice(0, -1) : items)),
    ),
  ]),
  ...faultsOf('8/checkpoint-walk-ends', [
    fault('walk-starts-over-at-its-end', 'The next of the last page leads to the first.').by(
      experiments.nextOfLastPage((page) => (isLong(page) ? 0 : undefined)),
    ),
    fault('walk-of-empty-pages', 'The last page is followed by empty ones without end.').by(
      experiments.nextOfLastPage((page) => page.all.length),
    ),
  ]),
  ...faultsOf('8/checkpoint-next-present', [
    fault('next-missing-for-one-more', 'next is missing where one item is left.').by(
      experiments.omitsNext((page) => isLong(page) && page.matches - page.end === 1),
    ),
    fault('next-missing-on-pages-of-one', 'next is missing with take=1.').by(
      experiments.omitsNext((page) => isLong(page) && page.take === 1),
    ),
    fault('next-missing-without-take', 'next is missing without take.').by(
      experiments.omitsNext((page, call) => isLong(page) && query(call, 'take') === undefined),
    ),
  ]),
  ...faultsOf('8/checkpoint-next-absent', [
    fault('next-null-on-the-last-page', 'next is null on the last page.').by(
      experiments.body((body, page) => (page.isLast ? { ...body, next: null } : body)),
    ),
    fault('next-on-a-full-last-page', 'A full last page has a next, which leads to an empty page.').by(
      experiments.nextOfLastPage((page) =>
        page.end - page.first === page.take && page.take > 0 ? page.all.length : undefined,
      ),
    ),
  ]),
  ...faultsOf('8/checkpoint-order', [
    fault('order-sorted-within-a-page', 'Each page is sorted by name after it was cut.').by(
      experiments.items((items) =>
        items.toSorted((one, other) => (String(one.name) < String(other.name) ? -1 : 1)),
      ),
    ),
  ]),
  ...faultsOf('8/checkpoint-size-changes', [
    fault('checkpoint-is-a-page-number', 'A checkpoint is the number of a page, whose size take says.').by(
      experiments.laterPagesStart((_index, matches, call, from) =>
        Math.min(matches, from.position * Number(query(call, 'take') ?? 25)),
      ),
      experiments.next((page) => (page.isLast ? undefined : (page.from?.position ?? 0) + 1)),
    ),
  ]),
  ...faultsOf('4.2/walk-filtered', [
    fault('walk-loses-its-filter', 'From the second page on the filter is forgotten.').by(
      experiments.when(isLaterPage).filters(() => ({})),
    ),
    fault('walk-filtered-starts-over', 'Under a filter the next of the last page leads to the first.').by(
      filtered.nextOfLastPage(() => 0),
    ),
  ]),
  ...faultsOf('4.2/walk-edges', [
    fault('edge-empty-listing-is-404', 'A tenant without experiments is answered 404.').by(
      unfiltered.status(404, ({ body }) => JSON.stringify(body).startsWith('{"experiments":[]')),
    ),
    fault('edge-single-experiment-lost', 'A single experiment is not listed.').by(
      experiments.items((items, page) => (page.all.length === 1 ? [] : items)),
    ),
    fault('edge-two-full-pages-lose-the-second', 'Of exactly two full pages the second is lost.').by(
      experiments.omitsNext((page) => page.all.length === 2 * page.take),
    ),
  ]),
  ...faultsOf('4.2/walk-any-data', [
    fault('walk-flow-forgotten', 'Beside status, later pages forget authentication_flow.').by(
      experiments
        .when((call) => call.target.includes('from='))
        .after('experiments.filters', ({ authentication_flow, ...others }) =>
          others.status === undefined && authentication_flow !== undefined
            ? { ...others, authentication_flow }
            : others,
        ),
    ),
    fault('walk-two-filters-skips-at-a-boundary', 'Under two filters later pages skip their first match.').by(
      experiments
        .when((call) => filterCount(call) > 1)
        .laterPagesStart((index, matches) => Math.min(index + 1, matches)),
    ),
  ]),
];

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
