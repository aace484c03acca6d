import type { Fault } from '../fault.ts';
import { asked, change } from './parts.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** Checkpoints themselves (section 8, convention 2). */
export const checkpointFaults: readonly Fault[] = [
  {
    name: 'checkpoint-stays-percent-encoded',
    requirement: '8/checkpoint-opaque',
    description: 'A checkpoint whose characters are percent-encoded is not known.',
    rules: change('checkpoints', {
      read: (text, call) => (/[?&]from=[^&]*%/.test(call.target) ? '' : text),
    }),
  },
  {
    name: 'checkpoint-plus-becomes-a-blank',
    requirement: '8/checkpoint-opaque',
    description: 'A checkpoint is decoded twice, so that a plus in it becomes a blank.',
    rules: change('checkpoints', {
      shown: (sealed) => `${sealed}+`,
      read: (text) => text.replaceAll('+', ' ').replace(/\+$/, ''),
    }),
  },
  {
    name: 'checkpoint-cut-at-its-padding',
    requirement: '8/checkpoint-opaque',
    description:
      'The query is decoded before it is taken apart, so that a checkpoint is cut at its equals sign.',
    rules: change('checkpoints', {
      shown: (sealed) => `id=${sealed}`,
      read: (text) => text.split('=')[0] ?? '',
    }),
  },
  {
    name: 'checkpoint-in-lower-case',
    requirement: '8/checkpoint-opaque',
    description: 'The query is put into lower case, a checkpoint too.',
    rules: change('checkpoints', { read: (text) => text.toLowerCase() }),
  },
  {
    name: 'checkpoint-starts-over',
    requirement: '8/checkpoint-opaque',
    description: 'A checkpoint is passed over, so that every page is the first.',
    rules: change('experiments', { start: () => 0 }),
  },
  ...[1, 12, 23].flatMap((hours) => [
    {
      name: `checkpoint-dies-after-${hours}-hours`,
      requirement: '8/checkpoint-valid-24h',
      description: `A checkpoint is refused when it is ${hours} hours old.`,
      rules: lives(hours * hour, 'refuse'),
    },
    {
      name: `checkpoint-restarts-after-${hours}-hours`,
      requirement: '8/checkpoint-valid-24h',
      description: `With a checkpoint ${hours} hours old the listing starts over.`,
      rules: lives(hours * hour, 'restart'),
    },
  ]),
  {
    name: 'checkpoint-dies-five-minutes-early',
    requirement: '8/checkpoint-valid-24h',
    description: 'A checkpoint is void five minutes before it is 24 hours old.',
    rules: lives(day - hour / 12, 'restart'),
  },
  {
    name: 'checkpoint-of-a-past-day-is-empty',
    requirement: '8/checkpoint-valid-24h',
    description: 'With a checkpoint more than 20 hours old an empty page comes.',
    rules: change('experiments', {
      items: (items, page, call) =>
        page.from && call.now - page.from.issuedAt > 20 * hour && call.now - page.from.issuedAt < day
          ? []
          : items,
    }),
  },
  ...[25, 48].map((hours) => ({
    name: `checkpoint-lives-${hours}-hours`,
    requirement: '8/checkpoint-restart',
    description: `A checkpoint continues the listing until it is ${hours} hours old.`,
    rules: lives(hours * hour, 'restart'),
  })),
  {
    name: 'checkpoint-lives-for-ever',
    requirement: '8/checkpoint-restart',
    description: 'A checkpoint never expires.',
    rules: change('checkpoints', { isValid: () => true }),
  },
  {
    name: 'checkpoint-expired-is-refused',
    requirement: '8/checkpoint-restart',
    description: 'An expired checkpoint is refused with 400.',
    rules: change('checkpoints', { expired: () => 'refuse' }),
  },
  {
    name: 'checkpoint-expired-gives-nothing',
    requirement: '8/checkpoint-restart',
    description: 'With an expired checkpoint an empty page comes.',
    rules: (rules) =>
      change('experiments', {
        start: (index, matches, from, call) =>
          from !== undefined && call.now - from.issuedAt >= day ? matches : index,
      })(change('checkpoints', { expired: () => 'go-on' })(rules)),
  },
  {
    name: 'checkpoint-expired-starts-at-the-second-item',
    requirement: '8/checkpoint-restart',
    description: 'With an expired checkpoint the listing starts over at its second item.',
    rules: (rules) =>
      change('experiments', {
        start: (index, _matches, from, call) =>
          from !== undefined && call.now - from.issuedAt >= day ? 1 : index,
      })(change('checkpoints', { expired: () => 'go-on' })(rules)),
  },
  {
    name: 'checkpoint-life-counts-from-use',
    requirement: '8/checkpoint-life-from-issue',
    description: 'Each use of a checkpoint gives it another 24 hours.',
    rules: prolonged(() => true),
  },
  {
    name: 'checkpoint-life-doubled-by-late-use',
    requirement: '8/checkpoint-life-from-issue',
    description: "A use in the second half of a checkpoint's life gives it another 24 hours.",
    rules: prolonged((age) => age >= 12 * hour - 1000),
  },
  {
    name: 'checkpoint-life-counts-from-the-walk',
    requirement: '8/checkpoint-own-life',
    description: 'All checkpoints of a walk expire 24 hours after its first page.',
    rules: change('checkpoints', { issuedAt: (call, from) => from?.issuedAt ?? call.now }),
  },
  {
    name: 'checkpoint-of-a-later-page-lives-12-hours',
    requirement: '8/checkpoint-own-life',
    description: 'The checkpoints of later pages live for 12 hours.',
    rules: change('checkpoints', {
      issuedAt: (call, from) => (from === undefined ? call.now : call.now - 12 * hour),
    }),
  },
  {
    name: 'checkpoint-unknown-is-500',
    requirement: '8/checkpoint-misuse',
    description: 'A checkpoint that was not made here is answered with 500.',
    rules: breaksOn(() => true),
  },
  {
    name: 'checkpoint-long-is-500',
    requirement: '8/checkpoint-misuse',
    description: 'A checkpoint of more than 255 characters is answered with 500.',
    rules: breaksOn((text) => text.length > 255),
  },
  {
    name: 'checkpoint-quoted-is-500',
    requirement: '8/checkpoint-misuse',
    description: 'A quote in a checkpoint breaks the query, which is answered with 500.',
    rules: breaksOn((text) => text.includes("'")),
  },
  {
    name: 'checkpoint-number-is-500',
    requirement: '8/checkpoint-misuse',
    description: 'A checkpoint of digits beyond 64 bits is answered with 500.',
    rules: breaksOn((text) => /^\d{19,}$/.test(text)),
  },
  {
    name: 'checkpoint-cut-is-500',
    requirement: '8/checkpoint-misuse',
    description: 'A checkpoint that lost its end is answered with 500.',
    rules: breaksOn((text) => text.length > 20 && text.length < 64),
  },
  {
    name: 'checkpoint-beyond-ascii-is-500',
    requirement: '8/checkpoint-misuse',
    description: 'A checkpoint with characters beyond ASCII is answered with 500.',
    rules: breaksOn((text) => /[^\x20-\x7e]/.test(text)),
  },
  {
    name: 'checkpoint-under-a-new-filter-is-500',
    requirement: '8/checkpoint-misuse',
    description: 'A checkpoint brought to a filter that it was not made under is answered with 500.',
    rules: change('experiments', {
      start: (index, _matches, from, call) => {
        if (from !== undefined && asked(call, 'status') === 'draft' && from.position === 3)
          throw new Error('the checkpoint belongs to another query');
        return index;
      },
    }),
  },
];

function lives(milliseconds: number, then: 'restart' | 'refuse'): Fault['rules'] {
  return change('checkpoints', {
    isValid: (issuedAt, call) => call.now - issuedAt < milliseconds,
    expired: ({ issuedAt }, call) => (call.now - issuedAt < day ? then : 'restart'),
  });
}

/** Uses prolong a checkpoint's life, where the condition holds for its age. */
function prolonged(condition: (age: number) => boolean): Fault['rules'] {
  return (rules) => {
    const uses = new Map<string, number>();
    return change('checkpoints', {
      isValid: (issuedAt, call) => {
        const from = asked(call, 'from') ?? '';
        const holds = call.now - (uses.get(from) ?? issuedAt) < day;
        if (holds && condition(call.now - issuedAt)) uses.set(from, call.now);
        return holds;
      },
    })(rules);
  };
}

function breaksOn(condition: (text: string) => boolean): Fault['rules'] {
  return change('checkpoints', {
    invalid: (why, text) => {
      if (why === 'unknown' && condition(text)) throw new Error('the checkpoint is not known');
      return 'refuse';
    },
  });
}
