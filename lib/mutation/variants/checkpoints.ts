import type { Call } from '../../fake/call.ts';
import { override, type RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';

/** Checkpoints in another form; undefined for a text that has not that form. */
function shaped(
  shown: (sealed: string) => string,
  read: (text: string) => string | undefined,
): RulesOverride {
  return (rules) =>
    override(rules, 'checkpoints', (usual) => ({
      shown: (sealed, call) => shown(usual.shown(sealed, call)),
      read: (text, call) => usual.read(read(text) ?? '', call),
    }));
}

/** Checkpoints with a text before and after them. */
function wrapped(before: string, after: string): RulesOverride {
  return shaped(
    (sealed) => `${before}${sealed}${after}`,
    (text) =>
      text.startsWith(before) && text.endsWith(after)
        ? text.slice(before.length, text.length - after.length)
        : undefined,
  );
}

const hex = (sealed: string): string => Buffer.from(sealed, 'base64url').toString('hex');
const sealedOf = (digits: string): string => Buffer.from(digits, 'hex').toString('base64url');

/** Checkpoints that are kept with something of the request that they were made for. */
function bound(of: (call: Call) => string): RulesOverride {
  return (rules) => {
    const made = new Map<string, string>();
    return override(rules, 'checkpoints', (usual) => ({
      shown(sealed, call) {
        const text = usual.shown(sealed, call);
        made.set(text, of(call));
        return text;
      },
      read: (text, call) => usual.read(made.get(text) === of(call) ? text : '', call),
    }));
  };
}

const query = (call: Call, ...names: readonly string[]): string =>
  JSON.stringify(call.query?.filter(([name]) => names.includes(name)).toSorted());

/** Forms of checkpoints, and what becomes of bad ones (section 8, convention 2). */
export const checkpoints: readonly Variant[] = [
  {
    name: 'checkpoint-numeric',
    says: 'Checkpoints are long numbers.',
    rules: shaped(
      (sealed) => BigInt(`0x1${hex(sealed)}`).toString(),
      (text) =>
        /^\d{1,200}$/.test(text) ? sealedOf(BigInt(text).toString(16).replace(/^1/, '')) : undefined,
    ),
  },
  {
    name: 'checkpoint-like-a-jwt',
    says: 'Checkpoints have three parts with dots between them.',
    rules: wrapped('eyJhbGciOiJIUzI1NiJ9.', '.c2lnbmF0dXJl'),
  },
  {
    name: 'checkpoint-base64',
    says: 'Checkpoints are standard base64, with +, / and =.',
    rules: shaped(
      (sealed) => Buffer.from(`>>>???${sealed}!`, 'latin1').toString('base64'),
      (text) => {
        const inner = Buffer.from(text, 'base64').toString('latin1');
        return /^>>>\?\?\?.*!$/.test(inner) ? inner.slice(6, -1) : undefined;
      },
    ),
  },
  {
    name: 'checkpoint-long',
    says: 'Checkpoints have more than 1,500 characters.',
    rules: wrapped('x'.repeat(1500), ''),
  },
  {
    name: 'checkpoint-with-delimiters',
    says: 'Checkpoints hold characters that mean something in a URL: & % + # = ? and blanks.',
    rules: wrapped(' a&b=c%20+#?/%', '%zz ;'),
  },
  {
    name: 'checkpoint-unicode',
    says: 'Checkpoints hold letters beyond ASCII and beyond the BMP.',
    rules: wrapped('Ünï→😀', '→e\u0301'),
  },
  {
    name: 'checkpoint-like-a-url',
    says: 'Checkpoints look like the address of the page that follows.',
    rules: wrapped('/api/v2/experimentation/experiments?take=3&from=', ''),
  },
  {
    name: 'checkpoint-like-json',
    says: 'Checkpoints look like JSON.',
    rules: wrapped('{"last":"', '","n":null}'),
  },
  {
    name: 'checkpoint-kept-by-the-server',
    says: 'Checkpoints are short handles of what the service keeps itself.',
    rules(rules) {
      const kept: string[] = [];
      return override(rules, 'checkpoints', (usual) => ({
        shown: (sealed, call) => String(kept.push(usual.shown(sealed, call))),
        read: (text, call) => usual.read(/^\d{1,9}$/.test(text) ? (kept[Number(text) - 1] ?? '') : '', call),
      }));
    },
  },
  {
    name: 'checkpoint-spent',
    says: 'A checkpoint can be used once.',
    rules(rules) {
      const spent = new Set<string>();
      return override(rules, 'checkpoints', (usual) => ({
        read(text, call) {
          const fresh = !spent.has(text);
          spent.add(text);
          return usual.read(fresh ? text : '', call);
        },
      }));
    },
  },
  {
    name: 'checkpoint-tampered-restarts',
    says: 'With a checkpoint that is not known the listing starts over.',
    rules: (rules) => override(rules, 'checkpoints', { invalid: () => 'restart' }),
  },
  {
    name: 'checkpoint-bound-to-filters',
    says: 'A checkpoint is refused with other filters than those that it was made under.',
    rules: bound((call) => query(call, 'status', 'authentication_flow', 'feature_flag_id')),
  },
  {
    name: 'checkpoint-bound-to-take',
    says: 'A checkpoint is refused with another take than the one that it was made with.',
    warns: ['8/checkpoint-size-changes'],
    rules: bound((call) => query(call, 'take')),
  },
  {
    name: 'checkpoint-bound-to-client',
    says: 'A checkpoint is refused to another client than the one that it was made for.',
    rules: bound((call) => String(call.headers['user-agent'])),
  },
  {
    name: 'checkpoint-expires-to-the-second',
    says: 'A checkpoint lives 24 hours and 30 seconds.',
    rules: (rules) =>
      override(rules, 'checkpoints', {
        isValid: (issuedAt, call, { lifetime }) => call.now - issuedAt < (lifetime + 30) * 1000,
      }),
  },
];
