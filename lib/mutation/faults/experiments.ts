import { isObject } from '../../contract/json.ts';
import { type Call, type FakeResponse, refuse } from '../../fake/call.ts';
import type { CheckpointPage } from '../../fake/pages.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import { experiments, stateful } from '../builders/on.ts';
import { claimsOf, isEntry, isFiltered, isLaterPage, isLong, query } from '../builders/predicates.ts';
import { epoch, fail, toLowerCase, toNfc, zoneless } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

const take = experiments.integer('take');
const isEmptyPage = ({ body }: FakeResponse) => JSON.stringify(body).startsWith('{"experiments":[]');
const unfiltered = experiments.when((call) => !isFiltered(call));
const withFlow = experiments.when((call) => query(call, 'authentication_flow') !== undefined);
const status = experiments.param('status');
const statusMatches = (matches: Parameters<typeof experiments.filter>[1]) =>
  experiments.filter('status', matches);

/** Later pages have the size of the page with their checkpoint, whatever `take` says. */
/** The checkpoint contains the page size of the request that it was issued to, which is used if the condition is met. */
const takeOfFirstPage = (condition: (call: Call) => boolean = () => true): RulesOverride =>
  stateful(() => {
    const sizes = new Map<string, number>();
    return compose(
      experiments.observe('experiments.responseBody', ({ next }, _given, { take }) => {
        if (typeof next === 'string') sizes.set(next, take);
      }),
      experiments.after('paging.size', (size, _sent, _pagination, call) =>
        condition(call) ? (sizes.get(query(call, 'from') ?? '') ?? size) : size,
      ),
    );
  });

const flowMatches = (matches: (wanted: string, found: string) => boolean) =>
  experiments.filter(
    'authentication_flow',
    (wanted, found) => typeof found === 'string' && matches(wanted, found),
  );
/** A filter to which experiments without the field correspond too. */
const missingPasses = (field: string) =>
  experiments.filter(field, (wanted, found) => found === undefined || wanted === found);
/** A filter that loses archived experiments, which the unfiltered listing has. */
const archivedLost = (field: string) =>
  experiments
    .when((call) => query(call, 'status') === undefined)
    .filter(field, (wanted, found, { status }) => wanted === found && status !== 'archived');

