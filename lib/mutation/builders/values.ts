import { escapeRegExp } from '../../contract/escape-regexp.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';

/** Ways in which services change values. */

/** Responds with 500. Any other error would be a mistake in a rule, and the fake would print a warning about it. */
export function fail(): never {
  return refuse(500, 'internal_error', 'Internal error');
}

/** The object without one member. */
export function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

/**
 * The value with the member at a path (`allocations[].weight`) transformed; unchanged if nothing is at the path.
 * @param transform gets undefined if the last member is absent; undefined removes the member
 */
export function transformAt(value: unknown, path: string, transform: (member: unknown) => unknown): unknown {
  const [step = '', ...rest] = path.split(/\.|(?=\[\])/);
  const isLast = rest.length === 0;
  const changed = (inner: unknown): unknown =>
    isLast ? transform(inner) : transformAt(inner, rest.join('.'), transform);
  if (step === '[]') return Array.isArray(value) ? value.map(changed) : value;
  if (!isObject(value) || (!isLast && value[step] === undefined)) return value;
  const member = changed(value[step]);
  if (member === undefined) return value[step] === undefined ? value : without(value, step);
  // A new member comes first, where clients expect it least.
  return value[step] === undefined ? { [step]: member, ...value } : { ...value, [step]: member };
}

export const toLowerCase = (text: string): string => text.toLowerCase();
export const trim = (text: string): string => text.trim();
export const plusToBlank = (text: string): string => text.replaceAll('+', ' ');
export const blankToPlus = (text: string): string => text.replaceAll(' ', '+');
export const toNfc = (text: string): string => text.normalize('NFC');
/** Decodes the text's UTF-8 bytes as Latin-1. */
export const misreadAsLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
/** Replaces characters outside the Basic Multilingual Plane, as MySQL's utf8mb3 does. */
export const bmpOnly = (text: string): string => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?');
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
export const crlfToLf = (text: string): string => text.replaceAll('\r\n', '\n');

/** Milliseconds since the epoch of a date-time. */
export const epoch = (time: unknown): number => Date.parse(String(time));
/** A date-time without its time zone. */
export const zoneless = (time: unknown): string => String(time).replace(/Z$/, '');

/** A pattern of SQL's LIKE: `_` matches any character, `%` any number of them. */
export function like(pattern: string): RegExp {
  const source = escapeRegExp(pattern).replaceAll('%', '.*').replaceAll('_', '.');
  return new RegExp(`^${source}$`, 'su');
}
