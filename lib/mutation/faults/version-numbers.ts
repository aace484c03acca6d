import type { Fault } from '../fault.ts';
import { change, counts, forgives, numberOrNothing, readsAs, slices, together } from './parts.ts';

/** How page and per_page are read (section 4.4). */
export const versionNumbers: readonly Fault[] = [
  {
    name: 'page-by-parse-int',
    requirement: '4.4/page-integer',
    description: 'What follows the digits of page is passed over.',
    rules: readsAs('page', (text) => numberOrNothing(Number.parseInt(text, 10))),
  },
  {
    name: 'page-no-number-is-the-first',
    requirement: '4.4/page-integer',
    description: 'A page that is no number is taken for 0.',
    rules: readsAs('page', (text) => (Number.isNaN(Number(text)) ? 0 : undefined)),
  },
  {
    name: 'page-hexadecimal',
    requirement: '4.4/page-integer',
    description: 'A page of 0x10 is taken for 16.',
    rules: readsAs('page', (text) => (/^0x[0-9a-f]+$/i.test(text) ? Number(text) : undefined)),
  },
  {
    name: 'page-fraction-cut',
    requirement: '4.4/page-integer',
    description: 'A page of 1.5 is taken for 1.',
    rules: readsAs('page', (text) => (/^\d+\.\d+$/.test(text) ? Math.trunc(Number(text)) : undefined)),
  },
  {
    name: 'page-first-by-name',
    requirement: '4.4/page-integer',
    description: 'A page of first is taken for 0.',
    rules: readsAs('page', (text) => (text === 'first' ? 0 : undefined)),
  },
  {
    name: 'page-null-is-the-first',
    requirement: '4.4/page-integer',
    description: 'A page of null is taken for 0.',
    rules: readsAs('page', (text) => (text === 'null' ? 0 : undefined)),
  },
  {
    name: 'per-page-by-parse-int',
    requirement: '4.4/per-page-integer',
    description: 'What follows the digits of per_page is passed over.',
    rules: readsAs('per_page', (text) => numberOrNothing(Number.parseInt(text, 10))),
  },
  {
    name: 'per-page-no-number-is-the-default',
    requirement: '4.4/per-page-integer',
    description: 'A per_page that is no number is taken for none.',
    rules: readsAs('per_page', (text) => (Number.isNaN(Number(text)) ? 20 : undefined)),
  },
  {
    name: 'per-page-true-is-one',
    requirement: '4.4/per-page-integer',
    description: 'A per_page of true is taken for 1.',
    rules: readsAs('per_page', (text) => (text === 'true' ? 1 : undefined)),
  },
  {
    name: 'per-page-fraction-rounded',
    requirement: '4.4/per-page-integer',
    description: 'A per_page of 1.5 is rounded.',
    rules: readsAs('per_page', (text) => (/^\d+\.\d+$/.test(text) ? Math.round(Number(text)) : undefined)),
  },
  {
    name: 'page-negative-is-the-first',
    requirement: '4.4/page-negative',
    description: 'A negative page is taken for 0.',
    rules: counts('page', (page) => Math.max(0, page)),
  },
  {
    name: 'page-minus-one-is-the-last',
    requirement: '4.4/page-negative',
    description: 'A page of -1 is the last one.',
    rules: together(
      forgives('page', (page) => page === -1),
      slices((_items, { page, perPage, total }) =>
        page === -1 ? [Math.max(0, total - perPage), total] : [page * perPage, (page + 1) * perPage],
      ),
    ),
  },
  {
    name: 'page-negative-is-its-absolute',
    requirement: '4.4/page-negative',
    description: 'A negative page is taken for its absolute.',
    rules: counts('page', Math.abs),
  },
  {
    name: 'page-negative-beyond-one-digit-accepted',
    requirement: '4.4/page-negative',
    description: 'A page of -100 gives an empty page.',
    rules: forgives('page', (page) => page === -100),
  },
  {
    name: 'per-page-zero-is-the-default',
    requirement: '4.4/per-page-zero',
    description: 'A per_page of 0 is taken for none.',
    rules: counts('per_page', (size) => (size === 0 ? 20 : size)),
  },
  {
    name: 'per-page-zero-is-one',
    requirement: '4.4/per-page-zero',
    description: 'A per_page of 0 is taken for 1.',
    rules: counts('per_page', (size) => (size === 0 ? 1 : size)),
  },
  {
    name: 'per-page-zero-divides',
    requirement: '4.4/per-page-zero',
    description: 'A per_page of 0 breaks the division by it, which is answered with 500.',
    rules: change('parameters', ({ violations }) => ({
      violations: (found, value, parameter, call) => {
        if (parameter.name === 'per_page' && value === 0) throw new Error('division by zero');
        return violations(found, value, parameter, call);
      },
    })),
  },
  {
    name: 'per-page-negative-is-its-absolute',
    requirement: '4.4/per-page-negative',
    description: 'A negative per_page is taken for its absolute.',
    rules: counts('per_page', Math.abs),
  },
  {
    name: 'per-page-minus-one-is-everything',
    requirement: '4.4/per-page-negative',
    description: 'A per_page of -1 asks for the largest page.',
    rules: counts('per_page', (size) => (size === -1 ? 50 : size)),
  },
  {
    name: 'per-page-51-served',
    requirement: '4.4/per-page-above-maximum',
    description: 'A per_page of 51 is served.',
    rules: tooLarge((size) => size === 51),
  },
  {
    name: 'per-page-100-on-a-public-cloud',
    requirement: '4.4/per-page-above-maximum',
    description: 'Pages of up to 101 versions are served on a public cloud.',
    rules: tooLarge((size) => size <= 101),
  },
  {
    name: 'per-page-unbounded',
    requirement: '4.4/per-page-above-maximum',
    description: 'A per_page of any size is served.',
    rules: tooLarge(() => true),
  },
  {
    name: 'per-page-of-32-bits-unbounded',
    requirement: '4.4/per-page-above-maximum',
    description: 'The largest integer of 32 bits stands for no limit.',
    rules: tooLarge((size) => size === 0x7fffffff),
  },
];

function tooLarge(served: (size: number) => boolean): Fault['rules'] {
  return forgives(
    'per_page',
    (value, { keyword }) => keyword === 'maximum' && typeof value === 'number' && served(value),
  );
}
