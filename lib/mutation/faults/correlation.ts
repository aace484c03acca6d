import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { deletion, everywhere, stateful, update } from '../builders/on.ts';
import { escapeHtml } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { compose } from '../rule-overrides.ts';

const idOf = ({ operation, headers }: Call): string =>
  operation?.correlation ? String(headers[operation.correlation.header.toLowerCase()] ?? '') : '';

/** Responses of this status get another one, where the condition applies to their request's ID. */
const status = (from: RegExp, to: number, condition: (id: string) => boolean): RulesOverride =>
  everywhere.response((usual, call) =>
    from.test(String(usual.status)) && condition(idOf(call)) ? { ...usual, status: to, body: {} } : usual,
  );

/** IDs are changed before they are truncated. */
const recordsAs = (transform: (id: string) => string): RulesOverride =>
  everywhere.after('correlation.recorded', (_recorded, id) => transform(id).slice(0, 64));
/** Longer IDs are recorded otherwise. */
const ofLongIds = (transform: (id: string) => string): RulesOverride =>
  everywhere.after('correlation.recorded', (recorded, id) => (id.length > 64 ? transform(id) : recorded));

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

/** A request without an ID is logged with the ID before it. */
const inheritedId = stateful(() => {
  let last: string | undefined;
  return everywhere.after('correlation.sent', (id) => {
    last = id ?? last;
    return last;
  });
});

/** Section 5, request correlation. */
export const correlationFaults: readonly Fault[] = faultsOf({
  '5/correlation-accepted': [
    fault('long-id-431', 'An ID of 1,000 characters is 431.').by(
      status(/^2/, 431, ({ length }) => length > 999),
    ),
    fault('id-no-uuid-400', 'An ID that is not a UUID is 400.').by(
      status(/^2/, 400, (id) => id !== '' && !/^[\da-f-]{36}$/.test(id)),
    ),
  ],
  '5/correlation-refused': fault('id-refused-500', 'Logging a refused request with an ID fails.').by(
    status(/^401/, 500, (id) => id.length > 500),
  ),
  '5/correlation-recorded': [
    fault('id-cut-at-63', 'IDs are truncated at 63 characters.').by(recordsAs((id) => id.slice(0, 63))),
    fault('ids-of-updates-only', 'Only IDs of updates are recorded.').by(
      deletion.after('correlation.sent', () => undefined),
    ),
  ],
  '5/correlation-truncated': [
    fault('id-cut-at-65', 'Long IDs are truncated at 65 characters.').by(ofLongIds((id) => id.slice(0, 65))),
    fault('id-last-64', 'The last 64 characters are recorded.').by(ofLongIds((id) => id.slice(-64))),
  ],
  '5/correlation-exact': [
    fault('id-percent-decoded', 'An ID is percent-decoded.').by(recordsAs((id) => id.replaceAll('%20', ' '))),
    fault('id-uuid-in-lower-case', 'A UUID is recorded in lower case.').by(
      recordsAs((id) => (/^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/.test(id) ? id.toLowerCase() : id)),
    ),
    fault('id-as-number', 'An ID of digits is recorded as a number.').by(
      recordsAs((id) => (/^\d+$/.test(id) ? String(Number(id)) : id)),
    ),
    fault('id-escaped-for-html', 'IDs are escaped for HTML.').by(recordsAs(escapeHtml)),
  ],
  '5/correlation-not-mixed': fault(
    'id-of-last-request',
    'Concurrent updates are logged with the last ID.',
  ).by(sharedId),
  '5/correlation-not-inherited': fault(
    'id-inherited',
    'A request without an ID is logged with the last one.',
  ).by(inheritedId),
});
