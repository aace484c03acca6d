import type { WireResponse } from '../../fake/call.ts';
import { override, type RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';
import { onWire, withHeaders } from './change.ts';

const named = (change: (name: string) => string): RulesOverride =>
  onWire((answer) => ({
    ...answer,
    headers: answer.headers.map(([name, value]): [string, string] => [change(name), value]),
  }));

const bytesOf = (answer: WireResponse): Buffer =>
  Buffer.concat(answer.parts.map((part) => Buffer.from(part)));

const mediaType = (name: string, says: string, value: string): Variant => ({
  name,
  says,
  rules: onWire((answer) =>
    answer.parts.length === 0 ? answer : withHeaders(answer, { 'Content-Type': value }),
  ),
});

/** How answers are written (RFC 9110 and 9112). */
export const framing: readonly Variant[] = [
  {
    name: 'headers-in-lower-case',
    says: 'Field names are in lower case.',
    rules: named((name) => name.toLowerCase()),
  },
  {
    name: 'headers-in-upper-case',
    says: 'Field names are in upper case.',
    rules: named((name) => name.toUpperCase()),
  },
  mediaType('json-without-charset', 'The media type has no parameter.', 'application/json'),
  mediaType('json-charset-upper', 'The media type is written otherwise.', 'Application/JSON;charset="UTF-8"'),
  {
    name: 'media-type-of-a-vendor',
    says: 'Answers have a media type of a vendor.',
    warns: ['9/answer-media-type'],
    rules: onWire((answer) =>
      answer.parts.length === 0
        ? answer
        : withHeaders(answer, { 'Content-Type': 'application/vnd.acme+json' }),
    ),
  },
  {
    name: 'chunked',
    says: 'Answers come in chunks, cut also within characters.',
    rules: onWire((answer) => {
      const bytes = bytesOf(answer);
      const third = Math.ceil(bytes.length / 3) || 1;
      const parts = [
        bytes.subarray(0, third),
        bytes.subarray(third, 2 * third + 1),
        bytes.subarray(2 * third + 1),
      ];
      return { ...answer, chunked: true, parts: parts.filter((part) => part.length > 0) };
    }),
  },
  {
    name: 'trailers',
    says: 'Answers come in chunks with a trailer behind them.',
    rules: onWire((answer) =>
      answer.parts.length === 0
        ? answer
        : {
            ...withHeaders(answer, { Trailer: 'Server-Timing' }),
            chunked: true,
            trailers: { 'Server-Timing': 'db;dur=1' },
          },
    ),
  },
  {
    name: 'body-ends-with-connection',
    says: 'Bodies have neither a length nor chunks: they end with the connection.',
    rules: onWire((answer) => (answer.parts.length === 0 ? answer : { ...answer, unframed: true })),
  },
  {
    name: 'early-hints',
    says: 'Answers come behind a 103.',
    rules: onWire((answer) => ({ ...answer, hints: true })),
  },
  {
    name: 'undated',
    says: 'Answers have no Date.',
    rules: onWire((answer) => ({ ...answer, undated: true })),
  },
  {
    name: 'reason-phrases-of-its-own',
    says: 'Reason phrases are other words, or none.',
    rules: onWire((answer, call) => ({
      ...answer,
      reason: call.number % 2 === 0 ? '' : 'Alles (in) Ordnung?',
    })),
  },
  {
    name: 'many-headers',
    says: 'Answers carry fields of proxies, caches, cookies and rate limits.',
    rules: onWire((answer, call) => ({
      ...answer,
      headers: [
        ...answer.headers,
        ['Server', 'acme/1.0 (edge)'],
        ['Via', '1.1 edge'],
        ['ETag', `W/"${call.number}"`],
        ['Cache-Control', 'private, max-age=60'],
        ['Vary', 'Origin'],
        ['Vary', 'Accept-Encoding'],
        ['Set-Cookie', `session=${call.number}; HttpOnly`],
        ['Set-Cookie', 'did=1; Path=/'],
        ['Strict-Transport-Security', 'max-age=1'],
        ['X-RateLimit-Limit', '50'],
        ['X-RateLimit-Remaining', '0'],
        ['X-RateLimit-Reset', String(Math.ceil(Date.now() / 1000) + 3600)],
        ['Retry-After', '3600'],
        ['X-Request-ID', `req-${call.number}`],
        ['X-Correlation-ID', String(call.headers['x-correlation-id'] ?? 'none').slice(0, 64)],
        ['X-Long', 'x'.repeat(4000)],
      ],
    })),
  },
  {
    name: 'slow',
    says: 'Every third answer takes 20 milliseconds.',
    rules: onWire((answer, call) => ({
      ...answer,
      delay: answer.delay + (call.number % 3 === 0 ? 20 : 0),
    })),
  },
  {
    name: 'slow-in-parts',
    says: 'Bodies come in two parts, with a pause between them.',
    rules: onWire((answer) => {
      const bytes = bytesOf(answer);
      const half = Math.ceil(bytes.length / 2);
      return bytes.length < 2
        ? answer
        : { ...answer, parts: [bytes.subarray(0, half), bytes.subarray(half)], partDelay: 5 };
    }),
  },
];

/** How long connections live (RFC 9112, section 9). */
export const connections: readonly Variant[] = [
  {
    name: 'closes-always',
    says: 'Every answer ends its connection.',
    rules: onWire((answer) => ({ ...answer, close: true })),
  },
  {
    name: 'closes-now-and-then',
    says: 'Every seventh answer ends its connection.',
    rules: onWire((answer, call) => ({ ...answer, close: call.number % 7 === 0 })),
  },
  {
    name: 'drops-now-and-then',
    says: 'After every seventh answer the connection is closed without a word.',
    rules: onWire((answer, call) => ({ ...answer, drop: call.number % 7 === 0 })),
  },
  {
    name: 'drops-always',
    says: 'An idle connection is closed at once, without a word.',
    rules: onWire((answer) => ({ ...answer, drop: true })),
  },
];

/** The members of every object in the other order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]): [string, unknown] => [name, reversed(inner)])
      .toReversed(),
  );
}

const json =
  (write: (body: unknown) => string): RulesOverride =>
  (rules) =>
    override(rules, 'answers', { serialized: write });

const escapes = (text: string): string =>
  text
    .replaceAll('/', '\\/')
    .replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
    );

/** How JSON is written (RFC 8259). */
export const writing: readonly Variant[] = [
  {
    name: 'json-pretty',
    says: 'JSON is written over many lines.',
    rules: json((body) => `\r\n${JSON.stringify(body, null, '\t')}\n`),
  },
  {
    name: 'json-escaped',
    says: 'JSON is written in ASCII, with escapes.',
    rules: json((body) => escapes(JSON.stringify(body))),
  },
  {
    name: 'json-members-reversed',
    says: 'The members of objects stand in another order.',
    rules: json((body) => JSON.stringify(reversed(body))),
  },
];

/** 429 and 503 now and then: for every `interval`th request, from the `first` on. */
function pausing(
  change: (seconds: number) => { status: number; headers: readonly (readonly [string, string])[] },
): RulesOverride {
  const [first, interval, seconds] = [40, 4000, 1];
  return (rules) =>
    override(
      override(rules, 'rate', {
        retryAfter: (call) => (call.number % interval === first ? seconds : undefined),
      }),
      'answers',
      ({ refusal }) => ({
        refusal: (given, call) =>
          refusal(given.code === 'too_many_requests' ? { ...given, ...change(seconds) } : given, call),
      }),
    );
}

const epoch = (seconds: number): number => Math.ceil(Date.now() / 1000) + seconds;

/** Rate limits (section 8: not shown). */
export const pauses: readonly Variant[] = [
  {
    name: 'retry-after-seconds',
    says: 'Now and then a request is answered 429, with Retry-After in seconds.',
    rules: pausing((seconds) => ({ status: 429, headers: [['Retry-After', String(seconds)]] })),
  },
  {
    name: 'retry-after-date',
    says: 'Now and then a request is answered 429, with Retry-After as a date.',
    rules: pausing((seconds) => ({
      status: 429,
      headers: [['Retry-After', new Date(epoch(seconds) * 1000).toUTCString()]],
    })),
  },
  {
    name: 'ratelimit-reset',
    says: 'Now and then a request is answered 429, with X-RateLimit-Reset.',
    rules: pausing((seconds) => ({ status: 429, headers: [['X-RateLimit-Reset', String(epoch(seconds))]] })),
  },
  {
    name: 'too-many-without-a-time',
    says: 'Now and then a request is answered 429, without a time.',
    rules: pausing(() => ({ status: 429, headers: [] })),
  },
  {
    name: 'unavailable-for-a-second',
    says: 'Now and then a request is answered 503, with Retry-After.',
    rules: pausing((seconds) => ({ status: 503, headers: [['Retry-After', String(seconds)]] })),
  },
  {
    name: 'retry-at-once',
    says: 'Every 97th request is answered 429, with Retry-After: 0.',
    rules: (rules) =>
      override(rules, 'rate', { retryAfter: (call) => (call.number % 97 === 0 ? 0 : undefined) }),
  },
];
