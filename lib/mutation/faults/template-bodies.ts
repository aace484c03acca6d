import { isObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import { parseJson } from '../../fake/json.ts';
import { override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { defaults, isPrimitive, reads, refusedWith, takes } from './input.ts';
import { asJson, onPut } from './where.ts';

/** Section 4.1: the body of an update as a whole. */

/** Reads what is no JSON as the JSON that it may have been meant to be. */
const repairs = (name: string, description: string, repair: (text: string) => string): Fault =>
  reads(name, '4.1/body-malformed', description, (usual) => ({
    parsed(text, mediaType, call) {
      const value = usual.parsed(text, mediaType, call);
      return value === undefined && asJson(call) ? parseJson(repair(text)) : value;
    },
  }));

/** Takes other media types for JSON. */
const mediaTypes = (name: string, description: string, taken: (sent: string) => boolean): Fault =>
  reads(name, '4.1/media-type', description, (usual) => ({
    mediaType: (sent, operation, call) =>
      usual.mediaType(sent, operation, call) ??
      (taken(sent ?? '')
        ? operation.body?.content.find(({ mediaType }) => mediaType === 'application/json')
        : undefined),
  }));

/** An empty body is read as this text. */
const emptyBody = (name: string, description: string, text: string): Fault => ({
  name,
  requirement: '4.1/body-required',
  description,
  rules: (rules) =>
    override(rules, 'payload', (usual) => ({
      received(body, call: Call) {
        const given = usual.received(body, call);
        return onPut(call) && asJson(call) && !given.tooLarge && given.bytes.length === 0
          ? { ...given, bytes: new TextEncoder().encode(text) }
          : given;
      },
    })),
});

export const templateBodyFaults: readonly Fault[] = [
  emptyBody('empty-body-defaults', 'An empty body sets the default messages.', JSON.stringify(defaults)),
  refusedWith(
    'empty-body-411',
    '4.1/body-required',
    'An empty body is answered 411.',
    411,
    /body: it is missing/,
  ),
  refusedWith(
    'empty-body-500',
    '4.1/body-required',
    'An empty body is answered 500.',
    500,
    /body: it is missing/,
  ),

  repairs('json-trailing-comma', 'A comma before the closing brace is taken.', (text) =>
    text.replace(/,(\s*[}\]])/g, '$1'),
  ),
  repairs('json-single-quotes', 'JSON may have single quotes.', (text) => text.replaceAll("'", '"')),
  repairs('json-unclosed', 'A missing closing brace is put in.', (text) => `${text}}`),
  repairs('json-trailing-text', 'What follows the JSON value is not read.', (text) =>
    text.slice(0, text.lastIndexOf('}') + 1),
  ),
  refusedWith(
    'malformed-422',
    '4.1/body-malformed',
    'A body that is no JSON is answered 422.',
    422,
    /it is not application\/json/,
  ),
  refusedWith(
    'malformed-500',
    '4.1/body-malformed',
    'A body that is no JSON is answered 500.',
    500,
    /it is not application\/json/,
  ),
  repairs('malformed-as-defaults', 'A body that is only words is taken for no change.', (text) =>
    /^\w+$/.test(text) ? JSON.stringify(defaults) : text,
  ),

  takes(
    'array-of-one-update',
    '4.1/body-object',
    'An array with one update in it is taken for the update.',
    asJson,
    (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value),
  ),
  takes(
    'empty-array-is-object',
    '4.1/body-object',
    'An empty array is an empty object, and that changes nothing.',
    asJson,
    (value) => (Array.isArray(value) && value.length === 0 ? defaults : value),
  ),
  takes('null-changes-nothing', '4.1/body-object', 'A body of null changes nothing.', asJson, (value) =>
    value === null ? defaults : value,
  ),
  takes(
    'empty-object-changes-nothing',
    '4.1/body-object',
    'An empty object changes nothing.',
    asJson,
    (value) => (isObject(value) && Object.keys(value).length === 0 ? defaults : value),
  ),
  takes('text-for-both', '4.1/body-object', 'A string is taken for both messages.', asJson, (value) =>
    typeof value === 'string' ? { enrollment_message: value, verification_message: value } : value,
  ),
  takes(
    'primitive-changes-nothing',
    '4.1/body-object',
    'A number or true has no fields, and so nothing is checked.',
    asJson,
    (value) => (isPrimitive(value) ? defaults : value),
  ),

  mediaTypes('any-media-type', 'A body of any media type is read as JSON.', () => true),
  mediaTypes('text-plain-as-json', 'text/plain is read as JSON.', (sent) => sent === 'text/plain'),
  mediaTypes(
    'binary-as-json',
    'application/octet-stream is read as JSON.',
    (sent) => sent === 'application/octet-stream',
  ),
  mediaTypes('multipart-as-json', 'A multipart body is handed on as it is.', (sent) =>
    sent.startsWith('multipart/'),
  ),
];
