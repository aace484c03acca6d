import { attempt, isObject } from './json.ts';
import type { Parameter } from './model.ts';

/** The name of a value, and how it is serialized. */
type Place = Pick<Parameter, 'name' | 'style' | 'explode' | 'json'>;

const separators: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** The text of a scalar; other values as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Percent-encoding of a part of a URL (RFC 3986, section 2.1), a blank as %20. */
export function percentEncode(text: string): string {
  // The reserved characters that `encodeURIComponent` leaves as they are; some validators refuse them in a value.
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Decodes `%XX` as UTF-8; undefined if an escape is invalid. */
export function percentDecode(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text));
}

/**
 * Serializes a value as pairs of a query, a cookie or a form, with encoded names and texts: `ids=1&ids=2` (OpenAPI 3.1, section
 * 4.8.12.6). Returns no pairs for an empty array or object.
 */
export function writePairs(
  { name, style, explode, json }: Place,
  value: unknown,
  encode = percentEncode,
): readonly string[] {
  const pair = (key: string, text: string) => `${key}=${text}`;
  const key = encode(name);
  if (json || typeof value !== 'object' || value === null)
    return [pair(key, encode(json ? JSON.stringify(value) : textOf(value)))];
  if (Array.isArray(value)) {
    const texts = value.map((each) => encode(textOf(each)));
    if (explode) return texts.map((text) => pair(key, text));
    return texts.length === 0 ? [] : [pair(key, texts.join(separators[style] ?? ','))];
  }
  const members = Object.entries(value);
  if (style === 'deepObject')
    return members.flatMap(([field, each]) =>
      [each]
        .flat()
        .map((one) => pair(`${key}${encode('[')}${encode(field)}${encode(']')}`, encode(textOf(one)))),
    );
  if (explode) return members.map(([field, each]) => pair(encode(field), encode(textOf(each))));
  const flat = members.flat().map((each) => encode(textOf(each)));
  return flat.length === 0 ? [] : [pair(key, flat.join(separators[style] ?? ','))];
}

/** Serializes a value as a path segment or a header field: `simple`, `label` or `matrix`. */
export function writeText(
  { name, style, explode, json }: Place,
  value: unknown,
  encode = percentEncode,
): string {
  if (json) return encode(JSON.stringify(value));
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const separator = explode && prefix !== '' ? prefix : ',';
  const key = style === 'matrix' ? `${encode(name)}=` : '';
  if (Array.isArray(value)) {
    const texts = value.map((each) => encode(textOf(each)));
    return explode && key !== ''
      ? texts.map((text) => `;${key}${text}`).join('')
      : `${prefix}${key}${texts.join(separator)}`;
  }
  if (!isObject(value)) return `${prefix}${key}${encode(textOf(value))}`;
  const members = Object.entries(value).map(
    ([field, each]) => [encode(field), encode(textOf(each))] as const,
  );
  if (explode) return prefix + members.map((pair) => pair.join('=')).join(separator);
  return `${prefix}${key}${members.flat().join(',')}`;
}

/** Matches the names of query parameters that belong to a parameter: its own, and those of an exploded object. */
export function namesOf({ name, style, explode, schema }: Parameter): (sent: string) => boolean {
  const fields = explode && style === 'form' ? Object.keys(schema.properties ?? {}) : [];
  return (sent) =>
    sent === name || fields.includes(sent) || (style === 'deepObject' && sent.startsWith(`${name}[`));
}
