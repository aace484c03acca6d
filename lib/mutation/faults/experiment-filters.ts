import { experiments } from '../builders/on.ts';
import { filterCount, hasQuery } from '../builders/predicates.ts';
import { like, toLowerCase, withoutAccents } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';
import { compose } from '../rule-overrides.ts';

const status = experiments.param('status');
const statusMatches = (matches: Parameters<typeof experiments.filter>[1]) =>
  experiments.filter('status', matches);

/** Faults of a filter that accepts any text. */
function textFilterFaults(short: string, field: string): readonly Fault[] {
  const matches = (match: (wanted: string, found: string) => boolean) =>
    experiments.filter(field, (wanted, found) => typeof found === 'string' && match(wanted, found));
  return faultsOf({
    [`4.2/${short}-filter-only`]: {
      [`${short}-filter-missing-field-passes`]: experiments.filter(
        field,
        (wanted, found) => found === undefined || wanted === found,
      ),
    },
    [`4.2/${short}-filter-all`]: {
      [`${short}-filter-loses-other-letters`]: matches(
        (wanted, found) => wanted === found && /^[\x20-\x7e]*$/.test(wanted),
      ),
    },
    [`4.2/${short}-filter-exact`]: {
      [`${short}-filter-case-insensitive`]: matches(
        (wanted, found) => wanted.toLowerCase() === found.toLowerCase(),
      ),
      [`${short}-filter-by-prefix`]: matches((wanted, found) => found.startsWith(wanted)),
      [`${short}-filter-by-like`]: matches((wanted, found) => like(wanted).test(found)),
      [`${short}-filter-splits-lists`]: matches((wanted, found) => wanted.split(',').includes(found)),
    },
    '4.2/filter-any-text': {
      [`${short}-filter-decodes-twice`]: matches((wanted, found) => wanted === found && !/[%+]/.test(wanted)),
      [`${short}-filter-accent-insensitive`]: matches(
        (wanted, found) => withoutAccents(wanted) === withoutAccents(found),
      ),
    },
  });
}

/** The filters of the experiments (section 4.2). */
export const experimentFilters: readonly Fault[] = [
  ...textFilterFaults('flow', 'authentication_flow'),
  ...textFilterFaults('flag', 'feature_flag_id'),
  ...faultsOf({
    '4.2/status-enum': {
      'status-case-insensitive': status.coerces(toLowerCase),
      'status-list-accepted': compose(
        status.accepts((text) => text.includes(',')),
        statusMatches((wanted, found) => wanted.split(',').includes(String(found))),
      ),
    },
    '4.2/status-accepted': { 'status-archived-refused': status.rejects((text) => text === 'archived') },
    '4.2/status-filter-only': { 'status-ignored': statusMatches(() => true) },
    '4.2/status-disjoint': {
      'status-archived-lists-completed': statusMatches(
        (wanted, found) => wanted === found || (wanted === 'archived' && found === 'completed'),
      ),
    },
    '4.2/status-filter-all': {
      'status-filter-joins-what-may-lack': statusMatches(
        (wanted, found, { experiment }) => wanted === found && experiment.updated_at !== undefined,
      ),
    },
    '4.2/status-within-unfiltered': {
      'unfiltered-without-drafts': compose(
        experiments.filters((filters, call) => (filterCount(call) === 0 ? { published: 'yes' } : filters)),
        experiments.filter('published', (_wanted, _found, entry) => entry.status !== 'draft'),
      ),
    },
    '4.2/filter-nothing': {
      'filter-without-match-is-404': compose(
        ...['authentication_flow', 'feature_flag_id'].map((name) =>
          experiments
            .when(hasQuery(name))
            .status(404, ({ body }) => JSON.stringify(body).startsWith('{"experiments":[]')),
        ),
      ),
    },
    '4.2/filters-together': {
      'filters-last-of-three-ignored': experiments.filters((filters) =>
        Object.fromEntries(Object.entries(filters).slice(0, 2)),
      ),
    },
    '4.2/filter-any-text': {
      'filter-with-a-quote-is-refused': experiments
        .param('feature_flag_id')
        .rejects((text) => text.includes("'")),
    },
  }),
];
