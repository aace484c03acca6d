import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import {
  after,
  around,
  checkedBy,
  deletion,
  overlapping,
  remembering,
  replace,
  stateful,
  update,
} from '../builders/on.ts';
import { query } from '../builders/predicates.ts';
import { fail, misreadAsLatin1 } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

const id = deletion.param('id');

/** Changes the id after it has been percent-decoded. */
const decoded = (transform: (id: string) => string | undefined): RulesOverride =>
  deletion.after('parameters.decodedPath', (usual) => (usual === undefined ? usual : transform(usual)));

/** Removes all policies with a similar id instead of only the requested one. */
const removes = (isSimilar: (other: string, id: string) => boolean): RulesOverride =>
  replace('policies.remove', (policies, policy) => {
    for (const each of [...policies.keys()]) if (isSimilar(each, policy.id)) policies.delete(each);
  });

/** Finds the first policy with a similar id if there is none with the requested one. */
const finds = (isSimilar: (other: string, id: string) => boolean): RulesOverride =>
  after(
    'policies.found',
    (found, policies, text) => found ?? [...policies.values()].find(({ id }) => isSimilar(id, text)),
  );

/** Finds no policy with an id that matches the pattern. */
const neverFinds = (pattern: RegExp): RulesOverride =>
  after('policies.found', (found, _policies, text) => (pattern.test(text) ? undefined : found));

/** A deletion with the id of a deleted policy restores it. */
const restoredByDeletion = stateful(() => {
  const restore = new Map<string, () => unknown>();
  return compose(
    deletion.observe('policies.remove', (_nothing, policies, policy) =>
      restore.set(policy.id, () => policies.set(policy.id, policy)),
    ),
    deletion.observe('policies.found', (_found, _policies, text) => restore.get(text)?.()),
  );
});

/** A deletion of a policy that another request is deleting responds with 500. */
const failsWhileDeleting = overlapping(
  deletion,
  (isLate) =>
    deletion.after('policies.found', (found, _policies, _id, call) => (isLate(call) ? fail() : found)),
  ({ target }) => target,
);

/** An update writes the whole tenant as it was before, with policies that were deleted meanwhile. */
const restoredByUpdates = stateful(() => {
  let updates = 0;
  return compose(
    update.observe('payload.limit', () => {
      updates += 1;
    }),
    update.observe('responses.wire', () => {
      updates -= 1;
    }),
    // Verifying every token again takes long enough for requests to overlap.
    replace('token.remembers', () => false),
    deletion.replace('policies.remove', (policies, policy) => {
      if (updates === 0) policies.delete(policy.id);
    }),
  );
});

/** A refused update rolls back the last deletion too. */
const rolledBackByRefusal = stateful(() => {
  let restore = () => {};
  return compose(
    deletion.observe('policies.remove', (_nothing, policies, policy) => {
      restore = () => policies.set(policy.id, policy);
    }),
    update.observe('responses.refusal', () => restore()),
  );
});

/** Deletion of rate limit policies (sections 2.4 and 4.3). */
export const policyFaults: readonly Fault[] = faultsOf({
  '4.3/delete-succeeds': { 'delete-redirects': deletion.status(303) },
  '4.3/delete-short-id': {
    'delete-zero-not-found': neverFinds(/^0$/),
    // As MongoDB drivers took 12 characters for an ObjectId.
    'delete-twelve-characters-not-found': neverFinds(/^.{12}$/),
    'delete-null-not-found': neverFinds(/^null$/),
    'delete-lost-in-a-concurrent-update': restoredByUpdates,
    'delete-after-a-missing-one-fails': stateful(() => {
      let isStale = false;
      return deletion.after('policies.found', (found) => {
        const result = isStale ? undefined : found;
        isStale = found === undefined;
        return result;
      });
    }),
  },
  '4.3/delete-long-id': {
    'delete-26-refused': id.rejects((text) => text.length === 26),
    'delete-digit-and-letters-not-found': neverFinds(/^\d[a-z]{3}/),
  },
  '4.3/delete-encoded-id': {
    'delete-slash-routed-elsewhere': decoded((text) => text.split('/')[0]),
    'delete-id-decoded-twice': decoded((text) =>
      /%(?![\da-f]{2})/i.test(text) ? undefined : decodeURIComponent(text),
    ),
    'delete-id-as-latin-1': decoded(misreadAsLatin1),
    'delete-leading-slashes-lost': decoded((text) => text.replace(/^\/\/+/, '')),
    'delete-leading-dots-lost': decoded((text) => text.replace(/^\.+/, '')),
  },
  '4.3/policy-is-gone': {
    'deletions-with-a-known-id-skipped': remembering((known) =>
      around('policies.remove', (remove, policies, policy, call) => {
        const id = String(call.headers['x-correlation-id'] ?? call.number).slice(0, 64);
        if (!known.has(id)) remove(policies, policy, call);
        known.add(id);
      }),
    ),
    'delete-only-pretends': removes(() => false),
    'delete-rolled-back-by-a-refused-update': rolledBackByRefusal,
    'delete-again-restores': restoredByDeletion,
  },
  '4.3/others-stay': {
    'delete-by-prefix': removes((each, own) => each.startsWith(own)),
    'delete-case-insensitive': removes((each, own) => each.toLowerCase() === own.toLowerCase()),
    'delete-by-number': removes(
      (each, own) => each === own || (/^\d+$/.test(own) && Number.parseInt(each, 10) === Number(own)),
    ),
    'delete-by-id-in-the-query': after(
      'policies.found',
      (found, policies, _text, call) => policies.get(query(call, 'id') ?? '') ?? found,
    ),
    'delete-missing-without-trailing-dots': finds((each, sent) => each === sent.replace(/\.+$/, '')),
  },
  '4.3/id-case': {
    'delete-id-cut-at-dot': decoded((text) => text.split('.')[0]),
    'delete-of-all-below': removes((each, own) => each === own || each.startsWith(`${own}:`)),
  },
  '4.3/others-deletable': {
    'delete-only-once': stateful(() => {
      let deletions = 0;
      return deletion.status(500, () => {
        deletions += 1;
        return deletions > 1;
      });
    }),
  },
  '7/no-server-error': { 'delete-of-a-policy-under-deletion-500': failsWhileDeleting },
  '4.3/id-too-long': {
    'delete-27-accepted': compose(
      id.accepts(({ length }) => length === 27),
      after(
        'policies.found',
        (found, _policies, text) => found ?? (text.length === 27 ? { id: text } : undefined),
      ),
    ),
    'delete-of-several-lines-accepted': compose(
      id.accepts((text) => /^.{1,26}$/m.test(text)),
      after(
        'policies.found',
        (found, _policies, text) => found ?? (text.includes('\n') ? { id: text } : undefined),
      ),
    ),
    'delete-far-too-long-id-cut': decoded((text) => (text.length > 64 ? text.slice(0, 26) : text)),
    'delete-long-id-cut-at-start': decoded((text) => text.slice(-26)),
    'delete-long-id-refused-but-another-deleted': deletion.executesRefused(
      'invalid_uri',
      compose(
        checkedBy('token', 'scopes', 'exists'),
        finds(() => true),
      ),
    ),
  },
});
