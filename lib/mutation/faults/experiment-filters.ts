import { experiments } from '../builders/on.ts';
import { filterCount, hasQuery } from '../builders/predicates.ts';
import { like, toLowerCase, withoutAccents } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const status = experiments.param('status');
const statusMatches = (matches: Parameters<typeof experiments.filter>[1]) =>
  experiments.filter('status', matches);

/** Faults of a filter that takes any text. */
function textFilterFaults(short: string, field: string): readonly Fault[] {
  const matches = (name: string, description: string, match: (wanted: string, found: string) => boolean) =>
    fault(`${short}-filter-${name}`, description).by(
      experiments.filter(field, (wanted, found) => typeof found === 'string' && match(wanted, found)),
    );
  return faultsOf({
    [`4.2/${short}-filter-only`]: fault(
      `${short}-filter-missing-field-passes`,
      `Experiments without ${field} match any.`,
    ).by(experiments.filter(field, (wanted, found) => found === undefined || wanted === found)),
    [`4.2/${short}-filter-all`]: matches(
      'loses-other-letters',
      `Values of ${field} beyond ASCII match nothing.`,
      (wanted, found) => wanted === found && /^[\x20-\x7e]*$/.test(wanted),
    ),
    [`4.2/${short}-filter-exact`]: [
      matches(
        'case-insensitive',
        `The case of ${field} is ignored.`,
        (wanted, found) => wanted.toLowerCase() === found.toLowerCase(),
      ),
      matches('by-prefix', `${field} matches by its beginning.`, (wanted, found) => found.startsWith(wanted)),
      matches('by-like', `${field} is a pattern of LIKE.`, (wanted, found) => like(wanted).test(found)),
      matches('splits-lists', `${field} may be a list with commas.`, (wanted, found) =>
        wanted.split(',').includes(found),
      ),
    ],
    '4.2/filter-any-text': [
      matches(
        'decodes-twice',
        `${field} is percent-decoded twice.`,
        (wanted, found) => wanted === found && !/[%+]/.test(wanted),
      ),
      matches(
        'accent-insensitive',
        `Accents in ${field} are ignored.`,
        (wanted, found) => withoutAccents(wanted) === withoutAccents(found),
      ),
    ],
  });
}

/** The filters of the experiments (section 4.2). */
export const experimentFilters: readonly Fault[] = [
  ...textFilterFaults('flow', 'authentication_flow'),
  ...textFilterFaults('flag', 'feature_flag_id'),
  ...faultsOf({
    '4.2/status-enum': [
      fault('status-case-insensitive', 'The case of status is ignored.').by(status.coerces(toLowerCase)),
      fault('status-list-accepted', 'Several statuses separated by commas are accepted.').by(
        status.accepts((text) => text.includes(',')),
        statusMatches((wanted, found) => wanted.split(',').includes(String(found))),
      ),
    ],
    '4.2/status-accepted': fault('status-archived-refused', 'archived is rejected.').by(
      status.rejects((text) => text === 'archived'),
    ),
    '4.2/status-filter-only': fault('status-ignored', 'The status filter is ignored.').by(
      statusMatches(() => true),
    ),
    '4.2/status-disjoint': fault(
      'status-archived-lists-completed',
      'Completed experiments are listed as archived too.',
    ).by(
      statusMatches((wanted, found) => wanted === found || (wanted === 'archived' && found === 'completed')),
    ),
    '4.2/status-filter-all': fault(
      'status-filter-joins-what-may-lack',
      'A status lists only experiments with updated_at.',
    ).by(
      statusMatches(
        (wanted, found, { experiment }) => wanted === found && experiment.updated_at !== undefined,
      ),
    ),
    '4.2/status-within-unfiltered': fault(
      'unfiltered-without-drafts',
      'The unfiltered listing has no drafts.',
    ).by(
      experiments.filters((filters, call) => (filterCount(call) === 0 ? { published: 'yes' } : filters)),
      experiments.filter('published', (_wanted, _found, entry) => entry.status !== 'draft'),
    ),
    '4.2/filter-nothing': fault(
      'filter-without-match-is-404',
      'A filter that matches nothing is answered 404.',
    ).by(
      ...['authentication_flow', 'feature_flag_id'].map((name) =>
        experiments
          .when(hasQuery(name))
          .status(404, ({ body }) => JSON.stringify(body).startsWith('{"experiments":[]')),
      ),
    ),
    '4.2/filters-together': fault(
      'filters-last-of-three-ignored',
      'The third of three filters is ignored.',
    ).by(experiments.filters((filters) => Object.fromEntries(Object.entries(filters).slice(0, 2)))),
    '4.2/filter-any-text': fault('filter-with-a-quote-is-refused', 'A filter with a quote is rejected.').by(
      experiments.param('feature_flag_id').rejects((text) => text.includes("'")),
    ),
  }),
];
