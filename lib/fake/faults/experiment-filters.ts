import type { Call } from '../call.ts';
import type { Fault } from '../fault.ts';
import { isObject } from '../json.ts';
import type { Filters } from '../listing.ts';
import { allowed, asked, change, forgives, isEntry, onWire, refuses, spells, together } from './parts.ts';

type Field = 'authentication_flow' | 'feature_flag_id';

/** The filters of the experiments (section 4.2). */
export const experimentFilters: readonly Fault[] = [
  {
    name: 'status-case-insensitive',
    breaks: '4.2/status-enum',
    says: 'A status is accepted in any case.',
    rules: spells('status', (status) => status.toLowerCase()),
  },
  {
    name: 'status-capitalised',
    breaks: '4.2/status-enum',
    says: 'A status is accepted with a capital too, as an enum of .NET.',
    rules: spells('status', (status) => status.replace(/^[A-Z]/, (first) => first.toLowerCase())),
  },
  {
    name: 'status-by-number',
    breaks: '4.2/status-enum',
    says: 'A status is accepted as its number, as an enum of .NET.',
    rules: spells('status', (status, call) =>
      /^[0-4]$/.test(status) ? String(allowed(call, 'status')[Number(status)]) : status,
    ),
  },
  {
    name: 'status-trimmed',
    breaks: '4.2/status-enum',
    says: 'A status is accepted with blanks about it.',
    rules: spells('status', (status) => status.trim()),
  },
  {
    name: 'status-plural',
    breaks: '4.2/status-enum',
    says: 'A status is accepted with more letters behind it.',
    rules: spells('status', (status, call) =>
      String(allowed(call, 'status').find((each) => status.startsWith(String(each))) ?? status),
    ),
  },
  {
    name: 'status-abbreviated',
    breaks: '4.2/status-enum',
    says: 'The beginning of a status is accepted for it.',
    rules: spells('status', (status, call) =>
      String(allowed(call, 'status').find((each) => String(each).startsWith(status)) ?? status),
    ),
  },
  {
    name: 'status-unknown-ignored',
    breaks: '4.2/status-enum',
    says: 'A status outside the five values is passed over.',
    rules: together(
      forgives('status'),
      change('experiments', {
        filters: (filters, call) => without(filters, (status) => !allowed(call, 'status').includes(status)),
      }),
    ),
  },
  {
    name: 'status-unknown-gives-nothing',
    breaks: '4.2/status-enum',
    says: 'A status outside the five values is answered with an empty list.',
    rules: forgives('status'),
  },
  {
    name: 'status-list-accepted',
    breaks: '4.2/status-enum',
    says: 'Several statuses with commas between them are accepted.',
    rules: together(
      forgives('status', (value) => String(value).includes(',')),
      change('experiments', {
        matches: (name, wanted, found) =>
          name === 'status' ? wanted.split(',').includes(String(found)) : wanted === found,
      }),
    ),
  },
  {
    name: 'status-all-accepted',
    breaks: '4.2/status-enum',
    says: 'A status of all lists everything.',
    rules: together(
      forgives('status', (value) => value === 'all'),
      change('experiments', { filters: (filters) => without(filters, (status) => status === 'all') }),
    ),
  },
  {
    name: 'status-running-accepted',
    breaks: '4.2/status-enum',
    says: 'The old name running is accepted for active.',
    rules: spells('status', (status) => (status === 'running' ? 'active' : status)),
  },
  {
    name: 'status-unchecked-beside-a-flow',
    breaks: '4.2/status-enum',
    says: 'A status outside the five values is accepted beside another filter.',
    rules: forgives('status', (_value, _error, call) => asked(call, 'authentication_flow') !== undefined),
  },
  {
    name: 'status-archived-refused',
    breaks: '4.2/status-accepted',
    says: 'The status archived is refused.',
    rules: refuses('status', (status) => status === 'archived'),
  },
  {
    name: 'status-draft-is-203',
    breaks: '4.2/status-accepted',
    says: 'The listing of drafts is answered with 203.',
    rules: onWire('listExperiments', (answer, call) =>
      asked(call, 'status') === 'draft' && answer.status === 200 ? { ...answer, status: 203 } : answer,
    ),
  },
  {
    name: 'status-ignored',
    breaks: '4.2/status-filter-only',
    says: 'The status filter is passed over.',
    rules: change('experiments', { filters: (filters) => without(filters, () => true) }),
  },
  {
    name: 'status-paused-lists-unchecked-drafts',
    breaks: '4.2/status-filter-only',
    says: 'Drafts without is_valid are listed under paused too.',
    rules: matches('status', (wanted, found, item) =>
      wanted === 'paused' && found === 'draft'
        ? isEntry(item) && item.experiment.is_valid === undefined
        : wanted === found,
    ),
  },
  {
    name: 'status-archived-lists-completed',
    breaks: '4.2/status-disjoint',
    says: 'Completed experiments are listed under archived too.',
    rules: matches('status', (wanted, found) =>
      wanted === 'archived' ? found === wanted || found === 'completed' : wanted === found,
    ),
  },
  {
    name: 'status-filter-joins-what-may-lack',
    breaks: '4.2/status-filter-all',
    says: 'Experiments without updated_at are missing from the listing of their state.',
    rules: matches(
      'status',
      (wanted, found, item) => wanted === found && isEntry(item) && item.experiment.updated_at !== undefined,
    ),
  },
  {
    name: 'status-active-needs-allocations',
    breaks: '4.2/status-filter-all',
    says: 'Active experiments without allocations are missing from the listing of active ones.',
    rules: matches('status', (wanted, found, item) => {
      const allocations = isEntry(item) ? item.experiment.allocations : undefined;
      return wanted === found && (wanted !== 'active' || Array.isArray(allocations));
    }),
  },
  {
    name: 'unfiltered-without-drafts',
    breaks: '4.2/status-within-unfiltered',
    says: 'The unfiltered listing leaves drafts out.',
    rules: (rules) => {
      const { matches: exact } = rules.experiments;
      return change('experiments', {
        filters: (filters) => (Object.keys(filters).length === 0 ? { published: 'yes' } : filters),
        matches: (name, wanted, found, item, call) =>
          name === 'published'
            ? isEntry(item) && item.status !== 'draft'
            : exact(name, wanted, found, item, call),
      })(rules);
    },
  },
  ...both(
    'filter-missing-field-passes',
    'filter-only',
    'Experiments without FIELD are listed whatever FIELD is asked for.',
    (wanted, found) => found === undefined || wanted === found,
  ),
  ...both(
    'filter-first-value-lists-all',
    'filter-only',
    'One value of FIELD is passed over as a filter.',
    (wanted, found) => wanted === found || wanted === 'signup' || wanted === 'flag_passkeys',
  ),
  ...both(
    'filter-index-is-stale',
    'filter-all',
    'The newest experiments are not found by FIELD yet.',
    (wanted, found, item) =>
      wanted === found && !(isEntry(item) && String(item.experiment.created_at) > '2026-01-07'),
  ),
  ...both(
    'filter-loses-other-letters',
    'filter-all',
    'Values of FIELD beyond ASCII match nothing.',
    (wanted, found) => wanted === found && /^[\x20-\x7e]*$/.test(wanted),
  ),
  ...both(
    'filter-decodes-twice',
    'filter-all',
    'FIELD is decoded twice, so that a percent sign or a plus in it matches nothing.',
    (wanted, found) => wanted === found && !/[%+]/.test(wanted),
  ),
  ...both(
    'filter-stops-at-ampersand',
    'filter-all',
    'FIELD is cut at a blank.',
    (wanted, found) => wanted.split(' ')[0] === found,
  ),
  ...both(
    'filter-case-insensitive',
    'filter-exact',
    'FIELD matches in any case.',
    (wanted, found) => wanted.toLowerCase() === String(found).toLowerCase(),
  ),
  ...both('filter-by-prefix', 'filter-exact', 'FIELD matches by its beginning.', (wanted, found) =>
    String(found).startsWith(wanted),
  ),
  ...both(
    'filter-by-suffix',
    'filter-exact',
    'FIELD matches by its end.',
    (wanted, found) => found !== undefined && String(found).endsWith(wanted),
  ),
  ...both(
    'filter-by-part',
    'filter-exact',
    'FIELD matches by any part of it.',
    (wanted, found) => found !== undefined && String(found).includes(wanted),
  ),
  ...both(
    'filter-by-longer',
    'filter-exact',
    'FIELD matches what begins with it.',
    (wanted, found) => found !== undefined && wanted.startsWith(String(found)),
  ),
  ...both(
    'filter-by-like',
    'filter-exact',
    'FIELD is a pattern of LIKE, with % and _.',
    (wanted, found) => found !== undefined && like(wanted).test(String(found)),
  ),
  ...both(
    'filter-by-underscore',
    'filter-exact',
    'An underscore in FIELD stands for any character.',
    (wanted, found) => found !== undefined && like(wanted.replaceAll('%', '%%')).test(String(found)),
  ),
  ...both(
    'filter-by-star',
    'filter-exact',
    'A star in FIELD stands for any characters.',
    (wanted, found) =>
      wanted === found ||
      (found !== undefined && wanted.includes('*') && like(wanted.replaceAll('*', '%')).test(String(found))),
  ),
  ...both(
    'filter-by-regular-expression',
    'filter-exact',
    'A dot in FIELD stands for any character.',
    (wanted, found) =>
      wanted === found ||
      (found !== undefined && wanted.includes('.') && like(wanted.replaceAll('.', '_')).test(String(found))),
  ),
  ...both(
    'filter-trims-the-question',
    'filter-exact',
    'Blanks about the asked FIELD are passed over.',
    (wanted, found) => wanted.trim() === found,
  ),
  ...both(
    'filter-pads-blanks',
    'filter-exact',
    'Blanks at the end of FIELD are passed over on both sides, as SQL pads.',
    (wanted, found) => found !== undefined && wanted.trimEnd() === String(found).trimEnd(),
  ),
  ...both(
    'filter-accent-insensitive',
    'filter-exact',
    'FIELD matches without its accents.',
    (wanted, found) => found !== undefined && bare(wanted) === bare(String(found)),
  ),
  ...both(
    'filter-normalised',
    'filter-exact',
    'FIELD matches in any normal form of Unicode.',
    (wanted, found) => found !== undefined && wanted.normalize('NFC') === String(found).normalize('NFC'),
  ),
  ...both(
    'filter-width-insensitive',
    'filter-exact',
    'FIELD matches in compatible forms of Unicode, such as full width.',
    (wanted, found) => found !== undefined && wanted.normalize('NFKC') === String(found).normalize('NFKC'),
  ),
  ...both(
    'filter-unquotes',
    'filter-exact',
    'Quotes about FIELD are taken off.',
    (wanted, found) => wanted.replace(/^"(.*)"$/, '$1') === found,
  ),
  ...both(
    'filter-splits-lists',
    'filter-exact',
    'FIELD may be several values with commas between them.',
    (wanted, found) => found !== undefined && wanted.split(',').includes(String(found)),
  ),
  {
    name: 'filter-without-match-is-404',
    breaks: '4.2/filter-nothing',
    says: 'A filter that matches nothing is answered with 404.',
    rules: nothing(404),
  },
  {
    name: 'filter-without-match-is-204',
    breaks: '4.2/filter-nothing',
    says: 'A filter that matches nothing is answered with 204.',
    rules: nothing(204),
  },
  {
    name: 'filter-with-a-quote-is-refused',
    breaks: '4.2/filter-nothing',
    says: 'A filter with a quote in it is refused.',
    rules: refuses('feature_flag_id', (value) => String(value).includes("'")),
  },
  {
    name: 'filters-second-ignored',
    breaks: '4.2/filters-together',
    says: 'Only the first of several filters counts.',
    rules: change('experiments', {
      filters: (filters) => Object.fromEntries(Object.entries(filters).slice(0, 1)),
    }),
  },
  {
    name: 'filters-last-of-three-ignored',
    breaks: '4.2/filters-together',
    says: 'The third of three filters is passed over.',
    rules: change('experiments', {
      filters: (filters) => Object.fromEntries(Object.entries(filters).slice(0, 2)),
    }),
  },
  {
    name: 'filters-flow-ignored-beside-a-flag',
    breaks: '4.2/filters-together',
    says: 'Beside a flag the flow is passed over.',
    rules: change('experiments', {
      filters: ({ authentication_flow: flow, ...others }) =>
        flow === undefined || others.feature_flag_id !== undefined
          ? others
          : { ...others, authentication_flow: flow },
    }),
  },
  {
    name: 'filters-any-instead-of-all',
    breaks: '4.2/filters-together',
    says: 'Several filters list what matches any of them.',
    rules: (rules) =>
      change('experiments', {
        filters: (filters) => {
          const names = Object.keys(filters);
          return names.length < 2 ? filters : { any: JSON.stringify(filters) };
        },
        matches: (name, wanted, found, item) =>
          name === 'any' ? matchesAny(JSON.parse(wanted), item) : wanted === found,
      })(rules),
  },
];

