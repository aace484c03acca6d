import { isObject, type JsonObject } from '../contract/json.ts';
import { concrete } from '../contract/media-types.ts';
import type { MediaType } from '../contract/model.ts';
import { textOf, writePairs } from '../contract/styles.ts';
import type { Body } from './exchange.ts';

/** The body that carries a value as its media type says (OpenAPI 3.1, sections 4.8.14 and 4.8.15). */
export function encodeBody(media: MediaType, value: unknown): Body {
  const mediaType = concrete(media.mediaType);
  const body = (text: string, type = mediaType): Body => ({ mediaType: type, bytes: Buffer.from(text) });
  switch (media.kind) {
    case 'json':
      return body(JSON.stringify(value));
    case 'form':
      return body(formText(media, value));
    case 'multipart': {
      const boundary = 'conformance-boundary';
      return body(multipartText(media, value, boundary), `${mediaType}; boundary=${boundary}`);
    }
    case 'xml':
      return body(typeof value === 'string' ? value : toXml('root', value));
    default:
      return body(textOf(value));
  }
}

/** `application/x-www-form-urlencoded`: arrays repeat their field, objects are JSON, unless `encoding` says otherwise. */
function formText({ encoding }: MediaType, value: unknown): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return Object.entries(Object(value))
    .flatMap(([name, field]) => {
      const style = encoding[name];
      if (style !== undefined) return writePairs({ ...style, name }, field, encode);
      return [field].flat().map((each) => `${encode(name)}=${encode(textOf(each))}`);
    })
    .join('&');
}

/** `multipart/form-data` (RFC 7578): a part for each field, for each item of an array; strings of bytes as files. */
function multipartText({ schema }: MediaType, value: unknown, boundary: string): string {
  const fields = Object.entries(Object(value)).flatMap(([name, field]) => {
    const { items, format, contentMediaType, type }: JsonObject = Object(schema.properties?.[name]);
    const isFile = [{ format, contentMediaType }, Object(items)].some(
      (each) => each.format === 'binary' || each.contentMediaType === 'application/octet-stream',
    );
    const parts: readonly unknown[] = Array.isArray(field) && type === 'array' ? field : [field];
    return parts.map((part) => {
      const quoted = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
      const file = isFile ? '; filename="file"\r\nContent-Type: application/octet-stream' : '';
      const json = typeof part === 'object' && part !== null ? '\r\nContent-Type: application/json' : '';
      return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted}"${file || json}\r\n\r\n${textOf(part)}\r\n`;
    });
  });
  return `${fields.join('')}--${boundary}--\r\n`;
}

/** A plain document of elements named after the members; `xml` of the schemas is ignored. */
function toXml(name: string, value: unknown): string {
  const escaped = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '');
  const inner = isObject(value)
    ? Object.entries(value)
        .flatMap(([field, each]) => [each].flat().map((one) => toXml(field.replaceAll(/[^\w.-]/g, '_'), one)))
        .join('')
    : escaped(textOf(value));
  return `<${name}>${inner}</${name}>`;
}
