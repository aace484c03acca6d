import type { Call } from '../../fake/call.ts';
import type { OffsetPage } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { asked, change, counts, onWire, refuses, slices } from './parts.ts';

/** How the pages of an action's versions follow one another (section 4.4). */
export const versionTiles: readonly Fault[] = [
  {
    name: 'page-from-one',
    requirement: '4.4/page-zero-indexed',
    description: 'page counts from 1, and 0 is taken for 1.',
    rules: slices((_items, { page, perPage }) => [
      Math.max(0, page - 1) * perPage,
      Math.max(1, page) * perPage,
    ]),
  },
  {
    name: 'page-from-one-for-pages-of-one',
    requirement: '4.4/page-zero-indexed',
    description: 'With per_page=1 page counts from 1, and 0 is taken for the end.',
    rules: slices((_items, { page, perPage, total }) =>
      perPage === 1
        ? [page === 0 ? total - 1 : page - 1, page === 0 ? total : page]
        : [page * perPage, (page + 1) * perPage],
    ),
  },
  {
    name: 'page-is-an-offset',
    requirement: '4.4/page-zero-indexed',
    description: 'page is the number of versions to skip.',
    rules: slices((_items, { page, perPage }) => [page, page + perPage]),
  },
  {
    name: 'pages-overlap-by-one',
    requirement: '4.4/pages-tile',
    description: 'Each page of 5 to 49 but the first begins with the last version of the page before.',
    rules: slices((_items, { page, perPage }) => [
      Math.max(0, page * perPage - (isMiddling(perPage) ? 1 : 0)),
      (page + 1) * perPage - (isMiddling(perPage) && page > 0 ? 1 : 0),
    ]),
  },
  {
    name: 'pages-skip-one',
    requirement: '4.4/pages-tile',
    description: 'Behind each page of 5 to 49 one version is skipped.',
    rules: slices((_items, { page, perPage }) => {
      const start = page * (isMiddling(perPage) ? perPage + 1 : perPage);
      return [start, start + perPage];
    }),
  },
  {
    name: 'pages-of-seven-repeat-the-last',
    requirement: '4.4/pages-tile',
    description: 'The last page of 7 is filled up with versions of the page before.',
    rules: slices((_items, { page, perPage, total }) => {
      const start = page * perPage;
      const last = perPage === 7 && start < total && start + perPage > total;
      return last ? [total - perPage, total] : [start, start + perPage];
    }),
  },
  {
    name: 'pages-lose-the-last-version',
    requirement: '4.4/pages-tile',
    description: 'The last version of a short last page is lost.',
    rules: change('versions', ({ items }) => ({
      items: (all, page, call) => {
        const found = items(all, page, call);
        return page.perPage < 50 && found.length > 1 && found.length < page.perPage
          ? found.slice(0, -1)
          : found;
      },
    })),
  },
  {
    name: 'pages-lose-one-in-the-middle',
    requirement: '4.4/pages-tile',
    description: 'Pages of 19 lose the first version of the second page.',
    rules: change('versions', ({ items }) => ({
      items: (all, page, call) =>
        items(all, page, call).slice(page.perPage === 19 && page.page === 1 ? 1 : 0),
    })),
  },
  {
    name: 'pages-sorted-each-by-itself',
    requirement: '4.4/order',
    description: 'The versions of a page of 21 are sorted by number, page by page.',
    rules: reorders((page) => page.perPage === 21),
  },
  {
    name: 'pages-of-two-turned',
    requirement: '4.4/order',
    description: 'The versions of a page of two stand the other way round.',
    rules: reorders((page) => page.perPage === 2 && page.page > 0),
  },
  {
    name: 'beyond-the-end-is-404',
    requirement: '4.4/beyond-the-end',
    description: 'A page beyond the end is answered with 404.',
    rules: beyond(404),
  },
  {
    name: 'beyond-the-end-is-400',
    requirement: '4.4/beyond-the-end',
    description: 'A page beyond the end is refused with 400.',
    rules: beyond(400),
  },
  {
    name: 'beyond-the-end-is-204',
    requirement: '4.4/beyond-the-end',
    description: 'A page beyond the end is answered with 204.',
    rules: beyond(204),
  },
  {
    name: 'beyond-the-end-wraps',
    requirement: '4.4/beyond-the-end',
    description: 'Fifty pages beyond the end the first one comes again.',
    rules: slices((_items, { page, perPage, total }) => {
      const end = Math.floor(total / perPage) + 1;
      const from = page === end + 50 ? 0 : page * perPage;
      return [from, from + perPage];
    }),
  },
  {
    name: 'beyond-the-end-repeats-the-last-page',
    requirement: '4.4/beyond-the-end',
    description: 'A page beyond the end is the last one.',
    rules: slices((_items, { page, perPage, total }) => {
      const last = Math.max(0, Math.ceil(total / perPage) - 1);
      const at = page * perPage > total && page < 10_000 ? last : page;
      return [at * perPage, (at + 1) * perPage];
    }),
  },
  {
    name: 'at-the-end-is-404',
    requirement: '4.4/at-the-end',
    description: 'The page that begins where the versions end is answered with 404.',
    rules: onWire('listActionVersions', (answer, call) =>
      answer.status === 200 && beginsAtTheEnd(call, answer.parts) ? { ...answer, status: 404 } : answer,
    ),
  },
  {
    name: 'at-the-end-repeats-the-last-version',
    requirement: '4.4/at-the-end',
    description: 'The page that begins where the versions end shows the last one again.',
    rules: change('versions', ({ items }) => ({
      items: (all, page, call) =>
        page.page * page.perPage === page.total && page.perPage < 20 ? all.slice(-1) : items(all, page, call),
    })),
  },
  {
    name: 'page-overflows-at-32-bits',
    requirement: '4.4/far-beyond-the-end',
    description:
      'page * per_page is counted in 32 bits, so that a huge page comes round to the first versions.',
    rules: slices((_items, { page, perPage }) => {
      const start = (page * perPage) >>> 0;
      return [start, start + perPage];
    }),
  },
  {
    name: 'page-overflows-to-a-negative-offset',
    requirement: '4.4/far-beyond-the-end',
    description:
      'page * per_page is counted in 32 bits with a sign, and a negative offset is refused by the database with 500.',
    rules: change('versions', ({ items }) => ({
      items: (all, page, call) => {
        if (Math.imul(page.page, page.perPage) < 0) throw new Error('OFFSET must not be negative');
        return items(all, page, call);
      },
    })),
  },
  {
    name: 'page-cut-to-16-bits',
    requirement: '4.4/far-beyond-the-end',
    description: 'page is cut to 16 bits, so that 65536 is the first.',
    rules: counts('page', (page) => (page > 0xffff ? page & 0xffff : page)),
  },
  {
    name: 'page-beyond-ten-thousand-items-refused',
    requirement: '4.4/far-beyond-the-end',
    description: 'A page that begins beyond ten thousand versions is refused, as a search index does.',
    rules: refuses('page', (page) => typeof page === 'number' && page > 200),
  },
  {
    name: 'page-beyond-a-billion-refused',
    requirement: '4.4/far-beyond-the-end',
    description: 'A page of more than nine digits is refused.',
    rules: refuses('page', (page) => typeof page === 'number' && page > 999_999_999),
  },
];

