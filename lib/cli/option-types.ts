import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../client/proxy.ts';
import { isObject } from '../contract/json.ts';
import type { RateLimit } from '../fake/index.ts';
import { labelErrors } from './files.ts';
import { UsageError } from './usage.ts';

/** Where a value is set, and how that affects reading it. */
export interface Origin {
  /** What the user wrote: `--runs`, `CONFORMANCE_RUNS`, `runs in conformance.yaml`. */
  readonly label: string;
  /** Folder of the profile, from which relative paths start; empty for the working directory. */
  readonly folder: string;
  /** The environment, for `env:NAME`. */
  readonly environment: Environment;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the value of an option is: how it is read, and its JSON Schema in a profile. */
export interface OptionType<Value> {
  /** `switch` takes no value on the command line; `list` may be given several times. */
  readonly takes: 'switch' | 'value' | 'list';
  /** Placeholder of the value in the help. */
  readonly placeholder: string;
  /** With an example, which `init` shows. */
  readonly schema: JsonSchema;
  /** @throws UsageError in one line that starts with the origin's label */
  readonly parse: (raw: unknown, origin: Origin) => Value;
}

const textSchema = { type: 'string', minLength: 1 };

/** `--strict`, `CONFORMANCE_STRICT=true`. */
export const flag: OptionType<boolean> = {
  takes: 'switch',
  placeholder: '',
  schema: { type: 'boolean', examples: [true] },
  parse(raw, { label }) {
    const text = String(raw).toLowerCase();
    if (['1', 'true', 'yes', 'on'].includes(text)) return true;
    if (['0', 'false', 'no', 'off'].includes(text)) return false;
    throw new UsageError(`${label} must be true or false, not ${shown(raw)}`);
  },
};

export const text = (placeholder: string) => value(placeholder, (raw) => raw);

/** Text that no output may contain; `env:NAME` takes it from the environment. */
export const secret = (placeholder: string) =>
  value(placeholder, (raw, { label, environment }) => expandSecret(raw.trim(), label, environment).trim(), {
    examples: ['env:NAME'],
  });

/** @param example what `init` shows */
export const url = (example: string) => value('URL', parseUrl, { examples: [example] });

function parseUrl(raw: string, { label }: Origin): string {
  const trimmed = raw.trim();
  if (!URL.canParse(trimmed) || !/^https?:\/\//i.test(trimmed)) {
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(trimmed) ? `: did you mean https://${trimmed}?` : '';
    throw new UsageError(`${label} must be an http or https URL${hint}`);
  }
  const { username, password, search, hash } = new URL(trimmed);
  if (username !== '' || password !== '')
    throw new UsageError(`${label} must not contain a user or password; use one of the token options`);
  // URL drops line breaks and tabs, a request target can't carry blanks.
  if (/[\s\p{Cc}]/u.test(trimmed))
    throw new UsageError(`${label} must not contain white space or a line break`);
  if (search !== '' || hash !== '') throw new UsageError(`${label} must not have a query or a fragment`);
  return trimmed.replace(/\/+$/, '');
}

/** A file that must exist. */
export const file = value('FILE', (raw, origin) => {
  const path = resolvePath(raw, origin);
  if (!existsSync(path)) throw new UsageError(`${origin.label}: there is no file ${path}`);
  if (statSync(path).isDirectory())
    throw new UsageError(`${origin.label}: ${path} is a directory, not a file`);
  return path;
});

/** A file or directory that need not exist yet. */
export const path = (placeholder: string) => value(placeholder, resolvePath);

export const integer = numeric('integer', /^-?\d+$/);
export const number = numeric('number', /^\d*\.?\d+$/);

const orList = new Intl.ListFormat('en-GB', { type: 'disjunction' });

export const choice = <const Choice extends string>(choices: readonly Choice[]) =>
  value(
    choices.length > 6 ? 'KIND' : choices.join('|'),
    (raw, { label }) => {
      const found = choices.find((each) => each === raw);
      if (found !== undefined) return found;
      throw new UsageError(`${label} must be ${orList.format(choices)}, not ${shown(raw)}`);
    },
    { enum: choices, examples: choices.slice(0, 1) },
  );

/** `2/3`: part 2 of 3. */
export const shard = value(
  'i/n',
  (raw, { label }) => {
    const [, part, parts] = /^(\d{1,4})\/(\d{1,4})$/.exec(raw.trim()) ?? [];
    const [index, count] = [Number(part), Number(parts)];
    if (index >= 1 && index <= count) return `${index}/${count}`;
    throw new UsageError(`${label} must be i/n with i from 1 to n, such as 2/3, not ${shown(raw)}`);
  },
  { pattern: '^\\d+/\\d+$', examples: ['1/3'] },
);

/** `100/60`: at most 100 requests in 60 seconds. */
export const rateLimit = value('N/S', (raw, { label }): RateLimit => {
  const [, requests, seconds] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(raw.trim()) ?? [];
  if (requests === undefined)
    throw new UsageError(`${label} must be requests/seconds, such as 100/60, not ${shown(raw)}`);
  return { requests: Number(requests), seconds: Number(seconds) };
});

/** A JSON object. */
export const jsonObject = value('JSON', (raw, { label }): Readonly<Record<string, unknown>> => {
  const parsed: unknown = labelErrors(label, () => JSON.parse(raw));
  if (!isObject(parsed)) throw new UsageError(`${label} must be a JSON object`);
  return parsed;
});

/** Several texts: a repeated flag, a list in a profile, or one variable that lists them. */
export function texts(placeholder: string, separator = /[\s,]+/): OptionType<readonly string[]> {
  return {
    takes: 'list',
    placeholder,
    schema: { oneOf: [textSchema, { type: 'array', items: textSchema }], examples: [[placeholder]] },
    parse: (raw, { label }) => listOf(raw, separator, label).map((each) => nonEmpty(each, label).trim()),
  };
}

/** IDs, which may contain blanks. */
export const ids = texts('ID', /[,\n]/);

/** Header fields as `Name: value`; in a profile also a map of them. */
export const headers: OptionType<readonly string[]> = {
  takes: 'list',
  placeholder: "'Name: value'",
  schema: {
    oneOf: [
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'array', items: { type: 'string', pattern: ':' } },
    ],
    examples: [{ 'X-Api-Key': 'env:API_KEY' }],
  },
  parse(raw, origin) {
    const fields =
      typeof raw === 'object' && raw !== null && !Array.isArray(raw)
        ? Object.entries(raw).map(([name, field]) => `${name}: ${field}`)
        : // Values may contain commas and blanks, so a variable has one field per line.
          listOf(raw, /\r?\n/, origin.label);
    return fields.map((field) => parseHeader(nonEmpty(field, origin.label), origin));
  },
};

