import { isObject } from '../../contract/json.ts';
import type { Refusal } from '../../fake/call.ts';
import { override, type RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';
import { eachObject, withHeaders } from './change.ts';

/** Refusals whose body is a text of this media type; undefined for none. */
function refusalText(mediaType: string, text: (refusal: Refusal) => string | undefined): RulesOverride {
  return (rules) =>
    override(rules, 'answers', (usual) => ({
      error: text,
      serialized: (body, call) => (typeof body === 'string' ? body : usual.serialized(body, call)),
      wire: (answer, call) =>
        answer.status < 400 || call.operation === undefined
          ? usual.wire(answer, call)
          : withHeaders(usual.wire(answer, call), { 'Content-Type': mediaType }),
    }));
}

/** Refusals whose body is this value as JSON. */
function refusalJson(error: (refusal: Refusal) => unknown): RulesOverride {
  return (rules) => override(rules, 'answers', { error });
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const trace = ({ status, message }: Refusal): string =>
  `HttpError ${status}: ${message}\n    at check (/srv/app/checks.js:12:7)\n    at async serve (/srv/app/service.js:40:3)`;

/** Bodies of refusals (section 7: not shown). */
export const refusals: readonly Variant[] = [
  {
    name: 'errors-as-text',
    says: 'Refusals are plain text.',
    rules: refusalText('text/plain; charset=utf-8', ({ message }) => message),
  },
  {
    name: 'errors-as-text-with-more-lines',
    says: 'Refusals are plain text of several lines, the message among them.',
    rules: refusalText(
      'text/plain',
      ({ status, message }) => `Error ${status}\r\n\r\n${message}\r\nRequest id: 7f3c\r\n`,
    ),
  },
  {
    name: 'errors-without-body',
    says: 'Refusals have no body, but for invalid templates, whose message is specified.',
    rules: refusalText('application/json', ({ code, message }) =>
      code === 'invalid_template' ? JSON.stringify({ message }) : undefined,
    ),
  },
  {
    name: 'errors-as-html',
    says: 'Refusals are pages of HTML.',
    rules: refusalText(
      'text/html; charset=utf-8',
      ({ status, message }) =>
        `<!doctype html>\n<html><head><title>${status}</title></head>\n<body><h1>Error</h1><p>${escaped(message)}</p></body></html>\n`,
    ),
  },
  {
    name: 'errors-as-xml',
    says: 'Refusals are XML.',
    rules: refusalText(
      'application/xml',
      ({ code, message }) =>
        `<?xml version="1.0"?><error code="${code}"><message>${escaped(message)}</message></error>`,
    ),
  },
  {
    name: 'errors-as-problem',
    says: 'Refusals are problem details (RFC 9457).',
    rules: refusalText('application/problem+json', ({ status, code, message }) =>
      JSON.stringify({ type: `https://errors.example/${code}`, title: 'Refused', status, detail: message }),
    ),
  },
  {
    name: 'errors-nested',
    says: 'Refusals carry the message deep in a list of errors.',
    rules: refusalJson(({ code, message }) => ({
      error: { errors: [{ reason: code, context: { message, path: [] } }], count: 1 },
    })),
  },
  {
    name: 'errors-as-array',
    says: 'Refusals are an array of errors.',
    rules: refusalJson(({ code, message }) => [{ code, message }, null, 1]),
  },
  {
    name: 'errors-as-json-string',
    says: 'Refusals are a single string of JSON.',
    rules: refusalText('application/json', ({ message }) => JSON.stringify(message)),
  },
  {
    name: 'errors-with-stack',
    says: 'Refusals carry a text like a stack trace before their message.',
    rules: refusalJson((refusal) => ({ stack: trace(refusal), message: refusal.message })),
  },
  {
    name: 'errors-huge',
    says: 'Refusals carry 16 kB of further text.',
    rules: refusalJson(({ message }) => ({ help: 'Read the manual. '.repeat(1000), message })),
  },
  {
    name: 'errors-in-latin-1',
    says: 'Refusals are text in ISO 8859-1, with letters that are no UTF-8.',
    rules: (rules) =>
      override(
        refusalText('text/plain; charset=iso-8859-1', ({ message }) => `Ungültig: ß\n${message}`)(rules),
        'answers',
        (usual) => ({
          wire(answer, call) {
            const wire = usual.wire(answer, call);
            if (answer.status < 400) return wire;
            return { ...wire, parts: wire.parts.map((part) => Buffer.from(String(part), 'latin1')) };
          },
        }),
      ),
  },
  {
    name: 'errors-of-json-called-html',
    says: 'Refusals are JSON under the media type of HTML.',
    rules: (rules) =>
      override(rules, 'answers', (usual) => ({
        wire: (answer, call) =>
          answer.status < 400
            ? usual.wire(answer, call)
            : withHeaders(usual.wire(answer, call), { 'Content-Type': 'text/html' }),
      })),
  },
  {
    name: 'errors-without-challenge',
    says: 'Refusals have no WWW-Authenticate field.',
    rules: (rules) =>
      override(rules, 'answers', { refusal: ({ headers: _headers, ...refusal }) => ({ ...refusal }) }),
  },
  {
    name: 'errors-in-the-envelope-of-a-success',
    says: 'Refusals carry the members of a success too, empty ones.',
    rules: refusalJson(({ message }) => ({ experiments: [], versions: [], next: '', errors: [message] })),
  },
];

/** Texts of the specified message's details. */
export const details: readonly Variant[] = [
  {
    name: 'template-details-in-japanese',
    says: 'The details about an invalid template are in Japanese.',
    rules: (rules) =>
      override(rules, 'templates', ({ problem }) => ({
        problem: (field, text, call) =>
          problem(field, text, call) === undefined ? undefined : '閉じられていないタグがあります',
      })),
  },
  {
    name: 'template-details-of-several-lines',
    says: 'The details about an invalid template show the place in lines of their own, with stops and markup.',
    rules: (rules) =>
      override(rules, 'templates', ({ problem }) => ({
        problem: (field, text, call) =>
          problem(field, text, call) === undefined
            ? undefined
            : `Parse error on line 1.\n> ${text}\n  ^\nExpecting <CLOSE>, got <EOF>`,
      })),
  },
];

/** Statuses of a successful deletion (section 4.3: not shown). */
function deletion(
  status: number,
  body?: unknown,
  headers: readonly (readonly [string, string])[] = [],
): RulesOverride {
  return (rules) =>
    override(rules, 'answers', (usual) => ({
      answer(answer, call) {
        const deleted = call.operation?.method === 'DELETE' && answer.status === 204;
        return usual.answer(
          deleted ? { status, headers: [...answer.headers, ...headers], body } : answer,
          call,
        );
      },
    }));
}

export const successes: readonly Variant[] = [
  {
    name: 'delete-200-with-body',
    says: 'A deletion is answered with 200 and a JSON body.',
    rules: deletion(200, { deleted: true }),
  },
  {
    name: 'delete-200-empty',
    says: 'A deletion is answered with 200 and no body.',
    rules: deletion(200),
  },
  { name: 'delete-202', says: 'A deletion is answered with 202.', rules: deletion(202, { status: 'done' }) },
  {
    name: 'delete-204-with-headers',
    says: 'A deletion is answered with 204 and fields that speak of a body.',
    rules: deletion(204, undefined, [
      ['Content-Type', 'application/json'],
      ['X-Deleted', 'true'],
    ]),
  },
  { name: 'delete-205', says: 'A deletion is answered with 205.', rules: deletion(205) },
  {
    name: 'delete-null',
    says: 'A deletion is answered with 200 and null.',
    rules: deletion(200, null),
  },
  {
    name: 'update-with-third-field',
    says: 'The answer to an update says when it was made.',
    warns: ['4.1/answer-no-third-field'],
    rules: (rules) =>
      override(rules, 'templates', ({ answered }) => ({
        answered: (sent, held, call) => ({
          ...answered(sent, held, call),
          updated_at: new Date(call.now).toISOString(),
        }),
      })),
  },
  {
    name: 'update-answers-trimmed',
    says: 'The answer to an update shows both messages without blanks about them; the tenant holds them as sent.',
    warns: ['4.1/answer-echoes', '4.1/answer-echoes-form'],
    rules: (rules) =>
      override(rules, 'templates', ({ answered }) => ({
        answered: (sent, held, call) =>
          Object.fromEntries(
            Object.entries(answered(sent, held, call)).map(([name, text]) => [name, String(text).trim()]),
          ),
      })),
  },
];

/** Date-times in another form of RFC 3339, wherever they stand in an item. */
function dateTimes(name: string, says: string, form: (text: string) => string): Variant {
  const usualForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
  const change = (item: unknown): unknown =>
    typeof item === 'string' && usualForm.test(item) ? form(item) : item;
  return { name, says, rules: items(change) };
}

/** Every value in the items of both listings changed. */
function items(change: (value: unknown, key: string) => unknown): RulesOverride {
  return (rules) =>
    override(
      override(rules, 'experiments', ({ shown }) => ({
        shown: (item, index, page, call) => eachObject(shown(item, index, page, call), change),
      })),
      'versions',
      ({ shown }) => ({
        shown: (item, whole, index, page, call) => eachObject(shown(item, whole, index, page, call), change),
      }),
    );
}

/** Contents of items that the specification leaves free. */
export const contents: readonly Variant[] = [
  dateTimes('times-with-offset', 'Date-times have an offset.', (text) => {
    const shifted = new Date(Date.parse(text) + 5.5 * 3600 * 1000).toISOString();
    return shifted.replace('Z', '+05:30');
  }),
  dateTimes('times-in-lower-case', 'Date-times are written with t and z.', (text) => text.toLowerCase()),
  dateTimes('times-of-nanoseconds', 'Date-times have nine digits of a second.', (text) =>
    new Date(text).toISOString().replace('Z', '000000Z'),
  ),
  dateTimes('times-without-zero-fraction', 'Date-times have no fraction where it is zero.', (text) =>
    text.replace(/\.0+Z$/, 'Z'),
  ),
  dateTimes('times-with-blank', 'Date-times have a blank in place of the T.', (text) =>
    text.replace('T', ' '),
  ),
  dateTimes('times-of-unknown-offset', 'Date-times have the offset -00:00.', (text) =>
    text.replace('Z', '-00:00'),
  ),
  {
    name: 'items-with-further-fields',
    says: 'Items and pages carry fields that the specification does not name, other at each reading.',
    rules: (rules) => {
      let readings = 0;
      const further = (target: string) => {
        readings += 1;
        return {
          status: 'ACTIVE',
          tenant: 'acme',
          _links: { self: target },
          readings,
          labels: [],
          note: null,
        };
      };
      const page = { start: 0, limit: 10, length: 1, links: { next: '/next' }, items: [] };
      const paged = override(rules, 'experiments', (usual) => ({
        shown: (item, index, on, call) => ({
          ...further(call.target),
          ...usual.shown(item, index, on, call),
        }),
        answered: (answer, on, call) => ({ ...page, ...usual.answered(answer, on, call) }),
      }));
      return override(paged, 'versions', (usual) => ({
        shown: (item, whole, index, on, call) => ({
          ...further(call.target),
          secret_count: 1,
          hash: 'f00d',
          ...usual.shown(item, whole, index, on, call),
        }),
        answered: (answer, on, call) => ({ ...page, ...usual.answered(answer, on, call) }),
      }));
    },
  },
  {
    name: 'nested-items-with-further-fields',
    says: 'Triggers, secrets, allocations and every other object in an item carry a further field.',
    rules: items((value, key) =>
      isObject(value) && key !== '' ? { ...value, extension: { of: key } } : value,
    ),
  },
  {
    name: 'null-for-nothing',
    says: 'Optional fields without a value are null.',
    warns: ['2/no-null'],
    rules: (rules) =>
      override(rules, 'experiments', ({ shown }) => ({
        shown: (item, index, page, call) => ({
          description: null,
          started_at: null,
          ended_at: null,
          allocations: null,
          ...shown(item, index, page, call),
        }),
      })),
  },
];
