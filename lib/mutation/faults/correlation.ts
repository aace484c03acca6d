import { randomUUID } from 'node:crypto';
import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Builder } from '../builders/builder.ts';
import { deletion, everywhere, stateful, update } from '../builders/on.ts';
import { escapeHtml } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { compose } from '../rule-overrides.ts';

const idOf = ({ operation, headers }: Call): string =>
  operation?.correlation ? String(headers[operation.correlation.header.toLowerCase()] ?? '') : '';

/** Requests whose usual status is `from` get another one, where the condition holds of their ID. */
const status = (
  where: Builder,
  from: number,
  to: number,
  condition: (id: string) => boolean,
): RulesOverride =>
  where.response((usual, call) =>
    usual.status === from && condition(idOf(call)) ? { ...usual, status: to, body: {} } : usual,
  );

const isLong = (id: string): boolean => id.length > 64;

/** IDs of up to 64 characters, or all of them, are changed before they are truncated. */
const short = (change: (id: string) => string, where: Builder = everywhere): RulesOverride =>
  where.recordsCorrelationId((id, kept) => (isLong(id) ? kept : change(id)));
const changed = (change: (id: string) => string, where: Builder = everywhere): RulesOverride =>
  where.recordsCorrelationId((id) => change(id).slice(0, 64));
/** Longer IDs are recorded otherwise. */
const long = (change: (id: string) => string, where: Builder = everywhere): RulesOverride =>
  where.recordsCorrelationId((id, kept) => (isLong(id) ? change(id) : kept));

/** Such IDs are not recorded. */
const dropped = (condition: (id: string) => boolean): RulesOverride =>
  everywhere.dropsCorrelationId(condition);

/** Concurrent updates share one variable for their ID. */
const sharedId = stateful(() => {
  let current = '';
  return compose(
    update.before('payload.limit', (call) => {
      current = idOf(call) || current;
      return call;
    }),
    // Each token is verified anew, which takes a while, so that requests do overlap.
    update.replace('token.remembers', () => false),
    update.before('correlation.recorded', () => current),
  );
});

/** Section 5, request correlation. */
export const correlationFaults: readonly Fault[] = [
  ...faultsOf('5/correlation-accepted', [
    fault('long-id-400-on-delete', 'A long ID is 400, not 404.').by(status(deletion, 404, 400, isLong)),
    fault('long-id-431', 'An ID of 1,000 characters is 431.').by(
      status(everywhere, 200, 431, ({ length }) => length > 999),
      status(everywhere, 204, 431, ({ length }) => length > 999),
    ),
    fault('id-no-uuid-400', 'An ID that is not a UUID is 400.').by(
      status(update, 200, 400, (id) => id !== '' && !/^[\da-f-]{36}$/.test(id)),
    ),
  ]),
  ...faultsOf('5/correlation-refused', [
    fault('long-id-refused-400', 'A long ID is 400, not 401.').by(status(everywhere, 401, 400, isLong)),
    fault('id-refused-500', 'Logging a refused request with an ID fails.').by(
      status(deletion, 401, 500, (id) => id.length > 500),
    ),
  ]),
  ...faultsOf('5/correlation-recorded', [
    fault('id-cut-at-63', 'IDs are truncated at 63 characters.').by(short((id) => id.slice(0, 63))),
    fault('id-replaced', 'Deletion records a UUID of its own.').by(short(() => randomUUID(), deletion)),
    fault('ids-of-updates-only', 'Only IDs of updates are recorded.').by(deletion.dropsCorrelationId()),
    fault('ids-of-deletions-only', 'Only IDs of deletions are recorded.').by(update.dropsCorrelationId()),
    fault('ids-of-one-character', 'An ID of one character is lost.').by(dropped((id) => id.length < 2)),
    fault('ids-of-64', 'An ID of 64 characters is lost.').by(dropped((id) => id.length === 64)),
  ]),
  ...faultsOf('5/correlation-truncated', [
    fault('id-cut-at-65', 'Long IDs are truncated at 65 characters.').by(long((id) => id.slice(0, 65))),
    fault('long-id-cut-at-63', 'Long IDs are truncated at 63 characters.').by(long((id) => id.slice(0, 63))),
    fault('id-last-64', 'The last 64 characters are recorded.').by(long((id) => id.slice(-64))),
    fault('long-id-replaced', 'A UUID is recorded in place of a long ID.').by(long(() => randomUUID())),
    fault('id-cut-on-update-only', 'Deletion records long IDs whole.').by(long((id) => id, deletion)),
    fault('id-of-65-dropped', 'A long ID is not recorded.').by(dropped(isLong)),
  ]),
  ...faultsOf('5/correlation-exact', [
    fault('id-unquoted', 'Quotes are removed.').by(changed((id) => id.replaceAll('"', ''))),
    fault('id-up-to-comma', 'An ID ends at its first comma.').by(changed((id) => id.split(',')[0] ?? '')),
    fault('id-percent-decoded', 'An ID is percent-decoded.').by(changed((id) => id.replaceAll('%20', ' '))),
    fault('id-escaped-for-html', 'IDs are escaped for HTML.').by(changed(escapeHtml)),
    fault('id-word-characters', 'Punctuation is lost.').by(changed((id) => id.replace(/[^\w.-]/g, ''))),
  ]),
  ...faultsOf('5/correlation-not-mixed', [
    fault('id-of-last-request', 'Concurrent updates are logged with the last ID.').by(sharedId),
  ]),
];