function isMiddling(perPage: number): boolean {
  return perPage >= 5 && perPage < 50;
}

function reorders(condition: (page: OffsetPage) => boolean): Fault['rules'] {
  return change('versions', ({ items }) => ({
    items: (all, page, call) => {
      const found = items(all, page, call);
      return condition(page) ? found.toReversed() : found;
    },
  }));
}

/** The status of every page wholly beyond the end, within the first ten thousand. */
function beyond(status: number): Fault['rules'] {
  return onWire('listActionVersions', (answer, call) => {
    const page = Number(asked(call, 'page') ?? 0);
    if (answer.status !== 200 || page === 0 || page >= 10_000) return answer;
    if (!answer.parts.some((part) => String(part).endsWith('"versions":[]}'))) return answer;
    return beginsAtTheEnd(call, answer.parts) ? answer : { ...answer, status, parts: [] };
  });
}

/** True where the page that the answer holds begins exactly where the versions end. */
function beginsAtTheEnd(call: Call, parts: readonly (string | Uint8Array)[]): boolean {
  const total = Number(/"total":(\d+)/.exec(String(parts[0]))?.[1] ?? 0);
  return total > 0 && Number(asked(call, 'page') ?? 0) * Number(asked(call, 'per_page') ?? 20) === total;
}
