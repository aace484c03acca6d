import { decodeJwt } from 'jose';
import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Filters } from '../../fake/tenant.ts';
import { compose } from '../builders/builder.ts';
import { after, around, before, observe, remembering, replace, stateful } from '../builders/on.ts';
import { variants } from './variant.ts';

/** Checkpoints in another format; `read` returns undefined for a text that is not in this format. */
const form = (show: (encoded: string) => string, read: (text: string) => string | undefined): RulesOverride =>
  compose(
    after('checkpoints.shown', show),
    before('checkpoints.read', (text) => read(text) ?? ''),
  );

/** Checkpoints with a text before and after them. */
const wrapped = (prefix: string, suffix: string): RulesOverride =>
  form(
    (encoded) => `${prefix}${encoded}${suffix}`,
    (text) =>
      text.startsWith(prefix) && text.endsWith(suffix)
        ? text.slice(prefix.length, text.length - suffix.length)
        : undefined,
  );

const hex = (encoded: string): string => Buffer.from(encoded, 'base64url').toString('hex');
const fromHex = (digits: string): string => Buffer.from(digits, 'hex').toString('base64url');
const numeric = form(
  (encoded) => BigInt(`0x1${hex(encoded)}`).toString(),
  (text) => (/^\d{1,200}$/.test(text) ? fromHex(BigInt(text).toString(16).replace(/^1/, '')) : undefined),
);
/** Checkpoints that only a request with the same property as the issuing request may use. */
const bound = (of: (call: Call) => unknown): RulesOverride =>
  stateful(() => {
    const issued = new Map<string, string>();
    return compose(
      observe('checkpoints.shown', (text, _encoded, call) => issued.set(text, JSON.stringify(of(call)))),
      before('checkpoints.read', (text, call) => (issued.get(text) === JSON.stringify(of(call)) ? text : '')),
    );
  });

const query = (call: Call, ...names: readonly string[]): unknown =>
  call.query?.filter(([name]) => names.includes(name)).toSorted() ?? null;

/** A checkpoint contains the filters of its listing; the request's own filters are ignored. */
const withFilters = stateful(() => {
  const issued = new Map<string, Filters>();
  let current: Filters = {};
  return compose(
    after('experiments.filters', (filters, _requested, call) => {
      const from = call.query?.find(([name]) => name === 'from')?.[1] ?? '';
      current = issued.get(from) ?? filters;
      return current;
    }),
    observe('checkpoints.shown', (text) => issued.set(text, current)),
  );
});

const singleUse = remembering((spent) =>
  around('checkpoints.read', (usual, text, call) => {
    const isSpent = spent.has(text);
    spent.add(text);
    return usual(isSpent ? '' : text, call);
  }),
);

/** A cursor of the database: its text stays the same during a walk, and the database knows its position. */
const cursors = stateful(() => {
  const positions = new Map<string, string>();
  const used = new Map<number, string>();
  return compose(
    around('checkpoints.read', (usual, text, call) => {
      used.set(call.number, text);
      return usual(positions.get(text) ?? '', call);
    }),
    after('checkpoints.shown', (encoded, _encoded, call) => {
      const cursor = used.get(call.number) ?? `cursor-${positions.size}`;
      positions.set(cursor, encoded);
      return cursor;
    }),
  );
});

/** Formats of checkpoints, and what happens to invalid ones (section 8, convention 2). */
export const checkpointVariants = variants({
  'checkpoint-numeric': numeric,
  'checkpoint-long': wrapped('x'.repeat(1500), ''),
  'checkpoint-with-delimiters': wrapped(' a&b=c%20+#?/%', '%zz ;Ünï→😀e\u0301'),
  'checkpoint-spent': singleUse,
  'checkpoint-is-a-cursor': cursors,
  'checkpoint-tampered-restarts': replace('checkpoints.invalid', () => 'restart' as const),
  'checkpoint-bound-to-filters': bound((call) =>
    query(call, 'status', 'authentication_flow', 'feature_flag_id'),
  ),
  'checkpoint-with-its-filters': withFilters,
  'checkpoint-bound-to-take': bound((call) => query(call, 'take')),
  'checkpoint-bound-to-subject': bound(
    ({ headers: { authorization = '' } }) => decodeJwt(authorization.replace(/^bearer +/i, '')).sub,
  ),
  'checkpoint-expires-to-the-second': replace(
    'checkpoints.isValid',
    (at, { now }, { lifetime }) => now - at < (lifetime + 30) * 1000,
  ),
});