/** Fields that describe the message or the connection, and the field of which the requirements choose the value. */
const ownFields =
  /^(content-(length|type|encoding)|transfer-encoding|te|trailer|expect|upgrade|connection|keep-alive|x-correlation-id)$/i;

/** One header field. Its value may be `env:NAME`, because most are API keys. */
function parseHeader(raw: string, { label, environment }: Origin): string {
  const [, name, given = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(raw) ?? [];
  // The message leaves the value out: it may be a secret.
  if (name === undefined) throw new UsageError(`${label} must be 'Name: value'`);
  if (ownFields.test(name))
    throw new UsageError(`${label} must not contain ${name}: the suite sets it itself`);
  const content = expandSecret(given, label, environment);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a field value must not contain (RFC 9110, section 5.5).
  if (/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(content))
    throw new UsageError(`${label}: the value of ${name} has characters that HTTP does not allow`);
  return `${name}: ${content}`;
}

/**
 * The text, or for `env:NAME` the value of that variable.
 * @throws UsageError if the variable is not set or empty
 */
export function expandSecret(text: string, label: string, environment: Environment): string {
  const [, name] = /^env:(\w+)$/.exec(text) ?? [];
  if (name === undefined) return text;
  const value = environment[name];
  if (value === undefined || value === '')
    throw new UsageError(`${label}: the environment variable ${name} is not set`);
  return value;
}

/** @param schema keywords besides those of any text */
function value<Value>(
  placeholder: string,
  parse: (raw: string, origin: Origin) => Value,
  schema: JsonSchema = { examples: [placeholder] },
): OptionType<Value> {
  return {
    takes: 'value',
    placeholder,
    schema: { ...textSchema, ...schema },
    parse: (raw, origin) => parse(nonEmpty(raw, origin.label), origin),
  };
}

function numeric(type: 'integer' | 'number', pattern: RegExp) {
  const kind = type === 'integer' ? 'an integer' : 'a number';
  return (placeholder: string, minimum: number, maximum: number): OptionType<number> => ({
    takes: 'value',
    placeholder,
    schema: { type, minimum, maximum, examples: [Math.ceil(minimum)] },
    parse(raw, { label }) {
      const given = typeof raw === 'number' ? String(raw) : nonEmpty(raw, label).trim();
      const parsed = Number(given);
      if (pattern.test(given) && parsed >= minimum && parsed <= maximum) return parsed;
      throw new UsageError(`${label} must be ${kind} from ${minimum} to ${maximum}, not ${shown(raw)}`);
    },
  });
}

function nonEmpty(raw: unknown, label: string): string {
  if (typeof raw !== 'string') throw new UsageError(`${label} must be a string`);
  if (raw.trim() === '') throw new UsageError(`${label} is empty`);
  // An unset variable of a shell leaves the next option in place of the value.
  if (label.startsWith('--') && /^--[a-z][a-z-]+$/.test(raw))
    throw new UsageError(`${label} needs a value, not the option ${raw}`);
  return raw;
}

function listOf(raw: unknown, separator: RegExp, label: string): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  if (typeof raw !== 'string') throw new UsageError(`${label} must be a string or a list of strings`);
  return raw.split(separator).filter((item) => item.trim() !== '');
}

function resolvePath(raw: string, { folder }: Origin): string {
  return isAbsolute(raw) || folder === '' ? raw : join(folder, raw);
}

/** The value in an error message: short, printable, one line. */
function shown(raw: unknown): string {
  const given = typeof raw === 'string' ? raw : (JSON.stringify(raw) ?? String(raw));
  return `'${given.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 60)}'`;
}
