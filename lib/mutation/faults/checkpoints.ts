import type { RulesOverride } from '../../fake/rules.ts';
import { deletion, experiments, stateful } from '../builders/on.ts';
import { query } from '../builders/predicates.ts';
import { fail, toLowerCase } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { compose } from '../rule-overrides.ts';

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/** Checkpoints are valid for so many milliseconds. */
const lifetime = (milliseconds: number): RulesOverride =>
  experiments.replace('checkpoints.isValid', (issuedAt, call) => call.now - issuedAt < milliseconds);

/** Using a checkpoint renews it. */
const renewedByUse = stateful(() => {
  const uses = new Map<string, number>();
  return experiments.replace('checkpoints.isValid', (issuedAt, call) => {
    const from = query(call, 'from') ?? '';
    const isValid = call.now - (uses.get(from) ?? issuedAt) < day;
    if (isValid) uses.set(from, call.now);
    return isValid;
  });
});

/** A deletion ends the life of all checkpoints. */
const endedByDeletion = stateful(() => {
  let deletedAt = Number.NEGATIVE_INFINITY;
  return compose(
    deletion.around('policies.remove', (remove, policies, policy, call) => {
      deletedAt = call.now;
      remove(policies, policy, call);
    }),
    experiments.after('checkpoints.isValid', (isValid, issuedAt) => isValid && issuedAt > deletedAt),
  );
});

/** Checkpoints (section 8, convention 2). */
export const checkpointFaults: readonly Fault[] = faultsOf({
  '8/checkpoint-opaque': [
    fault('checkpoint-stays-percent-encoded', 'A percent-encoded checkpoint is not known.').by(
      experiments.when(({ target }) => /[?&]from=[^&]*%/.test(target)).before('checkpoints.read', () => ''),
    ),
    fault('checkpoint-plus-becomes-a-blank', 'A checkpoint is decoded twice: a plus becomes a blank.').by(
      experiments.after('checkpoints.shown', (shown) => `${shown}+`),
      experiments.before('checkpoints.read', (text) => text.replaceAll('+', ' ').replace(/\+$/, '')),
    ),
    fault('checkpoint-in-lower-case', 'The whole query is lowercased.').by(
      experiments.before('checkpoints.read', toLowerCase),
    ),
  ],
  '8/checkpoint-valid-24h': fault(
    'checkpoint-dies-five-minutes-early',
    'A checkpoint expires five minutes early.',
  ).by(lifetime(day - 5 * minute)),
  '8/checkpoint-restart': [
    fault('checkpoint-lives-25-hours', 'A checkpoint lives 25 hours.').by(lifetime(25 * hour)),
    fault('checkpoint-expired-is-refused', 'An expired checkpoint is rejected with 400.').by(
      experiments.replace('checkpoints.expired', () => 'refuse' as const),
    ),
  ],
  '8/checkpoint-life-from-issue': fault('checkpoint-life-counts-from-use', 'A use renews a checkpoint.').by(
    renewedByUse,
  ),
  '8/checkpoint-own-life': fault(
    'checkpoint-life-counts-from-the-walk',
    'Checkpoints expire 24 hours after the first page.',
  ).by(experiments.after('checkpoints.issuedAt', (now, _call, from) => from?.issuedAt ?? now)),
  '8/checkpoint-misuse': fault(
    'checkpoint-long-is-500',
    'A checkpoint of more than 255 characters is answered 500.',
  ).by(experiments.before('checkpoints.read', (text) => (text.length > 255 ? fail() : text))),
  '8/any-history': fault(
    'deletion-restarts-walks',
    'A deletion empties the cache of checkpoints, so that walks start over.',
  ).by(endedByDeletion),
});
