import { versions } from '../builders/on.ts';
import { type Fault, faultsOf } from '../fault.ts';

const page = versions.integer('page');
const perPage = versions.integer('per_page');

/** Pages of an action's versions, and how page and per_page are read (sections 4.4 and 8, convention 1). */
export const versionPages: readonly Fault[] = faultsOf({
  '4.4/reads': { 'versions-partial-content': versions.status(206) },
  '4.4/answer-members': { 'versions-per-page-null': versions.body((body) => ({ ...body, per_page: null })) },
  '4.4/total-right': {
    'versions-total-of-the-page': versions.body((body, { perPage, total }) => ({
      ...body,
      total: Math.min(perPage, total),
    })),
  },
  '4.4/page-echoed': {
    'versions-page-echoed-from-one': versions.body((body, { page }) => ({ ...body, page: page + 1 })),
  },
  '4.4/per-page-echoed': {
    'versions-per-page-echoed-as-default': versions.body((body) => ({ ...body, per_page: 20 })),
  },
  '4.4/per-page-limits': {
    'per-page-gives-one-more': versions.items((_items, { page, perPage }, all) =>
      all.slice(page * perPage, (page + 1) * perPage + 1),
    ),
  },
  '4.4/page-zero-indexed': {
    'page-from-one': versions.start(({ page, perPage }) => Math.max(0, page - 1) * perPage),
    'page-zero-empty': versions.start(({ page, perPage }) => (page - 1) * perPage),
  },
  '4.4/pages-tile': {
    'pages-overlap-by-one': versions.start(
      ({ page, perPage }) => page * perPage - (perPage < 50 && page > 0 ? 1 : 0),
    ),
    'pages-lose-the-last-version': versions.items((items, { perPage }) =>
      perPage < 50 && items.length > 1 && items.length < perPage ? items.slice(0, -1) : items,
    ),
  },
  '4.4/beyond-the-end': {
    'beyond-the-end-repeats-the-last-page': versions.start(({ page, perPage, total }) => {
      const last = Math.max(0, Math.ceil(total / perPage) - 1);
      return (page * perPage > total && page < 10_000 ? last : page) * perPage;
    }),
  },
  '4.4/far-beyond-the-end': {
    'page-overflows-at-32-bits': versions.start(({ page, perPage }) => (page * perPage) >>> 0),
  },
  '4.4/any-count': {
    'versions-last-full-page-lost': versions.items((items, { page, perPage, total }) =>
      perPage === 20 && total === (page + 1) * perPage ? [] : items,
    ),
  },
  '4.4/page-integer': { 'page-by-parse-int': page.parses((text) => Number.parseInt(text, 10)) },
  '4.4/per-page-integer': { 'per-page-by-parse-int': perPage.parses((text) => Number.parseInt(text, 10)) },
  '4.4/per-page-zero': {
    'per-page-zero-is-the-default': perPage.coerces((size) => (size === 0 ? 20 : size)),
  },
  '4.4/per-page-negative': { 'per-page-negative-is-its-absolute': perPage.coerces(Math.abs) },
  '4.4/per-page-above-maximum': { 'per-page-51-served': perPage.ignoresMaximum((size) => size === 51) },
  '4.4/per-page-accepted': {
    'per-page-maximum-exclusive': versions.after('paging.maximum', (maximum) => maximum - 1),
  },
  '4.4/per-page-default': { 'per-page-default-50': perPage.defaultsTo(50) },
  '4.4/page-default': { 'page-default-one': page.defaultsTo(1) },
  '4.4/page-empty': {
    'page-empty-is-the-first': versions.replace('parameters.empty', () => 'absent' as const),
  },
});
