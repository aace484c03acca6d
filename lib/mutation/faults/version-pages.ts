import { versions } from '../builders/on.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const page = versions.integer('page');
const perPage = versions.integer('per_page');

/** Pages of an action's versions, and how page and per_page are read (sections 4.4 and 8, convention 1). */
export const versionPages: readonly Fault[] = faultsOf({
  '4.4/reads': fault('versions-partial-content', 'A listing is answered 206.').by(versions.status(206)),
  '4.4/answer-members': fault('versions-per-page-null', 'per_page in the response is null.').by(
    versions.body((body) => ({ ...body, per_page: null })),
  ),
  '4.4/total-right': fault('versions-total-of-the-page', 'total is the number of versions on the page.').by(
    versions.body((body, { perPage, total }) => ({ ...body, total: Math.min(perPage, total) })),
  ),
  '4.4/page-echoed': fault('versions-page-echoed-from-one', 'page in the response is one-indexed.').by(
    versions.body((body, { page }) => ({ ...body, page: page + 1 })),
  ),
  '4.4/per-page-echoed': fault(
    'versions-per-page-echoed-as-default',
    'per_page in the response is always 20.',
  ).by(versions.body((body) => ({ ...body, per_page: 20 }))),
  '4.4/per-page-limits': fault(
    'per-page-gives-one-more',
    'A page contains the version that was fetched ahead.',
  ).by(
    versions.items((_items, { page, perPage }, all) => all.slice(page * perPage, (page + 1) * perPage + 1)),
  ),
  '4.4/page-zero-indexed': [
    fault('page-from-one', 'page is one-indexed; 0 is read as 1.').by(
      versions.start(({ page, perPage }) => Math.max(0, page - 1) * perPage),
    ),
    fault('page-zero-empty', 'page is one-indexed; 0 shows nothing.').by(
      versions.start(({ page, perPage }) => (page - 1) * perPage),
    ),
  ],
  '4.4/pages-tile': [
    fault('pages-overlap-by-one', 'Each later page begins with the last version of the page before.').by(
      versions.start(({ page, perPage }) => page * perPage - (perPage < 50 && page > 0 ? 1 : 0)),
    ),
    fault('pages-lose-the-last-version', 'The last version of a short last page is lost.').by(
      versions.items((items, { perPage }) =>
        perPage < 50 && items.length > 1 && items.length < perPage ? items.slice(0, -1) : items,
      ),
    ),
  ],
  '4.4/beyond-the-end': fault(
    'beyond-the-end-repeats-the-last-page',
    'A page beyond the end is the last one.',
  ).by(
    versions.start(({ page, perPage, total }) => {
      const last = Math.max(0, Math.ceil(total / perPage) - 1);
      return (page * perPage > total && page < 10_000 ? last : page) * perPage;
    }),
  ),
  '4.4/far-beyond-the-end': fault(
    'page-overflows-at-32-bits',
    'page * per_page overflows at 32 bits, to the first versions.',
  ).by(versions.start(({ page, perPage }) => (page * perPage) >>> 0)),
  '4.4/any-count': fault('versions-last-full-page-lost', 'A full last page is empty.').by(
    versions.items((items, { page, perPage, total }) =>
      perPage === 20 && total === (page + 1) * perPage ? [] : items,
    ),
  ),
  '4.4/page-integer': fault('page-by-parse-int', 'What follows the digits of page is ignored.').by(
    page.parses((text) => Number.parseInt(text, 10)),
  ),
  '4.4/per-page-integer': fault(
    'per-page-by-parse-int',
    'What follows the digits of per_page is ignored.',
  ).by(perPage.parses((text) => Number.parseInt(text, 10))),
  '4.4/per-page-zero': fault('per-page-zero-is-the-default', 'A per_page of 0 is read as the default.').by(
    perPage.coerces((size) => (size === 0 ? 20 : size)),
  ),
  '4.4/per-page-negative': fault('per-page-negative-is-its-absolute', 'The sign of per_page is ignored.').by(
    perPage.coerces(Math.abs),
  ),
  '4.4/per-page-above-maximum': fault('per-page-51-served', 'A per_page of 51 is served.').by(
    perPage.ignoresMaximum((size) => size === 51),
  ),
  '4.4/per-page-accepted': fault(
    'per-page-maximum-exclusive',
    'A per_page of exactly the maximum is rejected.',
  ).by(versions.after('paging.maximum', (maximum) => maximum - 1)),
  '4.4/per-page-default': fault('per-page-default-50', 'The default per_page is 50.').by(
    perPage.defaultsTo(50),
  ),
  '4.4/page-default': fault('page-default-one', 'The default page is 1.').by(page.defaultsTo(1)),
  '4.4/page-empty': fault('page-empty-is-the-first', 'An empty page is read as absent.').by(
    versions.replace('parameters.empty', () => 'absent' as const),
  ),
});
