import { refuse } from '../../fake/call.ts';
import { versions } from '../builders/on.ts';
import { hasQuery } from '../builders/predicates.ts';
import { fail } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

/** Pages of an action's versions (sections 4.4 and 8, convention 1). */
export const versionPages: readonly Fault[] = [
  ...faultsOf('4.4/reads', [
    fault('versions-partial-content', 'A listing without parameters is answered 206.').by(
      versions.status(206, (_response, call) => call.query?.length === 0),
    ),
  ]),
  ...faultsOf('4.4/answer-members', [
    fault('versions-per-page-null-by-default', 'per_page is null without a per_page in the query.').by(
      versions.body((body, _page, call) => (hasQuery('per_page')(call) ? body : { ...body, per_page: null })),
    ),
  ]),
  ...faultsOf('4.4/total-right', [
    fault('versions-total-of-the-page', 'total is the number of versions on the page.').by(
      versions.body((body, { perPage, total }) => ({ ...body, total: Math.min(perPage, total) })),
    ),
  ]),
  ...faultsOf('4.4/page-echoed', [
    fault('versions-page-echoed-from-one', 'page in the response is one-indexed.').by(
      versions.body((body, { page }) => ({ ...body, page: page + 1 })),
    ),
  ]),
  ...faultsOf('4.4/per-page-echoed', [
    fault('versions-per-page-echoed-as-default', 'per_page in the response is always 20.').by(
      versions.body((body) => ({ ...body, per_page: 20 })),
    ),
  ]),
  ...faultsOf('4.4/per-page-limits', [
    fault('per-page-gives-one-more', 'A page contains the version that was fetched ahead.').by(
      versions.range(({ page, perPage }) => [page * perPage, (page + 1) * perPage + 1]),
    ),
    fault('per-page-ignored-after-the-first-page', 'The second page contains all the rest.').by(
      versions.items((items, { page, perPage }, all) =>
        page === 0 ? items : page === 1 ? all.slice(perPage) : [],
      ),
    ),
  ]),
  ...faultsOf('4.4/page-zero-indexed', [
    fault('page-from-one', 'page is one-indexed; 0 is read as 1.').by(
      versions.range(({ page, perPage }) => [Math.max(0, page - 1) * perPage, Math.max(1, page) * perPage]),
    ),
    fault('page-zero-empty', 'page is one-indexed; 0 shows nothing.').by(
      versions.range(({ page, perPage }) => [Math.max(0, page - 1) * perPage, page * perPage]),
    ),
  ]),
  ...faultsOf('4.4/pages-tile', [
    fault('pages-overlap-by-one', 'Each later page begins with the last version of the page before.').by(
      versions.start(({ page, perPage }) => page * perPage - (perPage < 50 && page > 0 ? 1 : 0)),
    ),
    fault('pages-lose-the-last-version', 'The last version of a short last page is lost.').by(
      versions.items((items, { perPage }) =>
        perPage < 50 && items.length > 1 && items.length < perPage ? items.slice(0, -1) : items,
      ),
    ),
  ]),
  ...faultsOf('4.4/order', [
    fault('pages-sorted-each-by-itself', 'Each page is sorted by number after it was cut.').by(
      versions.items((items, { perPage }) => (perPage > 20 && perPage < 50 ? items.toReversed() : items)),
    ),
  ]),
  ...faultsOf('4.4/beyond-the-end', [
    fault('beyond-the-end-repeats-the-last-page', 'A page beyond the end is the last one.').by(
      versions.start(({ page, perPage, total }) => {
        const last = Math.max(0, Math.ceil(total / perPage) - 1);
        return (page * perPage > total && page < 10_000 ? last : page) * perPage;
      }),
    ),
  ]),
  ...faultsOf('4.4/at-the-end', [
    fault('at-the-end-is-404', 'The page that begins where the versions end is answered 404.').by(
      versions.items((items, { page, perPage, total }) =>
        page > 0 && page * perPage === total ? refuse(404, 'no_page', 'There is no such page') : items,
      ),
    ),
  ]),
  ...faultsOf('4.4/far-beyond-the-end', [
    fault('page-overflows-at-32-bits', 'page * per_page overflows at 32 bits, to the first versions.').by(
      versions.start(({ page, perPage }) => (page * perPage) >>> 0),
    ),
    fault('page-overflows-to-a-negative-offset', 'page * per_page overflows to a negative offset.').by(
      versions.items((items, { page, perPage }) => {
        if (Math.imul(page, perPage) < 0) fail();
        return items;
      }),
    ),
  ]),
  ...faultsOf('4.4/any-count', [
    fault('versions-last-full-page-lost', 'A full last page is empty.').by(
      versions.items((items, { page, perPage, total }) =>
        perPage === 20 && total === (page + 1) * perPage ? [] : items,
      ),
    ),
  ]),
];

const page = versions.integer('page');
const perPage = versions.integer('per_page');

/** How page and per_page are read (section 4.4). */
export const versionParameters: readonly Fault[] = [
  ...faultsOf('4.4/page-integer', [
    fault('page-by-parse-int', 'What follows the digits of page is ignored.').by(
      page.parses((text) => Number.parseInt(text, 10)),
    ),
  ]),
  ...faultsOf('4.4/per-page-integer', [
    fault('per-page-by-parse-int', 'What follows the digits of per_page is ignored.').by(
      perPage.parses((text) => Number.parseInt(text, 10)),
    ),
  ]),
  ...faultsOf('4.4/page-negative', [
    fault('page-negative-is-the-first', 'A negative page is read as 0.').by(
      page.coerces((number) => Math.max(0, number)),
    ),
  ]),
  ...faultsOf('4.4/per-page-zero', [
    fault('per-page-zero-is-the-default', 'A per_page of 0 is read as the default.').by(
      perPage.coerces((size) => (size === 0 ? 20 : size)),
    ),
  ]),
  ...faultsOf('4.4/per-page-negative', [
    fault('per-page-negative-is-its-absolute', 'The sign of per_page is ignored.').by(
      perPage.coerces(Math.abs),
    ),
  ]),
  ...faultsOf('4.4/per-page-above-maximum', [
    fault('per-page-51-served', 'A per_page of 51 is served.').by(
      perPage.ignoresMaximum((size) => size === 51),
    ),
    fault('per-page-unbounded-beside-page', 'With page, per_page has no maximum.').by(
      versions
        .when(({ query }) => query?.some(([name]) => name === 'page') === true)
        .integer('per_page')
        .ignoresMaximum(),
    ),
  ]),
  ...faultsOf('4.4/per-page-accepted', [
    fault('per-page-maximum-exclusive', 'A per_page of exactly the maximum is rejected.').by(
      versions.after('paging.maximum', (maximum) => maximum - 1),
    ),
  ]),
  ...faultsOf('4.4/per-page-default', [
    fault('per-page-default-50-after-the-first-page', 'From the second page on the default is 50.').by(
      versions
        .when(({ query }) => query?.some(([name, value]) => name === 'page' && value !== '0') ?? false)
        .integer('per_page')
        .defaultsTo(50),
    ),
  ]),
  ...faultsOf('4.4/page-default', [
    fault('page-default-one', 'The default page is 1.').by(page.defaultsTo(1)),
  ]),
  ...faultsOf('4.4/page-empty', [
    fault('page-empty-is-the-first', 'An empty page is read as absent.').by(page.acceptsEmpty()),
    fault('per-page-empty-is-the-default', 'An empty per_page is read as absent.').by(perPage.acceptsEmpty()),
  ]),
];
