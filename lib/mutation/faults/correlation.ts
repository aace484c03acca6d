import { createHash } from 'node:crypto';
import type { Call } from '../../fake/call.ts';
import { override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { asJson, onDelete, onPut, type Where } from './where.ts';

/** Section 5, request correlation. */

/** Records something else than the ID. */
const records = (
  name: string,
  requirement: string,
  description: string,
  change: (id: string, call: Call) => string,
): Fault => ({
  name,
  requirement: `5/correlation-${requirement}`,
  description,
  rules: (rules) =>
    override(rules, 'correlation', (usual) => ({
      recorded: (id, correlation, call) => usual.recorded(change(id, call), correlation, call),
    })),
});

/** Records something else than the first 64 characters of a long ID. */
const cuts = (
  name: string,
  description: string,
  change: (id: string, usual: string, call: Call) => string,
): Fault => ({
  name,
  requirement: '5/correlation-truncated',
  description,
  rules: (rules) =>
    override(rules, 'correlation', (usual) => ({
      recorded(id, correlation, call) {
        const kept = usual.recorded(id, correlation, call);
        return id.length > correlation.recordedLength ? change(id, kept, call) : kept;
      },
    })),
});

/** Writes no entry for these. */
const drops = (
  name: string,
  requirement: string,
  description: string,
  dropped: (id: string, call: Call) => boolean,
): Fault => ({
  name,
  requirement: `5/correlation-${requirement}`,
  description,
  rules: (rules) =>
    override(rules, 'correlation', (usual) => ({
      sent(correlation, call) {
        const id = usual.sent(correlation, call);
        return id !== undefined && dropped(id, call) ? undefined : id;
      },
    })),
});

const idOf = ({ operation, headers }: Call): string =>
  operation?.correlation ? String(headers[operation.correlation.header.toLowerCase()] ?? '') : '';

/** Answers requests with such an ID otherwise. */
const answers = (
  name: string,
  requirement: string,
  description: string,
  status: number,
  where: (id: string, call: Call, usual: number) => boolean,
): Fault => ({
  name,
  requirement: `5/correlation-${requirement}`,
  description,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      answer(answer, call) {
        const given = usual.answer(answer, call);
        return where(idOf(call), call, given.status) ? { ...given, status, body: {} } : given;
      },
    })),
});

const uuid = (id: string): string => {
  const hash = createHash('sha256').update(id).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(12, 16),
    hash.slice(16, 20),
    hash.slice(20, 32),
  ].join('-');
};

/** Requests under way share one place for their ID. */
const shared = (name: string, description: string, where: Where, keeps: 'first' | 'last'): Fault => ({
  name,
  requirement: '5/correlation-not-mixed',
  description,
  rules(rules) {
    let current = '';
    let underWay = 0;
    const withId = override(rules, 'payload', (usual) => ({
      limit(call) {
        if (idOf(call) !== '' && where(call)) {
          if (underWay === 0 || keeps === 'last') current = idOf(call);
          underWay += 1;
        }
        return usual.limit(call);
      },
    }));
    // Tokens are verified anew each time, which takes a while, so that requests do overlap.
    const slow = override(withId, 'token', { remembers: (_token, call) => !where(call) });
    return override(slow, 'correlation', (usual) => ({
      recorded(id, correlation, call) {
        if (!where(call)) return usual.recorded(id, correlation, call);
        underWay -= 1;
        return usual.recorded(current, correlation, call);
      },
    }));
  },
});

