import type { Call } from '../../fake/call.ts';
import type { PolicyEntry } from '../../fake/tenant.ts';
import type { Fault } from '../fault.ts';
import { change, forgives, onWire, refusalStatus, refuses, spells, together } from './parts.ts';

const deletion = 'deleteRateLimitPolicy';

/** Deletion of rate limit policies (sections 2.4 and 4.3). */
export const policyFaults: readonly Fault[] = [
  {
    name: 'delete-redirects',
    requirement: '4.3/delete-succeeds',
    description: 'A deletion is answered with 303 and the address of the listing.',
    rules: onWire(deletion, (answer) =>
      answer.status === 204
        ? { ...answer, status: 303, headers: [['Location', '/api/v2/rate-limit-policies']] }
        : answer,
    ),
  },
  {
    name: 'delete-of-usual-ids-not-found',
    requirement: '4.3/delete-succeeds',
    description: 'A policy that is deleted is answered with 404, where its id is of 2 to 24 word characters.',
    rules: onWire(deletion, (answer, call) =>
      answer.status === 204 && isUsual(call.pathTexts.id ?? '') ? { ...answer, status: 404 } : answer,
    ),
  },
  {
    name: 'delete-short-id-refused',
    requirement: '4.3/delete-short-id',
    description: 'An id of one character is refused.',
    rules: refuses('id', (id, call) => isDeletion(call) && String(id).length === 1),
  },
  {
    name: 'delete-number-not-found',
    requirement: '4.3/delete-short-id',
    description: 'An id of digits is taken for a number, which no policy has.',
    rules: finds((policies, id) => (/^\d+$/.test(id) ? undefined : policies.get(id))),
  },
  {
    name: 'delete-26-refused',
    requirement: '4.3/delete-long-id',
    description: 'An id of 26 characters is refused.',
    rules: refuses('id', (id, call) => isDeletion(call) && String(id).length === 26),
  },
  {
    name: 'delete-25-refused',
    requirement: '4.3/delete-long-id',
    description: 'An id of more than 24 characters is refused.',
    rules: refuses('id', (id, call) => isDeletion(call) && String(id).length > 24),
  },
  {
    name: 'delete-26-cut-to-25',
    requirement: '4.3/delete-long-id',
    description: 'An id is cut to 25 characters before it is looked up.',
    rules: spells('id', (id, call) => (isDeletion(call) ? id.slice(0, 25) : id)),
  },
  {
    name: 'delete-slash-not-decoded',
    requirement: '4.3/delete-encoded-id',
    description: 'A percent-encoded slash in an id is left as it is.',
    rules: decodes((text) => decodeURIComponent(text.replaceAll(/%2f/gi, '%252F'))),
  },
  {
    name: 'delete-slash-routed-elsewhere',
    requirement: '4.3/delete-encoded-id',
    description: 'A percent-encoded slash in an id ends the id.',
    rules: decodes((text) => decodeURIComponent(text).split('/')[0]),
  },
  {
    name: 'delete-id-decoded-twice',
    requirement: '4.3/delete-encoded-id',
    description: 'An id is decoded twice.',
    rules: decodes((text) => decodedTwice(text)),
  },
  {
    name: 'delete-id-not-decoded',
    requirement: '4.3/delete-encoded-id',
    description: 'An id is not decoded at all.',
    rules: decodes((text) => text),
  },
  {
    name: 'delete-plus-is-a-blank',
    requirement: '4.3/delete-encoded-id',
    description: 'A plus in an id is a blank.',
    rules: decodes((text) => decodeURIComponent(text).replaceAll('+', ' ')),
  },
  {
    name: 'delete-id-as-latin-1',
    requirement: '4.3/delete-encoded-id',
    description: 'The bytes of an id are read as Latin-1.',
    rules: decodes((text) => Buffer.from(decodeURIComponent(text), 'utf8').toString('latin1')),
  },
  {
    name: 'delete-id-in-lower-case',
    requirement: '4.3/delete-encoded-id',
    description: 'An id is put into lower case.',
    rules: decodes((text) => decodeURIComponent(text).toLowerCase()),
  },
  {
    name: 'delete-id-trimmed',
    requirement: '4.3/delete-encoded-id',
    description: 'Blanks about an id are taken off.',
    rules: decodes((text) => decodeURIComponent(text).trim()),
  },
  {
    name: 'delete-id-normalised',
    requirement: '4.3/delete-encoded-id',
    description: 'An id is put into the composed form of Unicode.',
    rules: decodes((text) => decodeURIComponent(text).normalize('NFC')),
  },
  {
    name: 'delete-id-cut-at-its-suffix',
    requirement: '4.3/delete-encoded-id',
    description: 'What follows the last dot of an id is taken for the format of the answer.',
    rules: decodes((text) => decodeURIComponent(text).replace(/\.[^.]*$/, '')),
  },
  {
    name: 'delete-id-cut-at-semicolon',
    requirement: '4.3/delete-encoded-id',
    description: 'What follows a semicolon in an id is taken for a matrix parameter.',
    rules: decodes((text) => decodeURIComponent(text).split(';')[0]),
  },
  {
    name: 'delete-id-cut-at-question-mark',
    requirement: '4.3/delete-encoded-id',
    description: 'A percent-encoded question mark ends the path.',
    rules: decodes((text) => decodeURIComponent(text).split('?')[0]),
  },
  {
    name: 'delete-backslash-is-a-slash',
    requirement: '4.3/delete-encoded-id',
    description: 'A backslash in an id is taken for a slash.',
    rules: decodes((text) => decodeURIComponent(text).replaceAll('\\', '/')),
  },
  {
    name: 'delete-id-word-characters-only',
    requirement: '4.3/delete-encoded-id',
    description: 'An id with anything but letters, digits, underscores and hyphens is refused.',
    rules: refuses('id', (id, call) => isDeletion(call) && !/^[\w-]+$/.test(String(id))),
  },
  {
    name: 'delete-only-pretends',
    requirement: '4.3/policy-is-gone',
    description: 'A deletion is answered with success, and nothing is deleted.',
    rules: removes(() => []),
  },
  {
    name: 'delete-of-usual-ids-only-pretends',
    requirement: '4.3/policy-is-gone',
    description: 'A policy whose id is of 2 to 24 word characters stays after its deletion.',
    rules: removes((id) => (isUsual(id) ? [] : [id])),
  },
  {
    name: 'delete-empties-the-tenant',
    requirement: '4.3/others-stay',
    description: 'A deletion deletes every policy.',
    rules: removes((_id, ids) => ids),
  },
  {
    name: 'delete-takes-the-last-too',
    requirement: '4.3/others-stay',
    description: 'A deletion deletes the last policy too.',
    rules: removes((id, ids) => [id, ...ids.slice(-1)]),
  },
  {
    name: 'delete-by-prefix',
    requirement: '4.3/others-stay',
    description: 'A deletion deletes what begins with the id.',
    rules: removes((id, ids) => ids.filter((each) => each.startsWith(id))),
  },
  {
    name: 'delete-by-part',
    requirement: '4.3/others-stay',
    description: 'A deletion deletes what the id begins with.',
    rules: removes((id, ids) => ids.filter((each) => id.startsWith(each))),
  },
  {
    name: 'delete-case-insensitive',
    requirement: '4.3/others-stay',
    description: 'A deletion deletes ids of another case too.',
    rules: removes((id, ids) => ids.filter((each) => each.toLowerCase() === id.toLowerCase())),
  },
  {
    name: 'delete-by-like',
    requirement: '4.3/others-stay',
    description: 'An underscore in an id stands for any character.',
    rules: removes((id, ids) => ids.filter((each) => like(id).test(each))),
  },
  {
    name: 'delete-pads-blanks',
    requirement: '4.3/others-stay',
    description: 'A deletion deletes ids with blanks behind them too.',
    rules: removes((id, ids) => ids.filter((each) => each.trimEnd() === id.trimEnd())),
  },
  {
    name: 'delete-accent-insensitive',
    requirement: '4.3/others-stay',
    description: 'A deletion deletes ids that differ by an accent too.',
    rules: removes((id, ids) =>
      ids.filter(
        (each) => each.localeCompare(id, 'en', { sensitivity: 'base' }) === 0 && isSameCase(each, id),
      ),
    ),
  },
  {
    name: 'delete-unknown-takes-the-first',
    requirement: '4.3/others-stay',
    description: 'The deletion of an unknown policy deletes the first one.',
    rules: change('policies', ({ found }) => ({
      found: (policies, id, call) =>
        found(policies, id, call) ?? (id.startsWith('no-such') ? policies.values().next().value : undefined),
    })),
  },
  {
    name: 'delete-only-once',
    requirement: '4.3/others-deletable',
    description: 'After one deletion no other policy whose id is of 2 to 24 word characters is found.',
    rules: (rules) => {
      let deletions = 0;
      return change('policies', {
        found: (policies, id) => (deletions >= 1 && isUsual(id) ? undefined : policies.get(id)),
        remove: (policies, policy) => {
          deletions += isUsual(policy.id) ? 1 : 0;
          policies.delete(policy.id);
        },
      })(rules);
    },
  },
  {
    name: 'delete-27-accepted',
    requirement: '4.3/id-too-long',
    description: 'An id of 27 characters is served like any other, with 204 for an unknown one.',
    rules: idle((length) => length === 27),
  },
  {
    name: 'delete-28-accepted',
    requirement: '4.3/id-too-long',
    description: 'An id of 28 characters is served, with 204 for an unknown one.',
    rules: idle((length) => length === 28),
  },
  {
    name: 'delete-200-accepted',
    requirement: '4.3/id-too-long',
    description: 'An id of more than 64 characters is served, with 204 for an unknown one.',
    rules: idle((length) => length > 64),
  },
  {
    name: 'delete-any-length-accepted',
    requirement: '4.3/id-too-long',
    description: 'An id of any length is served, with 204 for an unknown one.',
    rules: idle((length) => length > 26),
  },
  {
    name: 'delete-long-id-cut',
    requirement: '4.3/id-too-long',
    description: 'An id is cut to 26 characters, so that another policy is deleted.',
    rules: spells('id', (id, call) => (isDeletion(call) ? id.slice(0, 26) : id)),
  },
  {
    name: 'delete-long-id-is-500',
    requirement: '4.3/id-too-long',
    description: 'An id of more than 26 characters does not fit the column, which is answered with 500.',
    rules: together(
      forgives('id', (_value, _error, call) => isDeletion(call)),
      finds((policies, id) => {
        if (id.length > 26) throw new Error('value too long for type character varying(26)');
        return policies.get(id);
      }),
    ),
  },
  {
    name: 'delete-long-id-is-404',
    requirement: '4.3/id-too-long-400',
    description: 'An id of more than 26 characters is looked up, and answered with 404.',
    rules: forgives('id', (_value, _error, call) => isDeletion(call)),
  },
  {
    name: 'delete-27-is-404',
    requirement: '4.3/id-too-long-400',
    description: 'An id of 27 characters is looked up, and answered with 404.',
    rules: forgives('id', (value, _error, call) => isDeletion(call) && String(value).length === 27),
  },
  {
    name: 'delete-long-id-is-414',
    requirement: '4.3/id-too-long-400',
    description: 'An id of more than 26 characters is refused with 414.',
    rules: refusalStatus(deletion, 400, 414),
  },
  {
    name: 'delete-long-id-is-422',
    requirement: '4.3/id-too-long-400',
    description: 'An id of more than 26 characters is refused with 422.',
    rules: refusalStatus(deletion, 400, 422),
  },
];

