import type { Call } from '../call.ts';
import type { Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';
import type { OffsetPage } from '../rules.ts';
import { asked, change, counts, onWire, refuses, slices, without } from './parts.ts';

/** Pages of an action's versions (sections 4.4 and 8, convention 1). */
export const versionPages: readonly Fault[] = [
  {
    name: 'versions-partial-content',
    breaks: '4.4/reads',
    says: 'A listing without parameters that does not hold everything is answered with 206.',
    rules: onWire('listActionVersions', (answer, call) =>
      answer.status === 200 &&
      call.query?.length === 0 &&
      !answer.parts.some((part) => String(part).endsWith('"versions":[]}'))
        ? { ...answer, status: 206 }
        : answer,
    ),
  },
  {
    name: 'versions-total-is-text',
    breaks: '4.4/answer-members',
    says: 'total is a string.',
    rules: answers((answer) => ({ ...answer, total: String(answer.total) })),
  },
  {
    name: 'versions-page-echoed-as-text',
    breaks: '4.4/answer-members',
    says: 'page stands in the answer as the text that was sent.',
    rules: answers((answer, _page, call) => ({ ...answer, page: asked(call, 'page') ?? answer.page })),
  },
  {
    name: 'versions-without-total',
    breaks: '4.4/answer-members',
    says: 'The answer holds no total, as with include_totals=false.',
    rules: answers((answer) => without(answer, 'total')),
  },
  {
    name: 'versions-per-page-null-by-default',
    breaks: '4.4/answer-members',
    says: 'per_page is null where none was asked for.',
    rules: answers((answer, _page, call) =>
      asked(call, 'per_page') === undefined ? { ...answer, per_page: null } : answer,
    ),
  },
  {
    name: 'versions-empty-page-is-object',
    breaks: '4.4/answer-members',
    says: 'An empty page holds an empty object for the array.',
    rules: answers((answer) => (isEmpty(answer) ? { ...answer, versions: {} } : answer)),
  },
  {
    name: 'versions-last-page-without-counts',
    breaks: '4.4/answer-members',
    says: 'An empty page holds neither total nor page.',
    rules: answers((answer, page) => (isEmpty(answer) ? { per_page: page.perPage, versions: [] } : answer)),
  },
  {
    name: 'versions-total-of-the-page',
    breaks: '4.4/total-right',
    says: 'total counts the versions of the page.',
    rules: answers((answer) => ({
      ...answer,
      total: Array.isArray(answer.versions) ? answer.versions.length : 0,
    })),
  },
  {
    name: 'versions-total-too-high-by-one',
    breaks: '4.4/total-right',
    says: 'total counts the draft too that no version was made of.',
    rules: change('versions', { total: (count) => count + 1 }),
  },
  {
    name: 'versions-total-up-to-fifty',
    breaks: '4.4/total-right',
    says: 'total counts up to fifty.',
    rules: change('versions', { total: (count) => Math.min(count, 50) }),
  },
  {
    name: 'versions-total-zero-beyond-the-end',
    breaks: '4.4/total-right',
    says: 'total is 0 on a page beyond the end, as a window function counts.',
    rules: change('versions', {
      total: (count, { page, perPage }) => (page * perPage >= count ? 0 : count),
    }),
  },
  {
    name: 'versions-page-echoed-from-one',
    breaks: '4.4/page-echoed',
    says: 'page in the answer counts from 1.',
    rules: answers((answer, { page }) => ({ ...answer, page: page + 1 })),
  },
  {
    name: 'versions-page-echoed-within-the-end',
    breaks: '4.4/page-echoed',
    says: 'page in the answer is the last one where a later one was asked for.',
    rules: answers((answer, { page, perPage, total }) => ({
      ...answer,
      page: Math.min(page, Math.max(0, Math.ceil(total / perPage) - 1)),
    })),
  },
  {
    name: 'versions-page-echoed-as-offset',
    breaks: '4.4/page-echoed',
    says: 'page in the answer is the number of versions before it.',
    rules: answers((answer, { page, perPage }) => ({ ...answer, page: page * perPage })),
  },
  {
    name: 'versions-per-page-echoed-as-default',
    breaks: '4.4/per-page-echoed',
    says: 'per_page in the answer is always the default.',
    rules: answers((answer) => ({ ...answer, per_page: 20 })),
  },
  {
    name: 'versions-per-page-echoed-as-count',
    breaks: '4.4/per-page-echoed',
    says: 'per_page in the answer counts the versions that came.',
    rules: answers((answer) => ({
      ...answer,
      per_page: Array.isArray(answer.versions) ? answer.versions.length : 0,
    })),
  },
  {
    name: 'per-page-one-gives-two',
    breaks: '4.4/per-page-limits',
    says: 'A per_page of 1 gives pages that overlap, of two.',
    rules: slices((_page, { page, perPage }) =>
      perPage === 1 ? [page, page + 2] : [page * perPage, (page + 1) * perPage],
    ),
  },
  {
    name: 'per-page-orphans-join-the-last-page',
    breaks: '4.4/per-page-limits',
    says: 'A last page of one version is joined to the page before.',
    rules: slices((_items, { page, perPage, total }) => {
      const end = (page + 1) * perPage;
      if (perPage === 1 || total % perPage !== 1) return [page * perPage, end];
      return total - end === 1 ? [page * perPage, total] : [page * perPage + (end > total ? 1 : 0), end];
    }),
  },
  {
    name: 'per-page-ignored-after-the-first-page',
    breaks: '4.4/per-page-limits',
    says: 'Every page but the first holds all the rest.',
    rules: slices((_items, { page, perPage }) =>
      page === 1 ? [perPage, undefined] : page === 0 ? [0, perPage] : [100_000, undefined],
    ),
  },
  {
    name: 'per-page-one-refused',
    breaks: '4.4/per-page-accepted',
    says: 'A per_page of 1 is refused.',
    rules: refuses('per_page', (value) => value === 1),
  },
  {
    name: 'per-page-maximum-exclusive',
    breaks: '4.4/per-page-accepted',
    says: 'A per_page of exactly the maximum is refused.',
    rules: refuses('per_page', (value) => value === 50),
  },
  {
    name: 'per-page-beyond-25-refused',
    breaks: '4.4/per-page-accepted',
    says: 'A per_page above 25 is refused.',
    rules: refuses('per_page', (value) => typeof value === 'number' && value > 25),
  },
  {
    name: 'per-page-one-value-refused',
    breaks: '4.4/per-page-accepted',
    says: 'A per_page of 37, and no other, is refused.',
    rules: refuses('per_page', (value) => value === 37),
  },
  ...[10, 25, 50].map((usual) => ({
    name: `per-page-default-${usual}`,
    breaks: '4.4/per-page-default',
    says: `Without per_page a page holds ${usual} versions.`,
    rules: absent('per_page', () => usual),
  })),
  {
    name: 'per-page-default-50-after-the-first-page',
    breaks: '4.4/per-page-default',
    says: 'Without per_page a page but the first is one of 50.',
    rules: absent('per_page', (call) => ((asked(call, 'page') ?? '0') === '0' ? 20 : 50)),
  },
  {
    name: 'per-page-default-10-on-the-third-page',
    breaks: '4.4/per-page-default',
    says: 'Without per_page the third page is one of 10.',
    rules: absent('per_page', (call) => (asked(call, 'page') === '2' ? 10 : 20)),
  },
  {
    name: 'page-default-one',
    breaks: '4.4/page-default',
    says: 'Without page the second page comes.',
    rules: absent('page', () => 1),
  },
  {
    name: 'page-default-last',
    breaks: '4.4/page-default',
    says: 'Without page the last page of one version comes.',
    rules: absent('page', (call) => (asked(call, 'per_page') === '1' ? 56 : 0)),
  },
  {
    name: 'page-from-one',
    breaks: '4.4/page-zero-indexed',
    says: 'page counts from 1, and 0 is taken for 1.',
    rules: slices((_items, { page, perPage }) => [
      Math.max(0, page - 1) * perPage,
      Math.max(1, page) * perPage,
    ]),
  },
  {
    name: 'page-from-one-for-pages-of-one',
    breaks: '4.4/page-zero-indexed',
    says: 'With per_page=1 page counts from 1, and 0 is taken for the end.',
    rules: slices((_items, { page, perPage, total }) =>
      perPage === 1
        ? [page === 0 ? total - 1 : page - 1, page === 0 ? total : page]
        : [page * perPage, (page + 1) * perPage],
    ),
  },
  {
    name: 'page-is-an-offset',
    breaks: '4.4/page-zero-indexed',
    says: 'page is the number of versions to skip.',
    rules: slices((_items, { page, perPage }) => [page, page + perPage]),
  },
  {
    name: 'pages-overlap-by-one',
    breaks: '4.4/pages-tile',
    says: 'Each page but the first begins with the last version of the page before.',
    rules: slices((_items, { page, perPage }) => [
      Math.max(0, page * perPage - (perPage > 2 ? 1 : 0)),
      (page + 1) * perPage - (perPage > 2 && page > 0 ? 1 : 0),
    ]),
  },
  {
    name: 'pages-skip-one',
    breaks: '4.4/pages-tile',
    says: 'Behind each page of more than two one version is skipped.',
    rules: slices((_items, { page, perPage }) => {
      const start = page * (perPage > 2 ? perPage + 1 : perPage);
      return [start, start + perPage];
    }),
  },
  {
    name: 'pages-of-seven-repeat-the-last',
    breaks: '4.4/pages-tile',
    says: 'The last page of 7 is filled up with versions of the page before.',
    rules: slices((_items, { page, perPage, total }) => {
      const start = page * perPage;
      const last = perPage === 7 && start < total && start + perPage > total;
      return last ? [total - perPage, total] : [start, start + perPage];
    }),
  },
  {
    name: 'pages-lose-the-last-version',
    breaks: '4.4/pages-tile',
    says: 'The last version of a short last page is lost.',
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
    breaks: '4.4/pages-tile',
    says: 'Pages of 19 lose the first version of the second page.',
    rules: change('versions', ({ items }) => ({
      items: (all, page, call) =>
        items(all, page, call).slice(page.perPage === 19 && page.page === 1 ? 1 : 0),
    })),
  },
  {
    name: 'pages-sorted-each-by-itself',
    breaks: '4.4/order',
    says: 'The versions of a page of 21 are sorted by number, page by page.',
    rules: reorders((page) => page.perPage === 21),
  },
  {
    name: 'pages-of-two-turned',
    breaks: '4.4/order',
    says: 'The versions of a page of two stand the other way round.',
    rules: reorders((page) => page.perPage === 2 && page.page > 0),
  },
  {
    name: 'beyond-the-end-is-404',
    breaks: '4.4/beyond-the-end',
    says: 'A page beyond the end is answered with 404.',
    rules: beyond(404),
  },
  {
    name: 'beyond-the-end-is-400',
    breaks: '4.4/beyond-the-end',
    says: 'A page beyond the end is refused with 400.',
    rules: beyond(400),
  },
  {
    name: 'beyond-the-end-is-204',
    breaks: '4.4/beyond-the-end',
    says: 'A page beyond the end is answered with 204.',
    rules: beyond(204),
  },
  {
    name: 'beyond-the-end-wraps',
    breaks: '4.4/beyond-the-end',
    says: 'Fifty pages beyond the end the first one comes again.',
    rules: slices((_items, { page, perPage, total }) => {
      const end = Math.floor(total / perPage) + 1;
      const from = page === end + 50 ? 0 : page * perPage;
      return [from, from + perPage];
    }),
  },
  {
    name: 'beyond-the-end-repeats-the-last-page',
    breaks: '4.4/beyond-the-end',
    says: 'A page beyond the end is the last one.',
    rules: slices((_items, { page, perPage, total }) => {
      const last = Math.max(0, Math.ceil(total / perPage) - 1);
      const at = page * perPage > total && page < 10_000 ? last : page;
      return [at * perPage, (at + 1) * perPage];
    }),
  },
  {
    name: 'at-the-end-is-404',
    breaks: '4.4/at-the-end',
    says: 'The page that begins where the versions end is answered with 404.',
    rules: onWire('listActionVersions', (answer, call) =>
      answer.status === 200 && beginsAtTheEnd(call, answer.parts) ? { ...answer, status: 404 } : answer,
    ),
  },
  {
    name: 'at-the-end-repeats-the-last-version',
    breaks: '4.4/at-the-end',
    says: 'The page that begins where the versions end shows the last one again.',
    rules: change('versions', ({ items }) => ({
      items: (all, page, call) =>
        page.page * page.perPage === page.total && page.perPage < 20 ? all.slice(-1) : items(all, page, call),
    })),
  },
  {
    name: 'page-overflows-at-32-bits',
    breaks: '4.4/far-beyond-the-end',
    says: 'page * per_page is counted in 32 bits, so that a huge page comes round to the first versions.',
    rules: slices((_items, { page, perPage }) => {
      const start = (page * perPage) >>> 0;
      return [start, start + perPage];
    }),
  },
  {
    name: 'page-overflows-to-a-negative-offset',
    breaks: '4.4/far-beyond-the-end',
    says: 'page * per_page is counted in 32 bits with a sign, and a negative offset is refused by the database with 500.',
    rules: change('versions', ({ items }) => ({
      items: (all, page, call) => {
        if (Math.imul(page.page, page.perPage) < 0) throw new Error('OFFSET must not be negative');
        return items(all, page, call);
      },
    })),
  },
  {
    name: 'page-cut-to-16-bits',
    breaks: '4.4/far-beyond-the-end',
    says: 'page is cut to 16 bits, so that 65536 is the first.',
    rules: counts('page', (page) => (page > 0xffff ? page & 0xffff : page)),
  },
  {
    name: 'page-beyond-ten-thousand-items-refused',
    breaks: '4.4/far-beyond-the-end',
    says: 'A page that begins beyond ten thousand versions is refused, as a search index does.',
    rules: refuses('page', (page) => typeof page === 'number' && page > 200),
  },
  {
    name: 'page-beyond-a-billion-refused',
    breaks: '4.4/far-beyond-the-end',
    says: 'A page of more than nine digits is refused.',
    rules: refuses('page', (page) => typeof page === 'number' && page > 999_999_999),
  },
];

function answers(changed: (answer: JsonObject, page: OffsetPage, call: Call) => JsonObject): Fault['rules'] {
  return change('versions', { answered: changed });
}

function reorders(condition: (page: OffsetPage) => boolean): Fault['rules'] {
  return change('versions', ({ items }) => ({
    items: (all, page, call) => {
      const found = items(all, page, call);
      return condition(page) ? found.toReversed() : found;
    },
  }));
}

function absent(name: string, usual: (call: Call) => number): Fault['rules'] {
  return change('parameters', ({ absent: given }) => ({
    absent: (parameter, call) => (parameter.name === name ? usual(call) : given(parameter, call)),
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

function isEmpty(answer: JsonObject): boolean {
  return Array.isArray(answer.versions) && answer.versions.length === 0;
}
