import type { Call } from '../../fake/call.ts';
import type { Fault } from '../fault.ts';
import { asked, change, isFiltered } from './parts.ts';
import { lastPage, otherTime, starts, timeAt } from './walk-parts.ts';

/** Walks under filters, and of data of other sizes (section 4.2). */
export const filteredWalks: readonly Fault[] = [
  {
    name: 'walk-loses-its-filter',
    requirement: '4.2/walk-filtered',
    description: 'From the second page on the filter is forgotten.',
    rules: change('experiments', {
      filters: (filters, call) => (asked(call, 'from') === undefined ? filters : {}),
    }),
  },
  {
    name: 'walk-ignores-from-under-a-filter',
    requirement: '4.2/walk-filtered',
    description: 'Under a filter every page is the first.',
    rules: starts((index, _matches, call) => (hasFilter(call) ? 0 : index)),
  },
  {
    name: 'walk-filters-after-paging',
    requirement: '4.2/walk-filtered',
    description: 'A page is cut first and filtered then, and ends the walk where nothing of it is left.',
    rules: change('experiments', {
      next: (page) =>
        page.nextPosition !== undefined &&
        isFiltered(page) &&
        page.nextPosition - (page.from?.position ?? 0) > 5 * page.take
          ? undefined
          : page.nextPosition,
    }),
  },
  {
    name: 'walk-filtered-has-no-next',
    requirement: '4.2/walk-filtered',
    description: 'A filtered listing carries no next.',
    rules: lastPage(isFiltered),
  },
  {
    name: 'walk-filtered-skips-at-a-boundary',
    requirement: '4.2/walk-filtered',
    description: 'Under a status the first match of each later page is skipped.',
    rules: starts((index, matches, call) =>
      asked(call, 'status') === undefined ? index : Math.min(index + 1, matches),
    ),
  },
  {
    name: 'walk-filtered-repeats-at-a-boundary',
    requirement: '4.2/walk-filtered',
    description: 'Under a flag each later page begins with the last match of the page before.',
    rules: starts((index, _matches, call) =>
      asked(call, 'feature_flag_id') === undefined || asked(call, 'take') === '1' ? index : index - 1,
    ),
  },
  {
    name: 'walk-filtered-loses-a-full-last-page',
    requirement: '4.2/walk-filtered',
    description: 'Under a filter a last page that is just full is lost.',
    rules: lastPage((page) => isFiltered(page) && page.matches - page.end === page.take),
  },
  {
    name: 'walk-filtered-starts-over',
    requirement: '4.2/walk-filtered',
    description: 'Under a filter the next of the last page leads to the first.',
    rules: change('experiments', { next: (page) => page.nextPosition ?? (isFiltered(page) ? 0 : undefined) }),
  },
  {
    name: 'edge-empty-listing-is-404',
    requirement: '4.2/walk-edges',
    description: 'A tenant without experiments is answered with 404.',
    rules: change('answers', ({ wire }) => ({
      wire: (answer, call) =>
        call.operation?.id === 'listExperiments' &&
        !hasFilter(call) &&
        answer.parts.some((part) => String(part).startsWith('{"experiments":[]'))
          ? { ...wire(answer, call), status: 404 }
          : wire(answer, call),
    })),
  },
  {
    name: 'edge-single-experiment-lost',
    requirement: '4.2/walk-edges',
    description: 'A single experiment is not listed.',
    rules: change('experiments', {
      items: (items, page) => (page.all.length === 1 ? [] : items),
    }),
  },
  {
    name: 'edge-one-more-than-a-page-lost',
    requirement: '4.2/walk-edges',
    description: 'Where a listing is one longer than its first page, that one is lost.',
    rules: lastPage((page) => page.matches === page.take + 1 && page.all.length === page.matches),
  },
  {
    name: 'edge-two-full-pages-lose-the-second',
    requirement: '4.2/walk-edges',
    description: 'Of a listing of two full pages the second is lost.',
    rules: lastPage((page) => page.all.length === 2 * page.take),
  },
  {
    name: 'edge-full-page-comes-twice',
    requirement: '4.2/walk-edges',
    description: 'A listing of exactly one page comes twice.',
    rules: change('experiments', {
      next: (page) =>
        page.nextPosition ?? (page.all.length === page.take && page.from === undefined ? 0 : undefined),
    }),
  },
  {
    name: 'edge-one-short-of-a-page-loses-one',
    requirement: '4.2/walk-edges',
    description: 'Of a listing one shorter than a page the last item is lost.',
    rules: change('experiments', {
      items: (items, page) => (page.all.length === page.take - 1 ? items.slice(0, -1) : items),
    }),
  },
  {
    name: 'walk-two-filters-skips-at-a-boundary',
    requirement: '4.2/walk-any-data',
    description: 'Under two filters or more the first match of each later page is skipped.',
    rules: starts((index, matches, call) => (filterCount(call) > 1 ? Math.min(index + 1, matches) : index)),
  },
  {
    name: 'walk-three-filters-carries-no-next',
    requirement: '4.2/walk-any-data',
    description: 'Under three filters a page carries no next.',
    rules: lastPage((page) => Object.keys(page.filters).length === 3),
  },
  {
    name: 'walk-of-one-time-loses-pages',
    requirement: '4.2/walk-any-data',
    description: 'Where more than a page of items have one time, the rest of them is lost.',
    rules: change('experiments', {
      next: (page) => {
        const position = page.nextPosition;
        const here = position === undefined ? undefined : timeAt(page, position);
        const before = position === undefined ? undefined : timeAt(page, position - page.take);
        return position !== undefined && here !== undefined && here === before && page.take > 3
          ? otherTime(page, position, 1)
          : position;
      },
    }),
  },
];

function filterCount(call: Call): number {
  return call.query?.filter(([name]) => name !== 'from' && name !== 'take').length ?? 0;
}

function hasFilter(call: Call): boolean {
  return filterCount(call) > 0;
}
