import type { Fault } from '../fault.ts';
import { override } from '../rules.ts';

/** Faults that no single operation shows: what one request does to another. */
export const historyFaults: readonly Fault[] = [
  {
    name: 'deletion-restarts-walks',
    breaks: '8/any-history',
    says: 'A deletion empties the cache that knows the checkpoints, so that the walks under way start over.',
    rules: (rules) => {
      let deletedAt = Number.NEGATIVE_INFINITY;
      return override(
        override(rules, 'policies', (usual) => ({
          remove(policies, policy, call) {
            deletedAt = call.now;
            usual.remove(policies, policy, call);
          },
        })),
        'checkpoints',
        (usual) => ({
          isValid: (issuedAt, call, pagination) =>
            issuedAt > deletedAt && usual.isValid(issuedAt, call, pagination),
        }),
      );
    },
  },
  {
    name: 'filtered-restart-skips-the-first',
    breaks: '8/any-history',
    says: 'A filtered listing that starts over, because its checkpoint has expired, starts over at its second item.',
    rules: (rules) => {
      let restarted: number | undefined;
      return override(
        override(rules, 'checkpoints', (usual) => ({
          expired(checkpoint, call) {
            restarted = call.number;
            return usual.expired(checkpoint, call);
          },
        })),
        'experiments',
        (usual) => ({
          start(index, matches, from, call) {
            const filtered = call.query?.some(([name]) => name === 'status') ?? false;
            const start = usual.start(index, matches, from, call);
            return restarted === call.number && filtered ? start + 1 : start;
          },
        }),
      );
    },
  },
  {
    name: 'update-lost-after-a-day',
    breaks: '8/any-history',
    says: 'The connection that stores updates is a day old and broken, which nobody notices: the answer is as ever.',
    rules: (rules) =>
      override(rules, 'templates', (usual) => ({
        held: (sent, before, call) => (call.clockOffset > 86_400 ? before : usual.held(sent, before, call)),
      })),
  },
];
