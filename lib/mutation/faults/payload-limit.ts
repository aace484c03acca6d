import type { Body, Call } from '../../fake/call.ts';
import { override } from '../../fake/rules.ts';
import { parsePairs } from '../../fake/urlencoded.ts';
import type { Fault } from '../fault.ts';
import { asForm, asJson as isJson, onDelete, onPut, type Where } from './where.ts';

/** Sections 1 and 8: the payload limit. */

const megabyte = 1_000_000;
const mebibyte = 1_048_576;

const declared: Where = (call) => !call.chunked;
const chunked: Where = (call) => call.chunked;
const both =
  (...all: readonly Where[]): Where =>
  (call) =>
    all.every((each) => each(call));

/** JSON of an operation that takes some. */
const asJson = both(onPut, isJson);

/** Another limit, in bytes, for these requests. */
const limit = (
  name: string,
  requirement: string,
  description: string,
  bytes: number,
  where: Where,
): Fault => ({
  name,
  requirement: `8/${requirement}`,
  description,
  rules: (rules) =>
    override(rules, 'payload', (usual) => ({ limit: (call) => (where(call) ? bytes : usual.limit(call)) })),
});

/** The whole body of these requests is read, and judged by another measure than its bytes. */
const measured = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  size: (text: string, body: Body, call: Call) => number,
): Fault => ({
  name,
  requirement: `8/${requirement}`,
  description,
  rules: (rules) =>
    override(rules, 'payload', (usual) => ({
      limit: (call) => (where(call) ? Number.POSITIVE_INFINITY : usual.limit(call)),
      received(body, call) {
        if (!where(call)) return usual.received(body, call);
        const tooLarge = size(new TextDecoder().decode(body.bytes), body, call) > mebibyte;
        return tooLarge ? { bytes: new Uint8Array(0), tooLarge } : body;
      },
    })),
});

/** What follows a body over the limit, for so many milliseconds. */
const afterwards = (name: string, description: string, status: number): Fault => ({
  name,
  requirement: '8/payload-answers-afterwards',
  description,
  rules(rules) {
    let until = 0;
    return override(rules, 'answers', (usual) => ({
      answer(answer, call) {
        const now = performance.now();
        if (answer.status === 413 && onPut(call)) until = now + 300;
        else if (now < until && onPut(call) && answer.status === 200) return { ...answer, status, body: {} };
        return usual.answer(answer, call);
      },
    }));
  },
});

/** A body over the limit is refused, and its content is written all the same. */
const carriedOut = (name: string, description: string, where: Where): Fault => ({
  name,
  requirement: '8/payload-refused-changes-nothing',
  description,
  rules(rules) {
    const reading = override(rules, 'payload', (usual) => ({
      limit: (call) => (where(call) ? Number.POSITIVE_INFINITY : usual.limit(call)),
      received: (body, call) =>
        where(call)
          ? { bytes: body.bytes, tooLarge: body.bytes.length > mebibyte }
          : usual.received(body, call),
    }));
    return override(reading, 'answers', {
      executedAfterRefusal: ({ code }, call) =>
        code === 'payload_too_large' && where(call)
          ? { ...rules, checks: ['token', 'scopes', 'parameters', 'body'] }
          : undefined,
    });
  },
});

/** The text of the bodies that a form or JSON holds. */
const fieldsOf = (text: string): number =>
  (parsePairs(text) ?? []).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** Faults of the payload limit. */
