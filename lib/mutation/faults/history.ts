import { deletion, experiments, stateful, update } from '../builders/on.ts';
import { hasQuery } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { compose } from '../rule-overrides.ts';

/** Faults that show only after other requests: what one request does to another. */
export const historyFaults: readonly Fault[] = faultsOf('8/any-history', [
  fault(
    'deletion-restarts-walks',
    'A deletion empties the cache of checkpoints, so that walks start over.',
  ).by(
    stateful(() => {
      let deletedAt = Number.NEGATIVE_INFINITY;
      return compose(
        deletion.around('policies.remove', (remove, policies, policy, call) => {
          deletedAt = call.now;
          remove(policies, policy, call);
        }),
        experiments.after('checkpoints.isValid', (isValid, issuedAt) => isValid && issuedAt > deletedAt),
      );
    }),
  ),
  fault('filtered-restart-skips-the-first', 'A filtered listing that starts over skips its first item.').by(
    stateful(() => {
      let restarted: number | undefined;
      return compose(
        experiments.after('checkpoints.expired', (usual, _checkpoint, call) => {
          restarted = call.number;
          return usual;
        }),
        experiments
          .when(hasQuery('status'))
          .after('experiments.start', (start, _index, _matches, _from, call) =>
            restarted === call.number ? start + 1 : start,
          ),
      );
    }),
  ),
  fault('update-lost-after-a-day', 'After a day updates are answered as ever and not stored.').by(
    update.around('templates.held', (held, sent, before, call) =>
      call.clockOffset > 86_400 ? before : held(sent, before, call),
    ),
  ),
]);
