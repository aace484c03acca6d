import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { type Builder, compose } from '../builders/builder.ts';
import { deletion, everywhere, remembering, stateful, update } from '../builders/on.ts';
import { escapeHtml } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

const idOf = ({ operation, headers }: Call): string =>
  operation?.correlation ? String(headers[operation.correlation.header.toLowerCase()] ?? '') : '';

/** Changes the status of responses if the request's ID meets the condition. */
const status = (from: RegExp, to: number, condition: (id: string) => boolean): RulesOverride =>
  everywhere.response((usual, call) =>
    from.test(String(usual.status)) && condition(idOf(call)) ? { ...usual, status: to, body: {} } : usual,
  );

/** Changes IDs before they are truncated. */
const recordsAs = (transform: (id: string) => string): RulesOverride =>
  everywhere.after('correlation.recorded', (_recorded, id) => transform(id).slice(0, 64));

/** Concurrent requests of an operation share one variable for their ID. */
const sharedId = (builder: Builder): RulesOverride =>
  stateful(() => {
    let current = '';
    return compose(
      builder.observe('payload.limit', (_limit, call) => {
        current = idOf(call) || current;
      }),
      // Verifying every token again takes long enough for requests to overlap.
      builder.replace('token.remembers', () => false),
      builder.before('correlation.recorded', () => current),
    );
  });

/** A request without an ID is logged with the ID of the request before it. */
const inheritedId = stateful(() => {
  let last: string | undefined;
  return everywhere.after('correlation.sent', (id) => {
    last = id ?? last;
    return last;
  });
});

/** A request without an ID is logged with the ID of the request before it if that was refused. */
const inheritedFromRefused = stateful(() => {
  let last: string | undefined;
  return compose(
    everywhere.observe('responses.refusal', (_usual, _refusal, call) => {
      last = idOf(call) || undefined;
    }),
    everywhere.after('correlation.sent', (id) => {
      const inherited = id ?? last;
      last = undefined;
      return inherited;
    }),
  );
});

/** IDs are unique in the logs, by a comparison of a part of them. */
const uniqueIds = (compared: (id: string) => string): RulesOverride =>
  remembering((known) =>
    everywhere.after('correlation.sent', (id) => {
      if (id === undefined || known.has(compared(id))) return undefined;
      known.add(compared(id));
      return id;
    }),
  );

/** Section 5, request correlation. */
export const correlationFaults: readonly Fault[] = faultsOf({
  '5/correlation-accepted': {
    'long-id-431': status(/^2/, 431, ({ length }) => length > 999),
    'id-beyond-64-400': status(/^2/, 400, ({ length }) => length > 64),
    'id-no-uuid-400': status(/^2/, 400, (id) => id !== '' && !/^[\da-f-]{36}$/.test(id)),
  },
  '5/correlation-refused': { 'id-refused-500': status(/^401/, 500, (id) => id.length > 500) },
  '5/correlation-recorded': {
    'id-cut-at-63': recordsAs((id) => id.slice(0, 63)),
    'id-of-deletion-without-dots': deletion.after('correlation.recorded', (recorded) =>
      recorded.replace('.', '-'),
    ),
    'id-of-last-deletion': sharedId(deletion),
    'ids-of-updates-only': deletion.after('correlation.sent', () => undefined),
  },
  '5/correlation-truncated': {
    'id-cut-at-65': everywhere.after('correlation.recorded', (_recorded, id) => id.slice(0, 65)),
    'id-not-cut-when-refused': compose(
      everywhere.replace('correlation.logs', () => true),
      everywhere.after('correlation.recorded', (recorded, id, _correlation, { headers }) =>
        /^Bearer ey/.test(headers.authorization ?? '') ? recorded : id,
      ),
    ),
  },
  '5/correlation-exact': {
    'id-percent-decoded': recordsAs((id) => id.replaceAll('%20', ' ')),
    // As a filter against log injection does.
    'id-without-encoded-line-ends': recordsAs((id) => id.replaceAll(/%0[ad]/gi, '')),
    'id-uuid-in-lower-case': recordsAs((id) =>
      /^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/.test(id) ? id.toLowerCase() : id,
    ),
    'id-of-hex-digits-in-lower-case': recordsAs((id) => (/^[\dA-F]+$/.test(id) ? id.toLowerCase() : id)),
    'id-as-uuid': recordsAs((id) =>
      id.replace(/^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/, '$1-$2-$3-$4-$5'),
    ),
    // As a filter of logs does with numbers of payment cards.
    'id-masked-as-card-number': recordsAs((id) => id.replace(/\b\d{13,16}\b/g, '****')),
    'id-as-number': recordsAs((id) => (/^\d+$/.test(id) ? String(Number(id)) : id)),
    'id-escaped-for-html': recordsAs(escapeHtml),
    // A column of a table of comma-separated values.
    'id-of-deletion-cut-at-a-comma': deletion.after(
      'correlation.recorded',
      (recorded) => recorded.split(',')[0] ?? '',
    ),
    'id-unique-without-case': uniqueIds((id) => id.toLowerCase()),
  },
  '5/correlation-not-mixed': {
    'id-of-last-request': sharedId(update),
    'id-unique-by-32-characters': uniqueIds((id) => id.slice(0, 32)),
  },
  '5/correlation-not-inherited': {
    'id-inherited': inheritedId,
    'id-of-a-refused-request-inherited': inheritedFromRefused,
  },
});
