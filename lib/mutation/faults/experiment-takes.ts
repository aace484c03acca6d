import type { Call } from '../../fake/call.ts';
import type { CheckpointPage } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import {
  asked,
  change,
  counts,
  forgives,
  isEntry,
  isFiltered,
  numberOrNothing,
  onWire,
  readsAs,
  refuses,
  together,
} from './parts.ts';

/** Page sizes of the experiments (section 4.2). */
export const experimentTakes: readonly Fault[] = [
  {
    name: 'experiments-partial-content',
    requirement: '4.2/reads',
    description: 'A listing without parameters that does not hold everything is answered with 206.',
    rules: onWire('listExperiments', (answer, call) =>
      answer.status === 200 && call.query?.length === 0 ? { ...answer, status: 206 } : answer,
    ),
  },
  {
    name: 'experiments-empty-is-object',
    requirement: '4.2/answer-members',
    description:
      'A listing without matches holds an empty object for the array, as PHP encodes an empty array.',
    rules: change('experiments', {
      answered: (answer, page) => (page.matches === 0 ? { ...answer, experiments: {} } : answer),
    }),
  },
  {
    name: 'experiments-empty-without-array',
    requirement: '4.2/answer-members',
    description: 'A listing without matches leaves the array out.',
    rules: change('experiments', { answered: (answer, page) => (page.matches === 0 ? {} : answer) }),
  },
  {
    name: 'experiments-next-false-when-filtered',
    requirement: '4.2/answer-members',
    description: 'The last page under a filter carries next as false.',
    rules: change('experiments', {
      answered: (answer, page) => (isFiltered(page) && page.isLast ? { ...answer, next: false } : answer),
    }),
  },
  {
    name: 'take-maximum-exclusive',
    requirement: '4.2/take-accepted',
    description: 'A take of exactly the maximum is refused.',
    rules: change('paging', ({ maximum }) => ({
      maximum: (pagination, call) => maximum(pagination, call) - (pagination.kind === 'checkpoint' ? 1 : 0),
    })),
  },
  {
    name: 'take-minimum-exclusive',
    requirement: '4.2/take-accepted',
    description: 'A take of 1 is refused.',
    rules: refuses('take', (value) => value === 1),
  },
  {
    name: 'take-one-value-refused',
    requirement: '4.2/take-accepted',
    description: 'A take of 37, and no other, is refused.',
    rules: refuses('take', (value) => value === 37),
  },
  {
    name: 'take-one-gives-two',
    requirement: '4.2/take-limits',
    description: 'A take of 1 gives pages of two.',
    rules: change('paging', ({ size }) => ({
      size: (take, pagination, call) =>
        take === 1 && pagination.kind === 'checkpoint' ? 2 : size(take, pagination, call),
    })),
  },
  {
    name: 'take-fifty-gives-fifty-one',
    requirement: '4.2/take-limits',
    description: 'The largest pages hold the item that was fetched to see whether more follow.',
    rules: change('paging', ({ size }) => ({
      size: (take, pagination, call) =>
        size(take, pagination, call) + (pagination.kind === 'checkpoint' && take === 50 ? 1 : 0),
    })),
  },
  {
    name: 'take-only-on-the-first-page',
    requirement: '4.2/take-limits',
    description: 'From the second page on the default size holds, whatever take says.',
    rules: change('paging', ({ size }) => ({
      size: (take, pagination, call) =>
        size(asked(call, 'from') === undefined ? take : undefined, pagination, call),
    })),
  },
  {
    name: 'take-of-the-first-page-stays',
    requirement: '4.2/take-limits',
    description: 'A walk keeps the size of its first page, whatever take says later.',
    rules: together(
      change('checkpoints', {
        shown: (sealed, call) => `${sealed}.${firstTake(call) ?? asked(call, 'take') ?? 25}`,
        read: (shown) => shown.split('.')[0] ?? shown,
      }),
      change('paging', ({ size }) => ({
        size: (take, pagination, call) => size(firstTake(call) ?? take, pagination, call),
      })),
    ),
  },
  {
    name: 'take-ignored-under-a-filter',
    requirement: '4.2/take-limits',
    description: 'A filtered listing comes whole, whatever take says.',
    rules: change('paging', ({ size }) => ({
      size: (take, pagination, call) =>
        asked(call, 'status') !== undefined || asked(call, 'authentication_flow') !== undefined
          ? 100_000
          : size(take, pagination, call),
    })),
  },
  {
    name: 'take-orphans-join-the-last-page',
    requirement: '4.2/take-limits',
    description: 'A last page of one item is joined to the page before.',
    rules: change('experiments', {
      items: (items, page) => {
        const last = page.all.at(-1);
        return leavesOrphan(page) && isEntry(last) ? [...items, last.experiment] : items;
      },
      next: (page) => (leavesOrphan(page) ? undefined : page.nextPosition),
    }),
  },
  {
    name: 'pages-of-fifty-come-short',
    requirement: '4.2/take-full-pages',
    description: 'The largest pages hold one item fewer than asked for.',
    rules: change('paging', ({ size }) => ({
      size: (take, pagination, call) =>
        size(take, pagination, call) - (pagination.kind === 'checkpoint' && take === 50 ? 1 : 0),
    })),
  },
  {
    name: 'archived-hidden-after-paging',
    requirement: '4.2/take-full-pages',
    description: 'Archived experiments are taken off each unfiltered page after it was cut.',
    rules: change('experiments', {
      items: (items, page) =>
        isFiltered(page)
          ? items
          : items.filter(({ id }) =>
              page.all.some(
                (entry) => isEntry(entry) && entry.experiment.id === id && entry.status !== 'archived',
              ),
            ),
    }),
  },
  ...[10, 20, 24, 50].map((usual) => ({
    name: `take-default-${usual}`,
    requirement: '4.2/take-default',
    description: `Without take a page holds ${usual} experiments.`,
    rules: absentTake(() => usual),
  })),
  {
    name: 'take-default-50-on-later-pages',
    requirement: '4.2/take-default',
    description: 'Without take a page after the first holds 50 experiments.',
    rules: absentTake((call) => (asked(call, 'from') === undefined ? 25 : 50)),
  },
  {
    name: 'take-default-10-under-a-filter',
    requirement: '4.2/take-default',
    description: 'Without take a page under a filter holds 10 experiments.',
    rules: absentTake((call) => (call.query?.some(([name]) => name !== 'from' && name !== 'take') ? 10 : 25)),
  },
  ...[51, 60, 100].map((limit) => ({
    name: `take-maximum-${limit}`,
    requirement: '4.2/take-maximum',
    description: `A take of up to ${limit} is accepted.`,
    rules: aboveMaximum((value) => value <= limit),
  })),
  {
    name: 'take-unbounded',
    requirement: '4.2/take-maximum',
    description: 'Any large take is accepted.',
    rules: aboveMaximum(() => true),
  },
  {
    name: 'take-clamped-to-the-maximum',
    requirement: '4.2/take-maximum',
    description: 'A take above the maximum is taken for the maximum.',
    rules: counts('take', (value) => Math.min(value, 50)),
  },
  {
    name: 'take-maximum-unchecked-after-the-first-page',
    requirement: '4.2/take-maximum',
    description: 'A take above the maximum is accepted beside from.',
    rules: aboveMaximum((_value, from) => from !== undefined),
  },
  {
    name: 'take-maximum-unchecked-under-a-filter',
    requirement: '4.2/take-maximum',
    description: 'A take above the maximum is accepted beside a filter.',
    rules: forgives(
      'take',
      (_value, { keyword }, call) => keyword === 'maximum' && asked(call, 'status') !== undefined,
    ),
  },
  ...[8, 16, 32, 64].map((bits) => ({
    name: `take-wraps-at-${bits}-bits`,
    requirement: '4.2/take-maximum',
    description: `take is cut to an integer of ${bits} bits, so that a huge one is taken for a small one.`,
    rules: change('parameters', ({ numberOf }) => ({
      numberOf: (text: string, parameter, call) => {
        const number = numberOf(text, parameter, call);
        return parameter.name === 'take' && number !== undefined && number > 50 && /^\d+$/.test(text)
          ? Number(BigInt.asIntN(bits, BigInt(text)))
          : number;
      },
    })),
  })),
  {
    name: 'take-zero-is-the-default',
    requirement: '4.2/take-minimum',
    description: 'A take of 0 is taken for none.',
    rules: counts('take', (value) => (value === 0 ? 25 : value)),
  },
  {
    name: 'take-zero-gives-an-empty-page',
    requirement: '4.2/take-minimum',
    description: 'A take of 0 is answered with an empty page.',
    rules: forgives('take', (value) => value === 0),
  },
  {
    name: 'take-below-one-is-one',
    requirement: '4.2/take-minimum',
    description: 'A take below 1 is taken for 1.',
    rules: counts('take', (value) => Math.max(value, 1)),
  },
  {
    name: 'take-negative-is-its-absolute',
    requirement: '4.2/take-minimum',
    description: 'A negative take is taken for its absolute.',
    rules: counts('take', Math.abs),
  },
  {
    name: 'take-minus-one-is-everything',
    requirement: '4.2/take-minimum',
    description: 'A take of -1 asks for the largest page.',
    rules: counts('take', (value) => (value === -1 ? 50 : value)),
  },
  {
    name: 'take-zero-accepted-after-the-first-page',
    requirement: '4.2/take-minimum',
    description: 'A take of 0 is taken for the default beside from.',
    rules: counts('take', (value, call) => (value === 0 && asked(call, 'from') !== undefined ? 25 : value)),
  },
  {
    name: 'take-by-parse-int',
    requirement: '4.2/take-integer',
    description: 'What follows the digits of take is passed over: 5abc is 5.',
    rules: readsAs('take', (text) => numberOrNothing(Number.parseInt(text, 10))),
  },
  {
    name: 'take-fraction-cut',
    requirement: '4.2/take-integer',
    description: 'A take of 1.5 is taken for 1.',
    rules: readsAs('take', (text) => (/^\d+\.\d+$/.test(text) ? Math.trunc(Number(text)) : undefined)),
  },
  {
    name: 'take-fraction-rounded',
    requirement: '4.2/take-integer',
    description: 'A take of 1.5 is rounded.',
    rules: readsAs('take', (text) => (/^\d+\.\d+$/.test(text) ? Math.round(Number(text)) || 1 : undefined)),
  },
  {
    name: 'take-hexadecimal',
    requirement: '4.2/take-integer',
    description: 'A take of 0x10 is taken for 16.',
    rules: readsAs('take', (text) => (/^0x[0-9a-f]+$/i.test(text) ? Number(text) : undefined)),
  },
  {
    name: 'take-no-number-is-the-default',
    requirement: '4.2/take-integer',
    description: 'A take that is no number is taken for none.',
    rules: readsAs('take', (text) => (Number.isNaN(Number(text)) ? 25 : undefined)),
  },
  {
    name: 'take-true-is-one',
    requirement: '4.2/take-integer',
    description: 'A take of true is taken for 1.',
    rules: readsAs('take', (text) => (text === 'true' ? 1 : undefined)),
  },
  {
    name: 'take-any-digits',
    requirement: '4.2/take-integer',
    description: 'Digits of other scripts make a take.',
    rules: readsAs('take', (text) =>
      /^[٠-٩]+$/.test(text)
        ? Number([...text].map((digit) => (digit.codePointAt(0) ?? 0) - 0x660).join(''))
        : undefined,
    ),
  },
  {
    name: 'take-underscores',
    requirement: '4.2/take-integer',
    description: 'A take of 1_0 is taken for 10, as Python reads an integer.',
    rules: readsAs('take', (text) =>
      /^\d+(_\d+)+$/.test(text) ? Number(text.replaceAll('_', '')) : undefined,
    ),
  },
  {
    name: 'take-decimal-comma',
    requirement: '4.2/take-integer',
    description: 'A take of 1,5 is taken for 1.',
    rules: readsAs('take', (text) => numberOrNothing(Number(/^(\d+),\d+$/.exec(text)?.[1]))),
  },
  {
    name: 'take-null-is-the-default',
    requirement: '4.2/take-integer',
    description: 'A take of null is taken for none.',
    rules: readsAs('take', (text) => (text === 'null' ? 25 : undefined)),
  },
];

/** The take of the walk's first page, out of a checkpoint that carries it. */
function firstTake(call: Call): number | undefined {
  return numberOrNothing(Number(asked(call, 'from')?.split('.')[1] ?? Number.NaN));
}

function leavesOrphan(page: CheckpointPage): boolean {
  return !isFiltered(page) && page.take > 1 && page.matches - page.end === 1;
}

function absentTake(usual: (call: Call) => number): Fault['rules'] {
  return change('parameters', ({ absent }) => ({
    absent: (parameter, call) => (parameter.name === 'take' ? usual(call) : absent(parameter, call)),
  }));
}

function aboveMaximum(accepted: (value: number, from: string | undefined) => boolean): Fault['rules'] {
  return forgives(
    'take',
    (value, { keyword }, call) =>
      keyword === 'maximum' && typeof value === 'number' && accepted(value, asked(call, 'from')),
  );
}
