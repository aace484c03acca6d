import type { Filters } from '../../fake/listing.ts';
import type { Fault } from '../fault.ts';
import {
  allowed,
  asked,
  change,
  forgives,
  isEntry,
  matches,
  onWire,
  refuses,
  spells,
  together,
} from './parts.ts';

/** The filters of the experiments (section 4.2). */
export const experimentFilters: readonly Fault[] = [
  {
    name: 'status-case-insensitive',
    requirement: '4.2/status-enum',
    description: 'A status is accepted in any case.',
    rules: spells('status', (status) => status.toLowerCase()),
  },
  {
    name: 'status-capitalised',
    requirement: '4.2/status-enum',
    description: 'A status is accepted with a capital too, as an enum of .NET.',
    rules: spells('status', (status) => status.replace(/^[A-Z]/, (first) => first.toLowerCase())),
  },
  {
    name: 'status-by-number',
    requirement: '4.2/status-enum',
    description: 'A status is accepted as its number, as an enum of .NET.',
    rules: spells('status', (status, call) =>
      /^[0-4]$/.test(status) ? String(allowed(call, 'status')[Number(status)]) : status,
    ),
  },
  {
    name: 'status-trimmed',
    requirement: '4.2/status-enum',
    description: 'A status is accepted with blanks about it.',
    rules: spells('status', (status) => status.trim()),
  },
  {
    name: 'status-plural',
    requirement: '4.2/status-enum',
    description: 'A status is accepted with more letters behind it.',
    rules: spells('status', (status, call) =>
      String(allowed(call, 'status').find((each) => status.startsWith(String(each))) ?? status),
    ),
  },
  {
    name: 'status-abbreviated',
    requirement: '4.2/status-enum',
    description: 'The beginning of a status is accepted for it.',
    rules: spells('status', (status, call) =>
      String(allowed(call, 'status').find((each) => String(each).startsWith(status)) ?? status),
    ),
  },
  {
    name: 'status-unknown-ignored',
    requirement: '4.2/status-enum',
    description: 'A status outside the five values is passed over.',
    rules: together(
      forgives('status'),
      change('experiments', {
        filters: (filters, call) => without(filters, (status) => !allowed(call, 'status').includes(status)),
      }),
    ),
  },
  {
    name: 'status-unknown-gives-nothing',
    requirement: '4.2/status-enum',
    description: 'A status outside the five values is answered with an empty list.',
    rules: forgives('status'),
  },
  {
    name: 'status-list-accepted',
    requirement: '4.2/status-enum',
    description: 'Several statuses with commas between them are accepted.',
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
    requirement: '4.2/status-enum',
    description: 'A status of all lists everything.',
    rules: together(
      forgives('status', (value) => value === 'all'),
      change('experiments', { filters: (filters) => without(filters, (status) => status === 'all') }),
    ),
  },
  {
    name: 'status-running-accepted',
    requirement: '4.2/status-enum',
    description: 'The old name running is accepted for active.',
    rules: spells('status', (status) => (status === 'running' ? 'active' : status)),
  },
  {
    name: 'status-unchecked-beside-a-flow',
    requirement: '4.2/status-enum',
    description: 'A status outside the five values is accepted beside another filter.',
    rules: forgives('status', (_value, _error, call) => asked(call, 'authentication_flow') !== undefined),
  },
  {
    name: 'status-archived-refused',
    requirement: '4.2/status-accepted',
    description: 'The status archived is refused.',
    rules: refuses('status', (status) => status === 'archived'),
  },
  {
    name: 'status-draft-is-203',
    requirement: '4.2/status-accepted',
    description: 'The listing of drafts is answered with 203.',
    rules: onWire('listExperiments', (answer, call) =>
      asked(call, 'status') === 'draft' && answer.status === 200 ? { ...answer, status: 203 } : answer,
    ),
  },
  {
    name: 'status-ignored',
    requirement: '4.2/status-filter-only',
    description: 'The status filter is passed over.',
    rules: change('experiments', { filters: (filters) => without(filters, () => true) }),
  },
  {
    name: 'status-paused-lists-unchecked-drafts',
    requirement: '4.2/status-filter-only',
    description: 'Drafts without is_valid are listed under paused too.',
    rules: matches('status', (wanted, found, item) =>
      wanted === 'paused' && found === 'draft'
        ? isEntry(item) && item.experiment.is_valid === undefined
        : wanted === found,
    ),
  },
  {
    name: 'status-archived-lists-completed',
    requirement: '4.2/status-disjoint',
    description: 'Completed experiments are listed under archived too.',
    rules: matches('status', (wanted, found) =>
      wanted === 'archived' ? found === wanted || found === 'completed' : wanted === found,
    ),
  },
  {
    name: 'status-filter-joins-what-may-lack',
    requirement: '4.2/status-filter-all',
    description: 'Experiments without updated_at are missing from the listing of their state.',
    rules: matches(
      'status',
      (wanted, found, item) => wanted === found && isEntry(item) && item.experiment.updated_at !== undefined,
    ),
  },
  {
    name: 'status-active-needs-allocations',
    requirement: '4.2/status-filter-all',
    description: 'Active experiments without allocations are missing from the listing of active ones.',
    rules: matches('status', (wanted, found, item) => {
      const allocations = isEntry(item) ? item.experiment.allocations : undefined;
      return wanted === found && (wanted !== 'active' || Array.isArray(allocations));
    }),
  },
  {
    name: 'unfiltered-without-drafts',
    requirement: '4.2/status-within-unfiltered',
    description: 'The unfiltered listing leaves drafts out.',
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
];

function without(filters: Filters, dropped: (status: string) => boolean): Filters {
  const { status, ...others } = filters;
  return status === undefined || dropped(status) ? others : filters;
}
