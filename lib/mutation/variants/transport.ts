import type { WireResponse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import { before, everywhere, replace } from '../builders/on.ts';
import { onWire, reversedMembers, variants } from './variant.ts';

/** Changes the responses that have a body. */
const bodies = (transform: (response: WireResponse, bytes: Buffer) => Partial<WireResponse>): RulesOverride =>
  onWire((response) =>
    response.parts.length === 0
      ? response
      : transform(response, Buffer.concat(response.parts.map((part) => Buffer.from(part)))),
  );

const hasBody = ({ parts }: WireResponse): boolean => parts.length > 0;

const escaped = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;

const ascii = (json: string): string => json.replaceAll('/', '\\/').replace(/[\u007f-\uffff]/g, escaped);

const json = (write: (body: unknown) => string): RulesOverride => replace('responses.serialized', write);

/** Refuses every 4,000th request, starting with the 40th, with this status and these header fields. */
const refusesSome = (status: number, fields: () => Record<string, string>): RulesOverride =>
  compose(
    replace('rate.retryAfter', ({ number }) => (number % 4000 === 40 ? 1 : undefined)),
    before('responses.refusal', (refusal) =>
      refusal.code === 'too_many_requests'
        ? { ...refusal, status, headers: Object.entries(fields()) }
        : refusal,
    ),
  );

/** In seconds since the epoch. */
const inASecond = (): number => Math.ceil(Date.now() / 1000) + 1;

/** Variants that differ in how responses are sent over HTTP. */
export const transportVariants = variants({
  // How responses are written (RFC 9110 and 9112).
  'json-charset-upper': everywhere.mediaType('Application/JSON;charset="UTF-8"', hasBody),
  'media-type-of-a-vendor': everywhere.mediaType('application/vnd.acme+json', hasBody),
  chunked: bodies((_response, bytes) => {
    const third = Math.ceil(bytes.length / 3) || 1;
    const cuts = [0, third, 2 * third + 1, bytes.length];
    const parts = [0, 1, 2].map((index) => bytes.subarray(cuts[index], cuts[index + 1]));
    return { chunked: true, parts: parts.filter((part) => part.length > 0) };
  }),
  'body-ends-with-connection': bodies(() => ({
    chunked: true,
    close: true,
    prepare: (sent) => sent.removeHeader('transfer-encoding'),
  })),
  // One variant, because each takes a whole run of the suite.
  'early-hints-and-many-headers': onWire(({ headers }, { number, headers: sent }) => ({
    prepare: (response) => response.writeEarlyHints({ link: '</style.css>; rel=preload' }),
    reason: number % 2 === 0 ? '' : 'Alles (in) Ordnung?',
    headers: [
      ...headers,
      ['Server', 'acme/1.0 (edge)'],
      ['Via', '1.1 edge'],
      ['ETag', `W/"${number}"`],
      ['Set-Cookie', `session=${number}; HttpOnly`],
      ['Set-Cookie', 'did=1; Path=/'],
      ['X-RateLimit-Limit', '50'],
      ['X-RateLimit-Remaining', '0'],
      ['X-RateLimit-Reset', String(Math.ceil(Date.now() / 1000) + 3600)],
      ['Retry-After', '3600'],
      ['X-Correlation-ID', String(sent['x-correlation-id'] ?? 'none').slice(0, 64)],
      ['X-Long', 'x'.repeat(4000)],
    ],
  })),
  // How long connections live (RFC 9112, section 9).
  'closes-always': onWire({ close: true }),
  'drops-always': onWire({
    prepare(sent) {
      const { socket } = sent;
      sent.once('finish', () => socket?.end(() => socket.destroy()));
    },
  }),
  // How JSON is written (RFC 8259).
  'json-pretty': json((body) => `\r\n${JSON.stringify(body, null, '\t')}\n`),
  'json-escaped': json((body) => ascii(JSON.stringify(body))),
  'json-members-reversed': json((body) => JSON.stringify(reversedMembers(body))),
  // Rate limits (section 8: not shown).
  'retry-after-seconds': refusesSome(429, () => ({ 'Retry-After': '1' })),
  'retry-after-date': refusesSome(429, () => ({ 'Retry-After': new Date(inASecond() * 1000).toUTCString() })),
  'ratelimit-reset': refusesSome(429, () => ({ 'X-RateLimit-Reset': String(inASecond()) })),
  'too-many-without-a-time': refusesSome(429, () => ({})),
  'unavailable-without-a-time': refusesSome(503, () => ({})),
  'bad-gateway-once': refusesSome(502, () => ({})),
  'unavailable-for-a-second': refusesSome(503, () => ({ 'Retry-After': '1' })),
});
