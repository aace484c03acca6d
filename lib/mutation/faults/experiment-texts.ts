import { isObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { Fault } from '../fault.ts';
import { asked, change, isEntry, matches, refuses } from './parts.ts';

type Field = 'authentication_flow' | 'feature_flag_id';

/** The filters of the experiments that take any text, and several filters together (section 4.2). */
export const experimentTexts: readonly Fault[] = [
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
    'filter-keeps-blanks-encoded',
    'filter-all',
    'A blank in FIELD stays percent-encoded, so that it matches nothing.',
    (wanted, found) => wanted === found && !wanted.includes(' '),
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
    requirement: '4.2/filter-nothing',
    description: 'A filter that matches nothing is answered with 404.',
    rules: nothing(404),
  },
  {
    name: 'filter-without-match-is-204',
    requirement: '4.2/filter-nothing',
    description: 'A filter that matches nothing is answered with 204.',
    rules: nothing(204),
  },
  {
    name: 'filter-with-a-quote-is-refused',
    requirement: '4.2/filter-nothing',
    description: 'A filter with a quote in it is refused.',
    rules: refuses('feature_flag_id', (value) => String(value).includes("'")),
  },
  {
    name: 'filters-second-ignored',
    requirement: '4.2/filters-together',
    description: 'Only the first of several filters counts.',
    rules: change('experiments', {
      filters: (filters) => Object.fromEntries(Object.entries(filters).slice(0, 1)),
    }),
  },
  {
    name: 'filters-last-of-three-ignored',
    requirement: '4.2/filters-together',
    description: 'The third of three filters is passed over.',
    rules: change('experiments', {
      filters: (filters) => Object.fromEntries(Object.entries(filters).slice(0, 2)),
    }),
  },
  {
    name: 'filters-flow-ignored-beside-a-flag',
    requirement: '4.2/filters-together',
    description: 'Beside a flag the flow is passed over.',
    rules: change('experiments', {
      filters: ({ authentication_flow: flow, ...others }) =>
        flow === undefined || others.feature_flag_id !== undefined
          ? others
          : { ...others, authentication_flow: flow },
    }),
  },
  {
    name: 'filters-any-instead-of-all',
    requirement: '4.2/filters-together',
    description: 'Several filters list what matches any of them.',
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
  description: string,
  match: (wanted: string, found: unknown, item: unknown) => boolean,
): readonly Fault[] {
  const fault = (short: string, field: Field): Fault => ({
    name: `${short}-${name}`,
    requirement: `4.2/${short}-${requirement}`,
    description: description.replaceAll('FIELD', field),
    rules: matches(field, match),
  });
  return [fault('flow', 'authentication_flow'), fault('flag', 'feature_flag_id')];
}

function matchesAny(filters: unknown, item: unknown): boolean {
  if (!isObject(filters) || !isEntry(item)) return false;
  return Object.entries(filters).some(
    ([name, value]) => (name === 'status' ? item.status : item.experiment[name]) === value,
  );
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