/** The list of experiments (sections 2.2, 4.2 and 8, convention 2). */
export const experimentFaults: readonly Fault[] = faultsOf({
  // Page sizes.
  '4.2/reads': {
    'take-is-required': experiments.after('parameters.absent', (usual, { name }) =>
      name === 'take' ? refuse(400, 'invalid_query_string', 'take is missing') : usual,
    ),
    'error-without-parameters': experiments.when((call) => (call.query ?? []).length === 0).status(500),
  },
  '9/answer-status': { 'experiments-partial-content': experiments.status(206) },
  '4.2/answer-members': {
    'experiments-empty-is-object': experiments.before('experiments.responseBody', (body, page) =>
      page.positions.length === 0 ? { ...body, experiments: {} } : body,
    ),
  },
  '4.2/take-accepted': {
    'take-maximum-exclusive': experiments.after('paging.maximum', (maximum) => maximum - 1),
    'take-minimum-exclusive': take.rejects((value) => value === 1),
    'largest-page-without-a-filter-500': unfiltered.when((call) => query(call, 'take') === '50').status(500),
  },
  '4.2/take-limits': {
    'take-gives-one-more': experiments.after('paging.size', (size) => size + 1),
    'take-of-the-first-page': takeOfFirstPage(),
    'take-default-50-with-flow': withFlow.integer('take').defaultsTo(50),
  },
  '4.2/take-default': {
    'take-default-50': take.defaultsTo(50),
    'take-default-20-with-flow': withFlow.integer('take').defaultsTo(20),
  },
  '4.2/take-changed': {
    'take-absent-is-that-of-the-first-page': takeOfFirstPage((call) => query(call, 'take') === undefined),
  },
  '4.2/take-full-pages': {
    'take-above-25-is-25-with-a-filter': experiments
      .when(isFiltered)
      .after('paging.size', (size) => Math.min(size, 25)),
  },
  '4.2/take-maximum': { 'take-maximum-51': take.ignoresMaximum((value) => value === 51) },
  '4.2/take-minimum': {
    'take-zero-is-the-default': take.coerces((value) => value || 25),
    'take-negative-is-its-absolute': take.coerces(Math.abs),
  },
  '4.2/take-integer': {
    'take-fraction-cut': take.parses((text) =>
      /^\d+\.\d+$/.test(text) ? Math.trunc(Number(text)) : Number.NaN,
    ),
    'take-no-number-is-the-default': take.parses((text) => (Number.isNaN(Number(text)) ? 25 : Number.NaN)),
  },
  // Filters.
  '4.2/status-enum': {
    'status-case-insensitive': status.coerces(toLowerCase),
    'status-by-number': status.accepts((text) => /^\d$/.test(text)),
    'status-list-accepted': compose(
      status.accepts((text) => text.includes(',')),
      statusMatches((wanted, found) => wanted.split(',').includes(String(found))),
    ),
  },
  '4.2/status-accepted': {
    'status-archived-refused': status.rejects((text) => text === 'archived'),
    'error-for-paused-experiments': statusMatches((wanted, found) =>
      wanted === found && found === 'paused' ? fail() : wanted === found,
    ),
  },
  '4.2/status-filter-only': { 'status-ignored': statusMatches(() => true) },
  '4.2/status-disjoint': {
    'status-archived-lists-completed': statusMatches(
      (wanted, found) => wanted === found || (wanted === 'archived' && found === 'completed'),
    ),
  },
  '4.2/status-filter-all': {
    'status-filter-needs-updated-at': statusMatches(
      (wanted, found, { experiment }) => wanted === found && experiment.updated_at !== undefined,
    ),
    'status-filter-completed-needs-an-end': statusMatches(
      (wanted, found, { experiment }) =>
        wanted === found && (wanted !== 'completed' || experiment.ended_at !== undefined),
    ),
  },
  '4.2/status-within-unfiltered': {
    'unfiltered-without-drafts': unfiltered.after('experiments.listed', (listing) => ({
      ...listing,
      items: listing.items.filter((item) => listing.field(item, 'status') !== 'draft'),
    })),
  },
  '4.2/filter-nothing': {
    'unknown-flow-ignored-beside-status': experiments.after('experiments.filters', (filters) => {
      const { authentication_flow: flow, ...others } = filters;
      return filters.status !== undefined && flow === 'None' ? others : filters;
    }),
    'filter-without-match-is-404': experiments
      .when(({ target }) => /authentication_flow|feature_flag_id/.test(target))
      .status(404, isEmptyPage),
    'flag-filter-as-number': experiments.filter(
      'feature_flag_id',
      (wanted, found) => wanted === found || Number(wanted) === Number(found),
    ),
  },
  '4.2/flow-filter-only': { 'flow-filter-missing-field-passes': missingPasses('authentication_flow') },
  '4.2/flag-filter-only': { 'flag-filter-missing-field-passes': missingPasses('feature_flag_id') },
  '4.2/flow-filter-all': {
    'flow-filter-finds-no-slash': flowMatches((wanted, found) => wanted === found && !found.includes('/')),
    'flow-filter-loses-other-letters': flowMatches(
      (wanted, found) => wanted === found && /^[\x20-\x7e]*$/.test(wanted),
    ),
    'flow-filter-loses-archived': archivedLost('authentication_flow'),
  },
  '4.2/flag-filter-all': { 'flag-filter-loses-archived': archivedLost('feature_flag_id') },
  '4.2/flow-filter-exact': {
    'flow-filter-case-insensitive': flowMatches(
      (wanted, found) => wanted.toLowerCase() === found.toLowerCase(),
    ),
    'flow-filter-by-prefix': flowMatches((wanted, found) => found.startsWith(wanted)),
    'flow-filter-splits-lists': flowMatches((wanted, found) => wanted.split(',').includes(found)),
    'flow-filter-normalized': flowMatches((wanted, found) => toNfc(wanted) === toNfc(found)),
    'flow-filter-percent': flowMatches(
      (wanted, found) => wanted === found || (wanted.endsWith('%') && found.startsWith(wanted.slice(0, -1))),
    ),
  },
  '4.2/flag-filter-exact': {
    'flag-filter-of-the-snapshot': experiments.filter(
      'feature_flag_id',
      (wanted, found, { experiment: { feature_flag_snapshot: snapshot } }) =>
        wanted === found || (isObject(snapshot) && snapshot.id === wanted),
    ),
  },
  '4.2/filters-together': {
    'filters-last-of-three-ignored': experiments.replace('experiments.filters', (filters) =>
      Object.fromEntries(Object.entries(filters).slice(0, 2)),
    ),
    'status-of-three-filters-forgotten-on-later-pages': experiments
      .when(isLaterPage)
      .replace('experiments.filters', (filters) => {
        const { status: _, ...others } = filters;
        return Object.keys(others).length > 1 ? others : filters;
      }),
  },
  '4.2/filter-any-text': {
    'flow-filter-decodes-twice': flowMatches((wanted, found) => wanted === found && !/[%+]/.test(wanted)),
    'filter-with-a-quote-is-refused': experiments
      .param('feature_flag_id')
      .rejects((text) => text.includes("'")),
  },
  // Fields.
  '2.2/experiment-fields': {
    'experiment-is-valid-is-a-bit': experiments.field('is_valid', Number),
    'experiment-started-at-without-zone': experiments.field('started_at', zoneless),
  },
  '2.2/allocation-fields': {
    'allocation-weight-is-text': experiments.field('allocations[].weight', String),
  },
  '2.2/experiment-content': {
    'experiment-name-cut-at-255': experiments.field('name', (name) => String(name).slice(0, 255)),
    'experiment-ended-at-of-32-bits': experiments.field('ended_at', (time) =>
      epoch(time) < 2 ** 31 * 1000 ? time : new Date(epoch(time) - 2 ** 32 * 1000).toISOString(),
    ),
    'experiment-long-flag-cut': experiments.field('feature_flag_id', (id) => String(id).slice(0, 64)),
    'experiment-name-without-leading-zeros': experiments.field('name', (name) =>
      String(name).replace(/^0+/, ''),
    ),
    'experiment-name-without-double-blanks': experiments.field('name', (name) =>
      String(name).replace(/ +/g, ' '),
    ),
    'experiment-name-normalized': experiments.field('name', (name) => toNfc(String(name))),
    'experiment-weight-rounded': experiments.field('allocations[].weight', (weight) =>
      Math.round(Number(weight)),
    ),
  },
  '2.2/experiment-content-complete': {
    'is-valid-by-default': experiments.fieldDefault('is_valid', true),
    'experiment-empty-description-lost': experiments.field('description', (text) => text || undefined),
    'experiment-description-of-the-previous': experiments.after('experiments.items', (items) =>
      items.map((item, index) => ({ description: items[index - 1]?.description, ...item })),
    ),
  },
  '2.2/experiment-same-on-pages': {
    'experiment-stateful-on-first-pages-only': experiments
      .when(isLaterPage)
      .field('is_stateful', () => false),
  },
  // Following `next` through a listing.
  '8/checkpoint-walk-complete': {
    'walk-repeats-at-each-boundary': experiments
      .when(isLaterPage, (call) => query(call, 'take') !== '1')
      .after('experiments.start', (index) => Math.max(0, index - 1)),
    'walk-skips-equal-times': experiments.replace('experiments.next', (page) =>
      page.nextPosition && isLong(page) ? otherTime(page, page.nextPosition) : page.nextPosition,
    ),
    'walk-repeats-what-is-later-than-its-milliseconds': experiments.replace(
      'experiments.next',
      ({ all, positions, end, take, nextPosition }) => {
        const last = positions[end - 1];
        const isRepeated = take > 1 && last !== undefined && hasMicroseconds(all[last]);
        return isRepeated && nextPosition !== undefined ? last : nextPosition;
      },
    ),
    // Its checkpoints join the subject and the position by this sign.
    'walk-of-a-subject-with-a-bar-ends-early': experiments
      .when(({ headers }) => String(claimsOf(headers.authorization ?? '').sub).includes('|'))
      .replace('experiments.next', (page) => (isLong(page) ? undefined : page.nextPosition)),
    'walk-loses-the-last': experiments.before('experiments.items', (items, page) =>
      page.nextPosition === undefined && isLong(page) ? items.slice(0, -1) : items,
    ),
    'error-on-the-page-of-one-experiment': experiments.before('experiments.items', (items, page) =>
      isLong(page) && page.first <= 30 && page.end > 30 ? fail() : items,
    ),
  },
  '8/checkpoint-walk-ends': {
    'walk-starts-over-at-its-end': experiments.replace(
      'experiments.next',
      (page) => page.nextPosition ?? (isLong(page) ? 0 : undefined),
    ),
    'walk-of-empty-pages': experiments.replace(
      'experiments.next',
      (page) => page.nextPosition ?? page.all.length,
    ),
  },
  '8/checkpoint-next-present': {
    'next-missing-for-one-more': experiments.replace('experiments.next', (page) =>
      isLong(page) && page.positions.length - page.end === 1 ? undefined : page.nextPosition,
    ),
    'next-missing-with-take-1': experiments.replace('experiments.next', ({ take, nextPosition }) =>
      take === 1 ? undefined : nextPosition,
    ),
  },
  '4.2/walk-filtered': {
    'walk-loses-its-filter': experiments.when(isLaterPage).replace('experiments.filters', () => ({})),
    'walk-lower-cases-its-filter': experiments
      .when(isLaterPage)
      .filter('feature_flag_id', (wanted, found) => wanted.toLowerCase() === found),
  },
  '4.2/walk-edges': {
    'edge-empty-listing-is-404': unfiltered.status(404, isEmptyPage),
    'edge-single-experiment-lost': experiments.before('experiments.items', (items, page) =>
      page.all.length === 1 ? [] : items,
    ),
    'edge-two-full-pages-lose-the-second': experiments.replace('experiments.next', (page) =>
      page.all.length === 2 * page.take ? undefined : page.nextPosition,
    ),
  },
  '4.2/walk-any-data': {
    'flow-filter-takes-ss-for-sharp-s': flowMatches(
      (wanted, found) => wanted.replaceAll('ß', 'ss') === found.replaceAll('ß', 'ss'),
    ),
    'walk-flow-forgotten': experiments
      .when(isLaterPage)
      .replace('experiments.filters', ({ authentication_flow: flow, ...others }) =>
        others.status === undefined && flow !== undefined ? { ...others, authentication_flow: flow } : others,
      ),
    'walk-skips-the-same-id-in-another-case': experiments.replace(
      'experiments.next',
      ({ all, end, positions }) => {
        const last = idInLowerCase(all[positions[end - 1] ?? -1]);
        return positions.slice(end).find((position) => idInLowerCase(all[position]) !== last);
      },
    ),
  },
});

const idInLowerCase = (item: unknown): string | undefined =>
  isEntry(item) ? String(item.experiment.id).toLowerCase() : undefined;

/** True for an experiment that was created between two milliseconds. */
const hasMicroseconds = (item: unknown): boolean =>
  isEntry(item) && /\.\d{3}0*[1-9]\d*Z$/.test(String(item.experiment.created_at));

/** The first position from this one on whose experiment was created at another time than the one before this position. */
function otherTime({ all }: CheckpointPage, position: number): number | undefined {
  const times = all.map((each) => isEntry(each) && each.experiment.created_at);
  const found = times.findIndex((time, at) => at >= position && time !== times[position - 1]);
  return found < 0 ? undefined : found;
}