export const payloadFaults: readonly Fault[] = [
  limit(
    'limit-one-byte-short',
    'payload-accepted',
    'A megabyte is refused, a byte less is not.',
    megabyte - 1,
    both(asJson, declared),
  ),
  limit(
    'limit-100-kb',
    'payload-accepted',
    'JSON of more than 100 kB is refused, as by default in Express.',
    102_400,
    both(asJson, declared),
  ),
  limit(
    'limit-1000-kb-less-headers',
    'payload-accepted',
    "The request's headers count too.",
    megabyte - 500,
    both(asJson, declared),
  ),
  limit(
    'limit-chunked-64-kib',
    'payload-accepted-chunked',
    'Without a declared length only 64 KiB are taken.',
    65_536,
    both(asJson, chunked),
  ),
  limit(
    'limit-chunked-one-short',
    'payload-accepted-chunked',
    'Without a declared length a megabyte is one byte too much.',
    megabyte - 1,
    both(asJson, chunked),
  ),
  {
    name: 'length-required',
    requirement: '8/payload-accepted-chunked',
    description: 'A body without a declared length is answered 411.',
    rules: (rules) =>
      override(rules, 'answers', (usual) => ({
        answer: (answer, call) =>
          chunked(call) && asJson(call) && answer.status === 200
            ? { ...answer, status: 411, body: {} }
            : usual.answer(answer, call),
      })),
  },
  limit(
    'limit-form-100-kb',
    'payload-accepted-form',
    'Forms of more than 100 kB are refused, as by default in Express.',
    102_400,
    both(asForm, declared),
  ),
  limit(
    'limit-form-one-short',
    'payload-accepted-form',
    'A form of a megabyte is one byte too large.',
    megabyte - 1,
    both(asForm, declared),
  ),
  limit(
    'limit-form-200-kb',
    'payload-accepted-form',
    'Forms of more than 200 kB are refused.',
    200_000,
    both(asForm, declared),
  ),

  limit(
    'limit-one-byte-long',
    'payload-refused',
    'A byte more than 1 MiB is accepted.',
    mebibyte + 1,
    both(asJson, declared),
  ),
  limit('limit-two-mib', 'payload-refused', '2 MiB are accepted.', 2 * mebibyte, both(asJson, declared)),
  limit(
    'limit-two-mib-on-put',
    'payload-refused',
    'An update may have 2 MB, because of its two fields.',
    2 * megabyte,
    both(onPut, asJson, declared),
  ),
  measured(
    'limit-in-characters',
    'payload-refused',
    'The limit counts characters, not bytes.',
    both(asJson, declared),
    (text) => text.length,
  ),
  measured(
    'limit-of-trimmed-text',
    'payload-refused',
    'The limit counts JSON without the white space about it.',
    both(asJson, declared),
    (text) => text.trim().length,
  ),
  limit(
    'limit-chunked-one-long',
    'payload-refused-chunked',
    'Without a declared length a byte more than 1 MiB is accepted.',
    mebibyte + 1,
    both(asJson, chunked),
  ),
  limit(
    'limit-chunked-by-chunk',
    'payload-refused-chunked',
    'The limit ends at a whole chunk of 64 KiB.',
    mebibyte + 65_536,
    both(asJson, chunked),
  ),
  measured(
    'limit-in-characters-chunked',
    'payload-refused-chunked',
    'Without a declared length the limit counts characters.',
    both(asJson, chunked),
    (text) => text.length,
  ),
  limit(
    'limit-form-one-long',
    'payload-refused-form',
    'A form of a byte more than 1 MiB is accepted.',
    mebibyte + 1,
    asForm,
  ),
  limit(
    'limit-form-chunked-one-long',
    'payload-refused-form',
    'A form without a declared length may have a byte more than 1 MiB.',
    mebibyte + 1,
    both(asForm, chunked),
  ),
  measured(
    'limit-of-decoded-form',
    'payload-refused-form',
    'The limit counts what a form holds once it is decoded.',
    asForm,
    fieldsOf,
  ),

  limit(
    'no-limit-chunked',
    'payload-refused-chunked',
    'Without a declared length there is no limit.',
    Number.POSITIVE_INFINITY,
    both(asJson, chunked),
  ),
  limit('no-limit', 'payload-refused', 'JSON has no limit.', Number.POSITIVE_INFINITY, asJson),
  measured(
    'far-over-wraps',
    'payload-far-over',
    'The length is counted in 23 bits, signed, and 5 MiB are below zero.',
    asJson,
    (_text, { bytes }) => (bytes.length << 9) >> 9,
  ),
  measured(
    'far-over-chunked',
    'payload-far-over',
    'Without a declared length the limit is forgotten once 4 MiB are there.',
    both(asJson, chunked),
    (_text, { bytes }) => (bytes.length > 4 * mebibyte ? 0 : bytes.length),
  ),
  {
    name: 'far-over-skipped',
    requirement: '8/payload-far-over',
    description:
      'A declared length of more than 4 MiB is not read, and the update is done as if there were no body.',
    rules: (rules) =>
      override(rules, 'answers', (usual) => ({
        answer: (answer, call) =>
          answer.status === 413 && asJson(call) && (call.contentLength ?? 0) > 4 * mebibyte
            ? { ...answer, status: 200, body: { enrollment_message: '', verification_message: '' } }
            : usual.answer(answer, call),
      })),
  },
  limit('no-limit-form', 'payload-refused-form', 'A form has no limit.', Number.POSITIVE_INFINITY, asForm),
  measured(
    'far-over-form',
    'payload-far-over-form',
    'A form of more than 4 MiB is streamed to its fields, past the limit.',
    asForm,
    (_text, { bytes }) => (bytes.length > 4 * mebibyte ? 0 : bytes.length),
  ),
  measured(
    'far-over-form-chunked',
    'payload-far-over-form',
    'A form without a declared length has its length counted in 23 bits, signed.',
    both(asForm, chunked),
    (_text, { bytes }) => (bytes.length << 9) >> 9,
  ),

  afterwards(
    'over-limit-500-afterwards',
    'After a body over the limit updates are answered 500 for a moment.',
    500,
  ),
  afterwards(
    'over-limit-413-afterwards',
    'After a body over the limit other updates are answered 413 for a moment.',
    413,
  ),

  carriedOut('over-limit-update-done', 'A body over the limit is refused after it was written.', onPut),
  carriedOut(
    'over-limit-chunked-update-done',
    'A body over the limit, without a declared length, is refused after it was written.',
    both(onPut, chunked),
  ),
  limit(
    'limit-not-on-delete',
    'payload-delete',
    'Deletion reads a body of any size and throws it away.',
    Number.POSITIVE_INFINITY,
    onDelete,
  ),
  limit(
    'limit-on-delete-one-long',
    'payload-delete',
    'Deletion takes a byte more than 1 MiB.',
    mebibyte + 1,
    onDelete,
  ),
];
