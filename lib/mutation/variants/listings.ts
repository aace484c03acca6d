import { isObject, type JsonObject, mapValues } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import { type CheckpointPage, indexFrom } from '../../fake/pages.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Listing } from '../../fake/tenant.ts';
import { compose } from '../builders/builder.ts';
import { after, before, everywhere, versions } from '../builders/on.ts';
import { isFiltered, query } from '../builders/predicates.ts';
import { reversedMembers, variants } from './variant.ts';

/** Changes the items from which experiments are listed. */
const listed = (transform: (listing: Listing<unknown>, call: Call) => readonly unknown[]): RulesOverride =>
  after('experiments.listed', (listing, _items, call) => ({ ...listing, items: transform(listing, call) }));

/** The items, reversed in every second response. */
const turned = <T>(items: readonly T[], number: number): readonly T[] =>
  number % 2 === 0 ? items : items.toReversed();

/** True for the pages of every second walk: their checkpoints end with a dot. */
const isTurnedWalk = (call: Call): boolean => query(call, 'from')?.endsWith('.') ?? call.number % 2 === 0;

/** The position at which the scan for a page ends. It covers at least ten experiments; undefined without a filter. */
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
    // The page may be full before the scan ends.
    if (indexFrom(page.positions, end) > page.end) return page.nextPosition;
    return end < page.all.length ? end : undefined;
  }),
);

/** True for a first page with two filters that no expired checkpoint leads to. */
const isDoublyFiltered = ({ filters }: CheckpointPage, call: Call): boolean =>
  Object.keys(filters).length > 1 && query(call, 'from') === undefined;

/** True for the page that begins exactly where the versions end. */
const isAtEnd = ({ page, per_page, total }: JsonObject): boolean =>
  Number(page) > 0 && Number(page) * Number(per_page) === Number(total);

/** Orders and pages of the listings. */
export const listingVariants = variants({
  // Orders of the listings (sections 4.2, 4.4 and 8: not shown).
  'no-order-that-shows': listed(({ items, field }) => {
    const backwards = (item: unknown) => [...String(field(item, 'id'))].toReversed().join('');
    return items.toSorted((a, b) => (backwards(a) < backwards(b) ? -1 : 1));
  }),
  'filters-have-orders-of-their-own': listed(({ items }, call) =>
    isFiltered(call) ? items.toReversed() : items,
  ),
  'walks-have-orders-of-their-own': compose(
    listed(({ items }, call) => (isTurnedWalk(call) ? items.toReversed() : items)),
    after('checkpoints.shown', (shown, _encoded, call) => (isTurnedWalk(call) ? `${shown}.` : shown)),
    before('checkpoints.read', (text) => text.replace(/\.$/, '')),
  ),
  'pages-have-orders-of-their-own': compose(
    after('experiments.items', (items, _items, _page, { number }) => turned(items, number)),
    after('versions.items', (items, _items, _page, { number }) => turned(items, number)),
  ),
  'arrays-in-another-order-each-time': [
    everywhere.item((item, { number }) =>
      mapValues(item, (value) =>
        Array.isArray(value) ? turned(number % 2 === 0 ? value : value.map(reversedMembers), number) : value,
      ),
    ),
    '2.2/experiment-content-complete',
    '2.3/version-content-complete',
  ],
  'archived-hidden': listed(({ items, field }, call) =>
    call.operation?.id !== 'listExperiments' || query(call, 'status') !== undefined
      ? items
      : items.filter((item) => field(item, 'status') !== 'archived'),
  ),
  'versions-newest-first': after('versions.listed', (versions) => versions.toReversed()),
  // Pages of experiments (sections 4.2 and 8, convention 2).
  'filter-behind-the-scan': scans,
  'first-page-empty-with-two-filters': [
    compose(
      after('experiments.items', (items, _items, page, call) => (isDoublyFiltered(page, call) ? [] : items)),
      after('experiments.next', (next, page, call) =>
        isDoublyFiltered(page, call) ? page.positions[0] : next,
      ),
    ),
    '4.2/take-full-pages',
  ],
  'next-null-at-the-end': [
    after('experiments.responseBody', (answer) => ({ next: null, ...answer })),
    '8/checkpoint-next-absent',
    '2/no-null',
  ],
  'next-empty-at-the-end': [
    after('experiments.responseBody', (answer) => ({ next: '', ...answer })),
    '8/checkpoint-next-absent',
  ],
  'next-to-an-empty-page': [
    after(
      'experiments.next',
      (next, { end, first, take, all }) => next ?? (end - first === take ? all.length : undefined),
    ),
    '8/checkpoint-next-absent',
  ],
  'pages-not-full': [
    after('paging.size', (size, _requested, { kind }) =>
      kind === 'checkpoint' && size > 1 ? size - 1 : size,
    ),
    '4.2/take-full-pages',
  ],
  // Pages of versions (sections 4.4 and 8, convention 1).
  'per-page-clamped': versions.integer('per_page').coerces((size) => Math.min(size, 50)),
  'per-page-zero-empty': versions.integer('per_page').accepts((size) => size === 0),
  'page-at-the-end-refused': [
    after('responses.response', (answer, _response, { operation }) =>
      operation?.id === 'listActionVersions' && isObject(answer.body) && isAtEnd(answer.body)
        ? { status: 404, headers: [], body: { message: 'There is no such page' } }
        : answer,
    ),
    '4.4/at-the-end',
  ],
  'page-described-otherwise': [
    before('versions.responseBody', (answer) => {
      const count = Array.isArray(answer.versions) ? answer.versions.length : 0;
      return { ...answer, total: count, per_page: count, page: Number(answer.page) + 1 };
    }),
    '4.4/total-right',
    '4.4/page-echoed',
    '4.4/per-page-echoed',
  ],
});
