import type { CheckpointPage } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { asked, change, isEntry, isFiltered, refuses } from './parts.ts';
import { lastPage, otherTime, starts } from './walk-parts.ts';

/** Walks along next (sections 4.2 and 8, convention 2). */
export const walks: readonly Fault[] = [
  {
    name: 'walk-skips-at-each-boundary',
    requirement: '8/checkpoint-walk-complete',
    description: 'The first item of each page after the first is skipped.',
    rules: starts((index, matches) => Math.min(index + 1, matches)),
  },
  {
    name: 'walk-repeats-at-each-boundary',
    requirement: '8/checkpoint-walk-complete',
    description: 'Each page after the first begins with the last item of the page before.',
    rules: starts((index, _matches, call) => (asked(call, 'take') === '1' ? index : index - 1)),
  },
  {
    name: 'walk-skips-at-the-second-boundary',
    requirement: '8/checkpoint-walk-complete',
    description: 'One item is skipped behind the second of the largest pages.',
    rules: starts((index) => (index === 100 ? 101 : index)),
  },
  {
    name: 'walk-repeats-with-default-pages',
    requirement: '8/checkpoint-walk-complete',
    description: 'Pages of the default size begin with the last item of the page before.',
    rules: starts((index, _matches, call) => (asked(call, 'take') === undefined ? index - 1 : index)),
  },
  {
    name: 'walk-skips-equal-times',
    requirement: '8/checkpoint-walk-complete',
    description:
      'A page begins with the first item that is newer than the last one shown, so that others of its time are lost.',
    rules: change('experiments', {
      next: (page) =>
        page.nextPosition && isLong(page) ? otherTime(page, page.nextPosition, 1) : page.nextPosition,
    }),
  },
  {
    name: 'walk-repeats-equal-times',
    requirement: '8/checkpoint-walk-complete',
    description: 'A page begins with the first item of the time of the last one shown.',
    rules: change('experiments', {
      next: (page) =>
        page.nextPosition && page.take > 3 && isLong(page)
          ? otherTime(page, page.nextPosition, -1)
          : page.nextPosition,
    }),
  },
  {
    name: 'walk-loses-one-in-the-middle',
    requirement: '8/checkpoint-walk-complete',
    description: 'One item in the middle of the listing is left out of it.',
    rules: change('experiments', {
      items: (items, page) => items.filter((_item, index) => isFiltered(page) || page.first + index !== 68),
    }),
  },
  {
    name: 'walk-loses-the-last',
    requirement: '8/checkpoint-walk-complete',
    description: 'The last item of the listing is left out of it.',
    rules: change('experiments', {
      items: (items, page) =>
        page.isLast && !isFiltered(page) && page.matches > 100 ? items.slice(0, -1) : items,
    }),
  },
  {
    name: 'walk-loses-same-names',
    requirement: '8/checkpoint-walk-complete',
    description: 'Of items with one name only the first is listed.',
    rules: change('experiments', {
      items: (items, page) =>
        isFiltered(page) ? items : items.filter(({ id, name }) => firstNamed(page, name) === id),
    }),
  },
  {
    name: 'walk-of-largest-pages-refused',
    requirement: '8/checkpoint-walk-complete',
    description: 'A checkpoint is refused beside the largest take.',
    rules: refuses('take', (take, call) => take === 50 && asked(call, 'from') !== undefined),
  },
  {
    name: 'walk-starts-over-at-its-end',
    requirement: '8/checkpoint-walk-ends',
    description: 'The next of the last page of a long listing leads to the first.',
    rules: change('experiments', { next: (page) => page.nextPosition ?? (isLong(page) ? 0 : undefined) }),
  },
  {
    name: 'walk-repeats-its-last-page',
    requirement: '8/checkpoint-walk-ends',
    description: 'The next of the last page leads to that page again.',
    rules: change('experiments', {
      next: (page) => page.nextPosition ?? Math.max(0, page.all.length - 1),
    }),
  },
  {
    name: 'walk-of-empty-pages',
    requirement: '8/checkpoint-walk-ends',
    description: 'Behind the last page empty ones follow without end.',
    rules: change('experiments', { next: (page) => page.nextPosition ?? page.all.length }),
  },
  {
    name: 'walk-of-largest-pages-starts-over',
    requirement: '8/checkpoint-walk-ends',
    description: 'With the largest pages the next of the last page leads to the first.',
    rules: change('experiments', {
      next: (page) => page.nextPosition ?? (page.take === 50 && !isFiltered(page) ? 0 : undefined),
    }),
  },
  {
    name: 'next-missing-for-one-more',
    requirement: '8/checkpoint-next-present',
    description: 'A page of a long listing carries no next where one item is left.',
    rules: lastPage((page) => isLong(page) && page.matches - page.end === 1),
  },
  {
    name: 'next-missing-for-less-than-a-page',
    requirement: '8/checkpoint-next-present',
    description: 'A page of a long listing carries no next where less than a page is left.',
    rules: lastPage((page) => isLong(page) && page.matches - page.end < page.take),
  },
  {
    name: 'next-missing-on-pages-of-one',
    requirement: '8/checkpoint-next-present',
    description: 'In a long listing a page of one carries no next.',
    rules: lastPage((page) => isLong(page) && page.take === 1),
  },
  {
    name: 'next-missing-without-take',
    requirement: '8/checkpoint-next-present',
    description: 'In a long listing a page without take carries no next.',
    rules: lastPage((page, call) => isLong(page) && asked(call, 'take') === undefined),
  },
  {
    name: 'next-missing-on-the-largest-pages',
    requirement: '8/checkpoint-next-present',
    description: 'A page of the largest size carries no next.',
    rules: lastPage((page) => page.take === 50),
  },
  {
    name: 'next-missing-behind-a-hundred',
    requirement: '8/checkpoint-next-present',
    description: 'Nothing is listed beyond the first hundred.',
    rules: lastPage((page) => page.end >= 100),
  },
  {
    name: 'next-only-on-the-first-page',
    requirement: '8/checkpoint-next-present',
    description: 'Only the first page of a long listing carries next.',
    rules: lastPage((page, call) => isLong(page) && asked(call, 'from') !== undefined),
  },
  {
    name: 'next-null-on-the-last-page',
    requirement: '8/checkpoint-next-absent',
    description: 'The last page carries next as null.',
    rules: answersNext(null),
  },
  {
    name: 'next-empty-on-the-last-page',
    requirement: '8/checkpoint-next-absent',
    description: 'The last page carries an empty next.',
    rules: answersNext(''),
  },
  {
    name: 'next-on-a-full-last-page',
    requirement: '8/checkpoint-next-absent',
    description: 'A full last page carries a next, which leads to an empty page.',
    rules: change('experiments', {
      next: (page) =>
        page.nextPosition ??
        (page.end - page.first === page.take && page.take > 0 ? page.all.length : undefined),
    }),
  },
  {
    name: 'next-on-any-last-page',
    requirement: '8/checkpoint-next-absent',
    description: 'Behind the last page there is an empty one.',
    rules: change('experiments', {
      next: (page) => page.nextPosition ?? (page.end > page.first ? page.all.length : undefined),
    }),
  },
  {
    name: 'order-turns-with-the-page-size',
    requirement: '8/checkpoint-order',
    description: 'Pages of 26 list their items the other way round.',
    rules: change('experiments', { items: (items, page) => (page.take === 26 ? items.toReversed() : items) }),
  },
  {
    name: 'order-sorted-within-a-page',
    requirement: '8/checkpoint-order',
    description: 'The items of a page of 49 are sorted by name, page by page.',
    rules: change('experiments', {
      items: (items, page) =>
        page.take === 49
          ? items.toSorted((one, other) => (String(one.name) < String(other.name) ? -1 : 1))
          : items,
    }),
  },
  {
    name: 'checkpoint-is-a-page-number',
    requirement: '8/checkpoint-size-changes',
    description: 'A checkpoint is the number of a page, so that it means another place under another take.',
    rules: change('experiments', {
      start: (_index, matches, from, call) =>
        from === undefined ? 0 : Math.min(matches, from.position * Number(asked(call, 'take') ?? 25)),
      next: (page) => (page.isLast ? undefined : (page.from?.position ?? 0) + 1),
    }),
  },
  {
    name: 'checkpoint-counts-items-by-page-size',
    requirement: '8/checkpoint-size-changes',
    description: 'A page begins at a multiple of its own take.',
    rules: starts((index, _matches, call) => {
      const take = Number(asked(call, 'take') ?? 25);
      return Math.floor(index / take) * take;
    }),
  },
];

function answersNext(value: unknown): Fault['rules'] {
  return change('experiments', {
    answered: (answer, page) => (page.isLast ? { ...answer, next: value } : answer),
  });
}

/** True for a listing of everything, where that is more than two of the largest pages. */
function isLong(page: CheckpointPage): boolean {
  return !isFiltered(page) && page.matches > 100;
}

/** Id of the first experiment of this name. */
function firstNamed(page: CheckpointPage, name: unknown): unknown {
  const first = page.all.find((entry) => isEntry(entry) && entry.experiment.name === name);
  return isEntry(first) ? first.experiment.id : undefined;
}
