import { isObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import { createListing, type Listing } from '../../fake/listing.ts';
import { override, type RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';

const experiments = 'listExperiments';

/** The text of a field that listings are sorted by. */
function text<T>(listing: Listing<T>, item: T, field: string): string {
  return String(listing.field(item, field) ?? '');
}

/** Another total order of the experiments; equal ones stay as they were. */
function ordered(compare: (field: (name: string) => string, other: (name: string) => string) => number) {
  const rules: RulesOverride = (given) =>
    override(given, 'experiments', ({ listed }) => ({
      listed(listing, call) {
        const usual = listed(listing, call);
        const items = usual.items.toSorted((one, other) =>
          compare(
            (name) => text(usual, one, name),
            (name) => text(usual, other, name),
          ),
        );
        return createListing(items, usual.field);
      },
    }));
  return rules;
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Spreads texts without any order that shows (FNV-1a). */
function spread(value: string): number {
  let state = 0x811c9dc5;
  for (const character of value) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return state >>> 0;
}

const asksFor = (call: Call, ...names: readonly string[]): boolean =>
  call.query?.some(([name]) => names.includes(name)) ?? false;

/** Orders of the experiments' listing (sections 4.2 and 8: not shown). */
export const orders: readonly Variant[] = [
  {
    name: 'newest-first',
    says: 'Experiments are listed by their creation, the newest first.',
    rules: ordered((one, other) => byText(other('created_at'), one('created_at'))),
  },
  {
    name: 'by-name',
    says: 'Experiments are listed by name, as a collation sorts them.',
    rules: ordered((one, other) => one('name').localeCompare(other('name'), 'de')),
  },
  {
    name: 'no-order-that-shows',
    says: 'Experiments are listed in an order that follows from nothing, always the same.',
    rules: ordered((one, other) => spread(one('id')) - spread(other('id'))),
  },
  {
    name: 'filters-have-orders-of-their-own',
    says: 'A filtered listing is sorted the other way round.',
    rules: (rules) =>
      override(rules, 'experiments', ({ listed }) => ({
        listed(listing, call) {
          const usual = listed(listing, call);
          const filtered = asksFor(call, 'status', 'authentication_flow', 'feature_flag_id');
          return filtered ? createListing(usual.items.toReversed(), usual.field) : usual;
        },
      })),
  },
  {
    name: 'archived-hidden',
    says: 'Archived experiments are listed only where that status is asked for.',
    rules: (rules) =>
      override(rules, 'experiments', ({ listed }) => ({
        listed(listing, call) {
          const usual = listed(listing, call);
          if (call.operation?.id !== experiments || asksFor(call, 'status')) return usual;
          const shown = usual.items.filter((item) => usual.field(item, 'status') !== 'archived');
          return createListing(shown, usual.field);
        },
      })),
  },
  {
    name: 'versions-newest-first',
    says: 'Versions are listed from the newest to the oldest.',
    rules: (rules) =>
      override(rules, 'versions', ({ listed }) => ({
        listed: (action, tenant, call) => listed(action, tenant, call).toReversed(),
      })),
  },
];

/** Pages (section 8). */
export const pages: readonly Variant[] = [
  {
    name: 'filtered-pages-half-full',
    says: 'Under a filter pages hold half as many experiments as were asked for.',
    rules: (rules) =>
      override(rules, 'paging', ({ size }) => ({
        size(asked, pagination, call) {
          const usual = size(asked, pagination, call);
          const filtered = asksFor(call, 'status', 'authentication_flow', 'feature_flag_id');
          return filtered ? Math.ceil(usual / 2) : usual;
        },
      })),
  },
  {
    name: 'filter-behind-the-scan',
    says: 'Under a filter a page shows what matches among the next experiments of the table, which may be none.',
    rules(rules) {
      const window = 10;
      const scanned = (page: { filters: object; from: { position: number } | undefined; take: number }) =>
        Object.keys(page.filters).length === 0
          ? undefined
          : (page.from?.position ?? 0) + Math.max(window, page.take);
      return override(rules, 'experiments', (usual) => ({
        items(items, page, call) {
          const end = scanned(page);
          const found = usual.items(items, page, call);
          return end === undefined ? found : found.slice(0, page.positions.indexFrom(end) - page.first);
        },
        next(page, call) {
          const end = scanned(page);
          if (end === undefined) return usual.next(page, call);
          // The page may hold as many matches as were asked for before the scan has come to its end.
          const full = page.positions.indexFrom(end) > page.end;
          if (full) return page.nextPosition;
          return end < page.all.length ? end : undefined;
        },
      }));
    },
  },
  {
    name: 'next-null-at-the-end',
    says: 'next is null on the last page.',
    warns: ['8/checkpoint-next-absent', '2/no-null'],
    rules: (rules) =>
      override(rules, 'experiments', ({ answered }) => ({
        answered: (answer, page, call) => ({ next: null, ...answered(answer, page, call) }),
      })),
  },
  {
    name: 'next-empty-at-the-end',
    says: 'next is an empty text on the last page.',
    warns: ['8/checkpoint-next-absent'],
    rules: (rules) =>
      override(rules, 'experiments', ({ answered }) => ({
        answered: (answer, page, call) => ({ next: '', ...answered(answer, page, call) }),
      })),
  },
  {
    name: 'next-to-an-empty-page',
    says: 'A full page always carries next, even if the page that follows is empty.',
    warns: ['8/checkpoint-next-absent'],
    rules: (rules) =>
      override(rules, 'experiments', ({ next }) => ({
        next: (page, call) =>
          next(page, call) ?? (page.end - page.first === page.take ? page.all.length : undefined),
      })),
  },
  {
    name: 'pages-not-full',
    says: 'Pages hold one experiment less than was asked for, where that was more than one.',
    warns: ['4.2/take-full-pages'],
    rules: (rules) =>
      override(rules, 'paging', ({ size }) => ({
        size(asked, pagination, call) {
          const usual = size(asked, pagination, call);
          return pagination.kind === 'checkpoint' && usual > 1 ? usual - 1 : usual;
        },
      })),
  },
  {
    name: 'per-page-clamped',
    says: 'A per_page above the maximum is taken for the maximum.',
    rules: (rules) =>
      override(rules, 'parameters', ({ value }) => ({
        value(given, parameter, call) {
          const usual = value(given, parameter, call);
          const { pagination } = call.operation ?? {};
          if (parameter.name !== 'per_page' || pagination === undefined) return usual;
          return Math.min(Number(usual), rules.paging.maximum(pagination, call));
        },
      })),
  },
  {
    name: 'per-page-clamped-and-echoed',
    says: 'A per_page above the maximum gives a page of the maximum, and stands in the answer as it was asked for.',
    rules: (rules) =>
      override(override(rules, 'paging', { maximum: () => Number.MAX_SAFE_INTEGER }), 'versions', () => ({
        items: (items, { page, perPage }) => {
          const size = Math.min(perPage, 50);
          return items.slice(page * size, (page + 1) * size);
        },
      })),
  },
  {
    name: 'per-page-zero-empty',
    says: 'A per_page of 0 is answered with no versions.',
    rules: (rules) =>
      override(rules, 'paging', ({ minimum }) => ({
        minimum: (pagination, call) => (pagination.kind === 'offset' ? 0 : minimum(pagination, call)),
      })),
  },
  {
    name: 'negative-is-first',
    says: 'A negative page is the first one, and a page size below 1 the default.',
    warns: ['4.4/page-negative', '4.4/per-page-negative', '4.4/per-page-zero'],
    rules: (rules) =>
      override(rules, 'parameters', ({ value }) => ({
        value(given, parameter, call) {
          const usual = value(given, parameter, call);
          if (parameter.name === 'page') return typeof usual === 'number' ? Math.max(0, usual) : usual;
          return parameter.name === 'per_page' && Number(usual) < 1 ? 20 : usual;
        },
      })),
  },
  {
    name: 'page-at-the-end-refused',
    says: 'A page that begins exactly where the versions end is refused.',
    warns: ['4.4/at-the-end'],
    rules: (rules) =>
      override(rules, 'answers', ({ answer }) => ({
        answer(given, call) {
          const usual = answer(given, call);
          const page = pageOf(usual.body);
          const atEnd = page !== undefined && page.page > 0 && page.page * page.per_page === page.total;
          if (call.operation?.id !== 'listActionVersions' || !atEnd) return usual;
          return { status: 404, headers: [], body: { message: 'There is no such page' } };
        },
      })),
  },
  {
    name: 'total-of-the-page',
    says: 'total is the number of versions on the page.',
    warns: ['4.4/total-right'],
    rules: (rules) =>
      override(rules, 'versions', {
        answered: (answer) => ({
          ...answer,
          total: Array.isArray(answer.versions) ? answer.versions.length : 0,
        }),
      }),
  },
  {
    name: 'page-counted-from-one-in-the-answer',
    says: 'page in the answer counts from 1.',
    warns: ['4.4/page-echoed'],
    rules: (rules) =>
      override(rules, 'versions', {
        answered: (answer) => ({ ...answer, page: Number(answer.page) + 1 }),
      }),
  },
  {
    name: 'per-page-of-the-page',
    says: 'per_page in the answer is the number of versions on the page.',
    warns: ['4.4/per-page-echoed'],
    rules: (rules) =>
      override(rules, 'versions', {
        answered: (answer) => ({
          ...answer,
          per_page: Array.isArray(answer.versions) ? answer.versions.length : 0,
        }),
      }),
  },
];

/** Where an answer stands among the pages, if it says so. */
function pageOf(body: unknown): { page: number; per_page: number; total: number } | undefined {
  if (!isObject(body)) return undefined;
  const { page, per_page, total } = body;
  return typeof page === 'number' && typeof per_page === 'number' && typeof total === 'number'
    ? { page, per_page, total }
    : undefined;
}
