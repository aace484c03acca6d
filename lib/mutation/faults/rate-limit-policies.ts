import type { RulesOverride } from '../../fake/rules.ts';
import { deletion, stateful } from '../builders/on.ts';
import { misreadAsLatin1, toNfc } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { after, replace } from '../rule-overrides.ts';

const id = deletion.param('id');

/** The id is changed after it was percent-decoded. */
const decoded = (change: (id: string) => string | undefined): RulesOverride =>
  id.decodes((text) => change(decodeURIComponent(text)));

function decodedAgain(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Other policies are removed in place of the one. */
const removes = (ids: (id: string, all: readonly string[]) => readonly string[]): RulesOverride =>
  replace('policies.remove', (policies, policy) => {
    for (const each of ids(policy.id, [...policies.keys()])) policies.delete(each);
  });
const removesSimilar = (isSimilar: (other: string, id: string) => boolean): RulesOverride =>
  removes((own, ids) => ids.filter((each) => isSimilar(each, own)));

/** Ids of such lengths are served, and unknown ones answered with success. */
const serves = (condition: (length: number) => boolean): readonly RulesOverride[] => [
  id.accepts(({ length }) => condition(length)),
  after(
    'policies.found',
    (found, _policies, text) => found ?? (condition(text.length) ? { id: text } : undefined),
  ),
];

/** Deletion of rate limit policies (sections 2.4 and 4.3). */
export const policyFaults: readonly Fault[] = [
  ...faultsOf('4.3/delete-succeeds', [
    fault('delete-redirects', 'A deletion is 303.').by(deletion.status(303)),
  ]),
  ...faultsOf('4.3/delete-short-id', [
    fault('delete-short-id-refused', 'One character is refused.').by(id.rejects((text) => text.length === 1)),
    fault('delete-number-not-found', 'An id of digits is a number, which no policy has.').by(
      after('policies.found', (found, _policies, text) => (/^\d+$/.test(text) ? undefined : found)),
    ),
  ]),
  ...faultsOf('4.3/delete-long-id', [
    fault('delete-26-refused', '26 characters are refused.').by(id.rejects((text) => text.length === 26)),
    fault('delete-26-cut-to-25', 'An id is cut at 25.').by(id.coerces((text) => text.slice(0, 25))),
  ]),
  ...faultsOf('4.3/delete-encoded-id', [
    fault('delete-slash-routed-elsewhere', 'A slash ends the id.').by(decoded((text) => text.split('/')[0])),
    fault('delete-id-decoded-twice', 'An id is decoded twice.').by(decoded(decodedAgain)),
    fault('delete-id-not-decoded', 'An id is not decoded.').by(id.decodes((text) => text)),
    fault('delete-id-as-latin-1', 'An id is read as Latin-1.').by(decoded(misreadAsLatin1)),
    fault('delete-id-normalised', 'An id is put into normal form C.').by(decoded(toNfc)),
    fault('delete-id-word-characters-only', 'Only word characters are accepted.').by(
      id.rejects((text) => !/^[\w-]+$/.test(text)),
    ),
  ]),
  ...faultsOf('4.3/policy-is-gone', [
    fault('delete-only-pretends', 'Nothing is deleted.').by(removes(() => [])),
  ]),
  ...faultsOf('4.3/others-stay', [
    fault('delete-empties-the-tenant', 'Every policy is deleted.').by(removes((_own, ids) => ids)),
    fault('delete-by-prefix', 'The id is a prefix.').by(removesSimilar((each, own) => each.startsWith(own))),
    fault('delete-case-insensitive', 'Case is ignored.').by(
      removesSimilar((each, own) => each.toLowerCase() === own.toLowerCase()),
    ),
    fault('delete-unknown-takes-the-first', 'For an unknown policy the first is deleted.').by(
      after('policies.found', (found, policies) => found ?? policies.values().next().value),
    ),
  ]),
  ...faultsOf('4.3/others-deletable', [
    fault('delete-only-once', 'After one deletion the others fail with 500.').by(
      stateful(() => {
        let isFirst = true;
        return deletion.response((usual) => {
          if (usual.status !== 204) return usual;
          const status = isFirst ? 204 : 500;
          isFirst = false;
          return { ...usual, status };
        });
      }),
    ),
  ]),
  ...faultsOf('4.3/id-too-long', [
    fault('delete-27-accepted', 'An id of 27 characters is served.').by(...serves((length) => length === 27)),
    fault('delete-any-length-accepted', 'Any length is served.').by(...serves((length) => length > 26)),
    fault('delete-long-id-is-500', 'An id that is too long is 500.').by(id.fails((text) => text.length > 26)),
  ]),
];
