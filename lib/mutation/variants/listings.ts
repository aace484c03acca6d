import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import { indexFrom } from '../../fake/pages.ts';
import type { CheckpointPage, RulesOverride } from '../../fake/rules.ts';
import type { Listing } from '../../fake/tenant.ts';
import { versions } from '../builders/on.ts';
import { hasQuery, isFiltered } from '../builders/predicates.ts';
import { after, before, compose } from '../rule-overrides.ts';
import { variants } from './variant.ts';

/** Changes the items that experiments are listed from. */
const listed = (transform: (listing: Listing<unknown>, call: Call) => readonly unknown[]): RulesOverride =>
  after('experiments.listed', (listing, _items, call) => ({ ...listing, items: transform(listing, call) }));

/** Position at which the scan for a page ends, which takes at least ten experiments; undefined without a filter. */
const scanEnd = ({ filters, from, take }: CheckpointPage): number | undefined =>
  Object.keys(filters).length === 0 ? undefined : (from?.position ?? 0) + Math.max(10, take);

const scans = compose(
  after('experiments.items', (items, _items, page) => {
    const end = scanEnd(page);
    return end === undefined ? items : items.slice(0, indexFrom(page.positions, end) - page.first);
  }),
  after('experiments.next', (next, page) => {
    const end = scanEnd(page);
    if (end === undefined) return next;
    // The page may have as many matches as were asked for before the scan has come to its end.
    if (indexFrom(page.positions, end) > page.end) return page.nextPosition;
    return end < page.all.length ? end : undefined;
  }),
);

/** True for the page that begins exactly where the versions end. */
const isAtEnd = ({ page, per_page, total }: JsonObject): boolean =>
  Number(page) > 0 && Number(page) * Number(per_page) === Number(total);

/** Orders and pages of the listings. */
export const listingVariants = variants({
  // Orders of the listings (sections 4.2, 4.4 and 8: not shown).
  'no-order-that-shows': [
    'Experiments are listed in an arbitrary, stable order.',
    listed(({ items, field }) => {
      const backwards = (item: unknown) => [...String(field(item, 'id'))].toReversed().join('');
      return items.toSorted((a, b) => (backwards(a) < backwards(b) ? -1 : 1));
    }),
  ],
  'filters-have-orders-of-their-own': [
    'A filtered listing is in reverse order.',
    listed(({ items }, call) => (isFiltered(call) ? items.toReversed() : items)),
  ],
  'archived-hidden': [
    'Archived experiments are listed only where that status is asked for.',
    listed(({ items, field }, call) =>
      call.operation?.id !== 'listExperiments' || hasQuery('status')(call)
        ? items
        : items.filter((item) => field(item, 'status') !== 'archived'),
    ),
  ],
  'versions-newest-first': [
    'Versions are listed from the newest to the oldest.',
    after('versions.listed', (versions) => versions.toReversed()),
  ],
  // Pages of experiments (sections 4.2 and 8, convention 2).
  'filter-behind-the-scan': [
    'With a filter a page shows matches among the next experiments, maybe none.',
    scans,
  ],
  'next-null-at-the-end': [
    'next is null on the last page.',
    after('experiments.answered', (answer) => ({ next: null, ...answer })),
    { warns: ['8/checkpoint-next-absent', '2/no-null'] },
  ],
  'next-empty-at-the-end': [
    'next is an empty string on the last page.',
    after('experiments.answered', (answer) => ({ next: '', ...answer })),
    { warns: ['8/checkpoint-next-absent'] },
  ],
  'next-to-an-empty-page': [
    'A full page always carries next, even if the page after it is empty.',
    after(
      'experiments.next',
      (next, { end, first, take, all }) => next ?? (end - first === take ? all.length : undefined),
    ),
    { warns: ['8/checkpoint-next-absent'] },
  ],
  'pages-not-full': [
    'Pages contain one experiment less than was asked for, where that was more than one.',
    after('paging.size', (size, _requested, { kind }) =>
      kind === 'checkpoint' && size > 1 ? size - 1 : size,
    ),
    { warns: ['4.2/take-full-pages'] },
  ],
  // Pages of versions (sections 4.4 and 8, convention 1).
  'per-page-clamped': [
    'A per_page above the maximum is replaced with the maximum.',
    versions.integer('per_page').coerces((size) => Math.min(size, 50)),
  ],
  'per-page-zero-empty': [
    'A per_page of 0 is answered with no versions.',
    versions.integer('per_page').accepts((size) => size === 0),
  ],
  'negative-is-first': [
    'A negative page is the first one, and a page size below 1 the default.',
    after('parameters.value', (value, _sent, { name }) => {
      if (name === 'page') return typeof value === 'number' ? Math.max(0, value) : value;
      return name === 'per_page' && Number(value) < 1 ? 20 : value;
    }),
    { warns: ['4.4/page-negative', '4.4/per-page-negative', '4.4/per-page-zero'] },
  ],
  'page-at-the-end-refused': [
    'A page that begins exactly where the versions end is refused.',
    after('responses.response', (answer, _response, { operation }) =>
      operation?.id === 'listActionVersions' && isObject(answer.body) && isAtEnd(answer.body)
        ? { status: 404, headers: [], body: { message: 'There is no such page' } }
        : answer,
    ),
    { warns: ['4.4/at-the-end'] },
  ],
  'page-described-otherwise': [
    'total and per_page count the versions on the page, and page counts from 1.',
    before('versions.answered', (answer) => {
      const count = Array.isArray(answer.versions) ? answer.versions.length : 0;
      return { ...answer, total: count, per_page: count, page: Number(answer.page) + 1 };
    }),
    { warns: ['4.4/total-right', '4.4/page-echoed', '4.4/per-page-echoed'] },
  ],
});
