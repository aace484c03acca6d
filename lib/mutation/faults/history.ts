import { override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';

/** Faults that the tenant's usual data does not show: what one request does to another, and what other data does. */
export const historyFaults: readonly Fault[] = [
  {
    name: 'deletion-restarts-walks',
    requirement: '8/any-history',
    description:
      'A deletion empties the cache that knows the checkpoints, so that the walks under way start over.',
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
    requirement: '8/any-history',
    description:
      'A filtered listing that starts over, because its checkpoint has expired, starts over at its second item.',
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
    requirement: '8/any-history',
    description:
      'The connection that stores updates is a day old and broken, which nobody notices: the answer is as ever.',
    rules: (rules) =>
      override(rules, 'templates', (usual) => ({
        held: (sent, before, call) => (call.clockOffset > 86_400 ? before : usual.held(sent, before, call)),
      })),
  },
  {
    name: 'versions-last-full-page-lost',
    requirement: '4.4/any-count',
    description: 'Where the number of versions is a multiple of the page size the last page comes empty.',
    rules: (rules) =>
      override(rules, 'versions', (usual) => ({
        items(items, page, call) {
          const { total, perPage } = page;
          const isLastFull = perPage === 20 && total % 20 === 0 && page.page === total / 20 - 1;
          return isLastFull ? [] : usual.items(items, page, call);
        },
      })),
  },
  {
    name: 'versions-of-a-full-page-lose-one',
    requirement: '4.4/any-count',
    description: 'Of exactly as many versions as a page holds by default the last one is never shown.',
    rules: (rules) =>
      override(rules, 'versions', (usual) => ({
        items: (items, page, call) =>
          usual.items(items.length === 20 ? items.slice(0, -1) : items, page, call),
      })),
  },
];
