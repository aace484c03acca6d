import type { RulesOverride } from '../../fake/rules.ts';
import { deletion, stateful } from '../builders/on.ts';
import { misreadAsLatin1 } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { after, before, compose, replace } from '../rule-overrides.ts';

const id = deletion.param('id');

/** The id is changed after it was percent-decoded. */
const decoded = (transform: (id: string) => string | undefined): RulesOverride =>
  deletion.after('parameters.decodedPath', (usual) => (usual === undefined ? usual : transform(usual)));

/** The policies whose ids are similar are removed, in place of the one. */
const removes = (isSimilar: (other: string, id: string) => boolean): RulesOverride =>
  replace('policies.remove', (policies, policy) => {
    for (const each of [...policies.keys()]) if (isSimilar(each, policy.id)) policies.delete(each);
  });

/** Policies that were deleted are put back when they are looked up again. */
const restoredAgain = stateful(() => {
  const restore = new Map<string, () => void>();
  return compose(
    before('policies.remove', (policies, policy) => {
      restore.set(policy.id, () => policies.set(policy.id, policy));
      return policies;
    }),
    after('policies.found', (found, _policies, text) => {
      if (found === undefined) restore.get(text)?.();
      return found;
    }),
  );
});

/** Deletion of rate limit policies (sections 2.4 and 4.3). */
export const policyFaults: readonly Fault[] = faultsOf({
  '4.3/delete-succeeds': fault('delete-redirects', 'A deletion is 303.').by(deletion.status(303)),
  '4.3/delete-short-id': fault(
    'delete-number-not-found',
    'An id of digits is a number, which no policy has.',
  ).by(after('policies.found', (found, _policies, text) => (/^\d+$/.test(text) ? undefined : found))),
  '4.3/delete-long-id': fault('delete-26-refused', '26 characters are refused.').by(
    id.rejects((text) => text.length === 26),
  ),
  '4.3/delete-encoded-id': [
    fault('delete-slash-routed-elsewhere', 'A slash ends the id.').by(decoded((text) => text.split('/')[0])),
    fault('delete-id-decoded-twice', 'An id is decoded twice.').by(
      decoded((text) => (/%(?![\da-f]{2})/i.test(text) ? undefined : decodeURIComponent(text))),
    ),
    fault('delete-id-as-latin-1', 'An id is read as Latin-1.').by(decoded(misreadAsLatin1)),
  ],
  '4.3/policy-is-gone': [
    fault('delete-only-pretends', 'Nothing is deleted.').by(removes(() => false)),
    fault('delete-again-restores', 'A second deletion brings the policy back.').by(restoredAgain),
  ],
  '4.3/others-stay': [
    fault('delete-by-prefix', 'The id is a prefix.').by(removes((each, own) => each.startsWith(own))),
    fault('delete-case-insensitive', 'Case is ignored.').by(
      removes((each, own) => each.toLowerCase() === own.toLowerCase()),
    ),
    fault('delete-by-number', 'An id that is a number takes those that begin with the number.').by(
      removes(
        (each, own) => each === own || (/^\d+$/.test(own) && Number.parseInt(each, 10) === Number(own)),
      ),
    ),
    fault('delete-unknown-takes-the-first', 'For an unknown policy the first is deleted.').by(
      after('policies.found', (found, policies) => found ?? policies.values().next().value),
    ),
  ],
  '4.3/others-deletable': fault('delete-only-once', 'After one deletion the others fail with 500.').by(
    stateful(() => {
      let deletions = 0;
      return deletion.status(500, () => {
        deletions += 1;
        return deletions > 1;
      });
    }),
  ),
  '4.3/id-too-long': [
    fault('delete-27-accepted', 'An id of 27 characters is served.').by(
      id.accepts(({ length }) => length === 27),
      after(
        'policies.found',
        (found, _policies, text) => found ?? (text.length === 27 ? { id: text } : undefined),
      ),
    ),
    fault('delete-long-id-cut', 'An id is cut after 26 characters.').by(decoded((text) => text.slice(0, 26))),
  ],
});