/** A fault of both text filters, as one for each. */
function both(
  name: string,
  requirement: string,
  says: string,
  match: (wanted: string, found: unknown, item: unknown) => boolean,
): readonly Fault[] {
  const fault = (short: string, field: Field): Fault => ({
    name: `${short}-${name}`,
    breaks: `4.2/${short}-${requirement}`,
    says: says.replaceAll('FIELD', field),
    rules: matches(field, match),
  });
  return [fault('flow', 'authentication_flow'), fault('flag', 'feature_flag_id')];
}

function matches(
  field: string,
  match: (wanted: string, found: unknown, item: unknown) => boolean,
): Fault['rules'] {
  return change('experiments', ({ matches: usual }) => ({
    matches: (name, wanted, found, item, call) =>
      name === field ? match(wanted, found, item) : usual(name, wanted, found, item, call),
  }));
}

function matchesAny(filters: unknown, item: unknown): boolean {
  if (!isObject(filters) || !isEntry(item)) return false;
  return Object.entries(filters).some(
    ([name, value]) => (name === 'status' ? item.status : item.experiment[name]) === value,
  );
}

function without(filters: Filters, dropped: (status: string) => boolean): Filters {
  const { status, ...others } = filters;
  return status === undefined || dropped(status) ? others : filters;
}

/** A pattern of SQL's LIKE; a doubled percent sign is one. */
function like(pattern: string): RegExp {
  const source = pattern
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('%%', '\u0000')
    .replaceAll('%', '.*')
    .replaceAll('_', '.')
    .replaceAll('\u0000', '%');
  return new RegExp(`^${source}$`, 'su');
}

function bare(value: string): string {
  return value.normalize('NFD').replace(/\p{M}/gu, '');
}

function nothing(status: number): Fault['rules'] {
  const texts = (call: Call) => asked(call, 'authentication_flow') ?? asked(call, 'feature_flag_id');
  return (rules) =>
    change('answers', {
      wire: (answer, call) =>
        call.operation?.id === 'listExperiments' &&
        texts(call) !== undefined &&
        answer.parts.some((part) => String(part).startsWith('{"experiments":[]'))
          ? { ...answer, status, parts: [] }
          : rules.answers.wire(answer, call),
    })(rules);
}