/** True for an id that is neither short nor long and needs no percent-encoding. */
function isUsual(id: string): boolean {
  return /^[\w-]{2,24}$/.test(id);
}

function isDeletion(call: Call): boolean {
  return call.operation?.id === deletion;
}

function finds(
  found: (policies: ReadonlyMap<string, PolicyEntry>, id: string) => PolicyEntry | undefined,
): Fault['rules'] {
  return change('policies', { found });
}

/** Deletes these ids in place of the one. */
function removes(ids: (id: string, held: readonly string[]) => readonly string[]): Fault['rules'] {
  return change('policies', {
    remove: (policies, { id }) => {
      for (const each of ids(id, [...policies.keys()])) policies.delete(each);
    },
  });
}

function decodes(decoded: (text: string) => string | undefined): Fault['rules'] {
  return change('parameters', ({ decodedPath }) => ({
    decodedPath: (text, parameter, call) =>
      isDeletion(call) && decodedPath(text, parameter, call) !== undefined
        ? decoded(text)
        : decodedPath(text, parameter, call),
  }));
}

function decodedTwice(text: string): string | undefined {
  try {
    return decodeURIComponent(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

/** Ids of such lengths are looked up, and success is answered whether they are found or not. */
function idle(condition: (length: number) => boolean): Fault['rules'] {
  return together(
    forgives('id', (value, _error, call) => isDeletion(call) && condition(String(value).length)),
    finds((policies, id) => policies.get(id) ?? (condition(id.length) ? { id } : undefined)),
  );
}

function like(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('_', '.')}$`, 'su');
}

function isSameCase(one: string, other: string): boolean {
  return (one === one.toLowerCase()) === (other === other.toLowerCase());
}
