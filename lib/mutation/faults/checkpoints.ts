import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import { deletion, experiments, observe, on, stateful, update } from '../builders/on.ts';
import { isLaterPage, query } from '../builders/predicates.ts';
import { fail, toLowerCase } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/** Checkpoints are valid for this many milliseconds. */
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

/** A deletion invalidates all checkpoints. */
const endedByDeletion = stateful(() => {
  let deletedAt = Number.NEGATIVE_INFINITY;
  return compose(
    deletion.observe('policies.remove', (_nothing, _policies, _policy, call) => {
      deletedAt = call.now;
    }),
    experiments.after('checkpoints.isValid', (isValid, issuedAt) => isValid && issuedAt > deletedAt),
  );
});

/** The request after an update that was refused for its input is served with the identity of that update. */
const identityKept = stateful(() => {
  let isKept = false;
  return compose(
    on(({ headers }) => isKept && headers.authorization === undefined).needsNoToken(),
    observe('responses.wire', (_wire, { status }, { endpoint, headers }) => {
      const isUpdate = endpoint === 'put_factor_phone_templates' && headers.authorization !== undefined;
      isKept = isUpdate && status === 400;
    }),
  );
});

/** Checkpoints (section 8, convention 2). */
export const checkpointFaults: readonly Fault[] = faultsOf({
  '8/checkpoint-opaque': {
    'checkpoint-stays-percent-encoded': experiments
      .when(({ target }) => /[?&]from=[^&]*%/.test(target))
      .before('checkpoints.read', () => ''),
    'checkpoint-plus-becomes-a-blank': compose(
      experiments.after('checkpoints.shown', (shown) => `${shown}+`),
      experiments.before('checkpoints.read', (text) => text.replaceAll('+', ' ').replace(/\+$/, '')),
    ),
    'checkpoint-in-lower-case': experiments.before('checkpoints.read', toLowerCase),
  },
  '8/checkpoint-valid-24h': { 'checkpoint-dies-five-minutes-early': lifetime(day - 5 * minute) },
  '8/checkpoint-restart': {
    'checkpoint-lives-25-hours': lifetime(25 * hour),
    'checkpoint-age-in-days-of-the-week': experiments.replace(
      'checkpoints.isValid',
      (issuedAt, call) => (call.now - issuedAt) % (7 * day) < day,
    ),
    'checkpoint-age-of-31-bits': experiments.after(
      'checkpoints.isValid',
      (usual, issuedAt, call) => usual || ((call.now - issuedAt) | 0) < 0,
    ),
    'checkpoint-restart-skips-the-second-page': experiments
      .when(isLaterPage)
      .after('experiments.next', (usual, { from, positions, end, take }) =>
        from === undefined && usual !== undefined ? positions[end + take] : usual,
      ),
    'checkpoint-expired-is-refused': experiments.replace('checkpoints.expired', () => 'refuse' as const),
  },
  '8/checkpoint-life-from-issue': { 'checkpoint-life-counts-from-use': renewedByUse },
  '8/checkpoint-own-life': {
    'checkpoint-life-counts-from-the-walk': experiments.after(
      'checkpoints.issuedAt',
      (now, _call, from) => from?.issuedAt ?? now,
    ),
  },
  '8/checkpoint-misuse': {
    'checkpoint-long-is-500': experiments.before('checkpoints.read', (text) =>
      text.length > 255 ? fail() : text,
    ),
  },
  '8/any-history': {
    'deletion-restarts-walks': endedByDeletion,
    'templates-unchecked-when-the-clock-has-moved': update
      .when(({ clockOffset }) => clockOffset !== 0)
      .acceptsTemplate(),
    'identity-kept-after-a-refused-update': identityKept,
  },
});