/** Faults of request correlation. */
export const correlationFaults: readonly Fault[] = [
  answers(
    'long-id-400-on-delete',
    'accepted',
    'An ID of more than 64 characters is answered 400 where the policy does not exist.',
    400,
    (id, call, usual) => onDelete(call) && usual === 404 && id.length > 64,
  ),
  answers(
    'long-id-431',
    'accepted',
    'An ID of more than 1,000 characters is too large a header.',
    431,
    (id, _call, usual) => usual < 300 && id.length > 1000,
  ),
  answers(
    'long-id-500',
    'accepted',
    'An ID that does not fit its column is answered 500.',
    500,
    (id, call, usual) => onPut(call) && usual < 300 && id.length > 255,
  ),
  answers(
    'id-no-uuid-400',
    'accepted',
    'An ID that is no UUID is answered 400.',
    400,
    (id, call, usual) => onPut(call) && usual < 300 && id !== '' && !/^[\da-f-]{36}$/.test(id),
  ),
  answers(
    'long-id-refused-400',
    'refused',
    'A long ID is answered 400 before the token is looked at.',
    400,
    (id, _call, usual) => usual === 401 && id.length > 64,
  ),
  answers(
    'id-refused-500',
    'refused',
    'The log of a refused request with an ID breaks, and is answered 500.',
    500,
    (id, call, usual) => onDelete(call) && usual === 401 && id.length > 2000,
  ),

  records('id-cut-at-63', 'recorded', 'IDs are cut at 63 characters, one for the final zero.', (id) =>
    id.length <= 64 ? id.slice(0, 63) : id,
  ),
  records('id-lower-case-on-delete', 'recorded', 'Deletion records IDs in lower case.', (id, call) =>
    onDelete(call) ? id.toLowerCase() : id,
  ),
  records('id-replaced', 'recorded', 'Deletion records a UUID of its own.', (id, call) =>
    onDelete(call) && id.length <= 64 ? uuid(id) : id,
  ),
  drops(
    'ids-of-updates-only',
    'recorded',
    'Only updates have their IDs recorded.',
    (_id, call) => !onPut(call),
  ),
  drops('ids-of-deletions-only', 'recorded', 'Only deletions have their IDs recorded.', (_id, call) =>
    onPut(call),
  ),
  drops(
    'ids-with-json-only',
    'recorded',
    'An ID is recorded only with a JSON body.',
    (_id, call) => !asJson(call),
  ),
  drops('ids-of-one-character', 'recorded', 'An ID of one character is not recorded.', (id) => id.length < 2),
  drops('ids-of-64', 'recorded', 'An ID of exactly 64 characters is not recorded.', (id) => id.length === 64),
  records('id-split-at-dash', 'recorded', 'Deletion records an ID up to its first dash.', (id, call) =>
    onDelete(call) ? (id.split('-')[0] ?? '') : id,
  ),

  cuts('id-cut-at-65', 'Long IDs are cut at 65 characters.', (id) => id.slice(0, 65)),
  cuts('long-id-cut-at-63', 'Long IDs are cut at 63 characters.', (id) => id.slice(0, 63)),
  cuts('id-last-64', 'Of a long ID the last 64 characters are recorded.', (id) => id.slice(-64)),
  cuts('id-cut-at-255', 'Long IDs are cut at 255 characters.', (id) => id.slice(0, 255)),
  cuts('id-whole', 'Long IDs are recorded whole.', (id) => id),
  cuts('long-id-replaced', 'A UUID is recorded in place of a long ID.', uuid),
  cuts('long-id-hashed', 'The hash of a long ID is recorded.', (id) =>
    createHash('sha256').update(id).digest('hex'),
  ),
  cuts('long-id-with-dots', 'A long ID is recorded with dots at its end.', (id) => `${id.slice(0, 61)}...`),
  cuts('id-cut-on-update-only', 'Deletion records long IDs whole.', (id, kept, call) =>
    onDelete(call) ? id : kept,
  ),
  drops(
    'id-of-65-dropped',
    'truncated',
    'An ID of more than 64 characters is not recorded.',
    (id) => id.length > 64,
  ),
  drops(
    'id-of-4000-dropped',
    'truncated',
    'An ID of more than 1,024 characters is not recorded.',
    (id) => id.length > 1024,
  ),
  cuts('id-of-65-whole', 'An ID of 65 characters is recorded whole.', (id, kept) =>
    id.length === 65 ? id : kept,
  ),

  records('id-lower-case', 'exact', 'Updates record IDs in lower case.', (id, call) =>
    onPut(call) && id.includes('CamelCase') ? id.toLowerCase() : id,
  ),
  records('id-unquoted', 'exact', 'Quotes are taken off an ID.', (id) => id.replaceAll('"', '')),
  records(
    'id-up-to-comma',
    'exact',
    'An ID ends at its first comma, as with lists of values.',
    (id) => id.split(',')[0] ?? '',
  ),
  records(
    'id-up-to-semicolon',
    'exact',
    'An ID ends at its first semicolon, as with parameters.',
    (id) => id.split(';')[0] ?? '',
  ),
  records('id-percent-decoded', 'exact', 'An ID is percent-decoded.', (id) => id.replaceAll('%20', ' ')),
  records('id-plus-is-blank', 'exact', 'A plus in an ID is taken for a blank.', (id) =>
    id.replaceAll('+', ' '),
  ),
  records('id-escaped-for-html', 'exact', 'IDs are escaped for HTML.', (id) =>
    id.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  ),
  records(
    'id-word-characters',
    'exact',
    'Only letters, digits, dots and dashes of an ID are recorded.',
    (id) => id.replace(/[^\w.-]/g, ''),
  ),
  records('id-quotes-doubled', 'exact', 'An apostrophe is doubled, as in SQL.', (id) =>
    id.replaceAll("'", "''"),
  ),
  records('id-backslash-lost', 'exact', 'Backslashes are taken for escapes.', (id) =>
    id.replaceAll('\\', ''),
  ),
  drops('id-with-markup-dropped', 'exact', 'An ID with characters of markup is not recorded.', (id) =>
    /[<>]/.test(id),
  ),
  records('id-path-normalised', 'exact', 'Repeated slashes in an ID become one.', (id) =>
    id.replace(/\/+/g, '/'),
  ),

  shared(
    'id-of-last-request',
    'The ID stands in a global variable that the latest request overwrites.',
    onPut,
    'last',
  ),
  shared(
    'id-of-first-request',
    'Requests that are under way together are logged with the ID of the first.',
    onPut,
    'first',
  ),
];
