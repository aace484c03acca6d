import { isUtf8 } from 'node:buffer';
import { formType } from '../contract/media-types.ts';
import type { BodyPart, Exchange } from './exchange.ts';

/** Fields that curl adds by itself or that make no difference. */
const unneeded: ReadonlySet<string> = new Set(['user-agent', 'accept-encoding']);

/** Placeholders of secrets, and of values derived from them, in a record: `$TOKEN`, `${CLIENT_SECRET%?}`, `$HEADER_X_API_KEY`. */
const placeholder =
  /\$(?:TOKEN|CLIENT_SECRET|HEADER_[A-Z0-9_]+|PROXY_AUTHORIZATION)|\$\{CLIENT_SECRET(?:[%#]\?|~~)\}/;

/** The field of a form that contains a placeholder, with the fields before and after it. */
const secretInForm = /^(?:(.*)&)?(\w+)=([^&]*\$[^&]*)(?:&(.*))?$/;

/**
 * A shell line that sends the recorded request again, with `$TOKEN` in place of the token. No content of the request
 * can end its quotes. Runs in bash and zsh.
 */
export function curl(exchange: Pick<Exchange, 'request'>): string {
  const { request } = exchange;
  const words = ['curl -sS -i'];
  if (/\/\.{1,2}(\/|\?|$)/.test(request.url)) words.push('--path-as-is');
  if (/[[\]{}]/.test(request.url)) words.push('-g');
  if (request.method === 'HEAD') words.push('-I');
  else if (request.method !== 'GET' || request.bodyBytes > 0) words.push(`-X ${quote(request.method)}`);
  words.push(quoteWithPlaceholders(request.url));
  const names = new Set(request.headers.map(([name]) => name));
  if (request.headers.some(([name, value]) => name === 'accept-encoding' && value !== 'identity'))
    words.push('--compressed');
  for (const [name, value] of request.headers) {
    if (unneeded.has(name)) continue;
    words.push(`-H ${quoteWithPlaceholders(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  const piped = bodyWords(request, names, words);
  return piped === undefined ? words.join(' ') : `${piped} | ${words.join(' ')}`;
}

/** Adds the words for the body; returns the command that writes it if it does not fit into a word. */
function bodyWords(
  request: Exchange['request'],
  names: ReadonlySet<string>,
  words: string[],
): string | undefined {
  if (request.bodyBytes === 0) return undefined;
  if (!names.has('content-type')) words.push("-H 'content-type:'");
  if (request.chunked) words.push("-H 'transfer-encoding: chunked'");
  // curl sends `Expect: 100-continue` before a large body, the suite does not.
  if (request.bodyBytes > 1_000_000) words.push("-H 'expect:'");
  const { body = '', bodyParts, secretBody } = request;
  if (secretBody) {
    // Through a pipe, so that no other user of the machine can read it. In a form, curl encodes the secret.
    const isForm = request.headers.some(([name, value]) => name === 'content-type' && value === formType);
    const [, before, name, secret, after] = (isForm && secretInForm.exec(body)) || [];
    if (before) words.push(`--data-raw ${quote(before)}`);
    words.push(name === undefined ? '--data-binary @-' : `--data-urlencode ${name}@-`);
    if (after) words.push(`--data-raw ${quote(after)}`);
    return `printf %s ${quoteWithPlaceholders(secret ?? body)}`;
  }
  if (bodyParts === undefined && !body.includes('\0')) {
    words.push(`--data-raw ${quote(body)}`);
    return undefined;
  }
  words.push('--data-binary @-');
  return `{ ${(bodyParts ?? [{ bytes: Buffer.from(body), count: 1 }]).map(writePart).join('; ')}; }`;
}

function writePart({ bytes, count }: BodyPart): string {
  if (count === 1 && isUtf8(bytes) && !bytes.includes(0)) return `printf %s ${quote(bytes.toString())}`;
  // printf's format alone can write the byte zero.
  if (count === 1) return `printf '${octal(bytes)}'`;
  const zeros = `head -c ${count} /dev/zero`;
  return bytes[0] === 0 ? zeros : `${zeros} | tr '\\0' '${octal(bytes)}'`;
}

function octal(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Characters that a terminal acts upon, or that hide or reverse the text around them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/** The text as one word of a shell. */
export function quote(text: string): string {
  if (/^[\w./:=@%+,-]+$/.test(text)) return text;
  if (!unprintable.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = Array.from(text, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\\' || character === "'") return `\\${character}`;
    return unprintable.test(character) ? octal(Buffer.from(character)) : character;
  });
  return `$'${escaped.join('')}'`;
}

/** As `quote`, but the placeholders of secrets stay open for the shell's variables of these names. */
function quoteWithPlaceholders(text: string): string {
  return text
    .split(new RegExp(`(${placeholder.source})`))
    .filter((piece) => piece !== '')
    .map((piece) => (placeholder.test(piece) ? `"${piece}"` : quote(piece)))
    .join('');
}
