import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import {
  isOptionName,
  isRepeatable,
  type OptionName,
  type OptionSpec,
  type Settings,
  specOf,
} from './options.ts';
import { UsageError } from './usage.ts';

/** Where a value came from, and what that means for it. */
export interface Origin {
  /** What the user wrote: `--runs`, `CONFORMANCE_RUNS`, `runs in conformance.yaml`. */
  readonly label: string;
  /** Folder that relative paths start from. */
  readonly folder: string;
  /** The environment, for `env:NAME`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One value, checked: of the type that its option has. Throws a `UsageError`. */
export function parseValue(name: OptionName, raw: unknown, origin: Origin): unknown {
  const spec = specOf(name);
  if (isRepeatable(name)) return list(spec, raw, origin).map((item) => parseText(spec, item, origin));
  if (spec.type === 'switch') return parseSwitch(raw, origin);
  if (typeof raw === 'number' && (spec.type === 'integer' || spec.type === 'number'))
    return parseNumber(spec, String(raw), origin);
  return parseText(spec, raw, origin);
}

/** True where every value has its option's type, as `parseValue` makes it. */
export function areSettings(values: Readonly<Record<string, unknown>>): values is Settings {
  return Object.entries(values).every(([name, value]) => isOptionName(name) && hasType(name, value));
}

function hasType(name: OptionName, value: unknown): boolean {
  const { type, choices } = specOf(name);
  if (isRepeatable(name)) return Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (type === 'switch') return typeof value === 'boolean';
  if (type === 'integer' || type === 'number') return typeof value === 'number';
  return typeof value === 'string' && choices?.includes(value) !== false;
}

function parseSwitch(raw: unknown, { label }: Origin): boolean {
  if (typeof raw === 'boolean') return raw;
  const text = String(raw).toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(text)) return true;
  if (['0', 'false', 'no', 'off'].includes(text)) return false;
  throw new UsageError(`${label} is on or off: true or false, not ${shown(raw)}`);
}

function list(spec: OptionSpec, raw: unknown, { label }: Origin): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  if (spec.type === 'headers' && typeof raw === 'object' && raw !== null)
    return Object.entries(raw).map(([name, value]) => `${name}: ${value}`);
  if (typeof raw !== 'string') throw new UsageError(`${label} must be text or a list of texts`);
  // Header values may hold commas and blanks; nothing else of these may.
  return raw.split(spec.type === 'headers' ? /\r?\n/ : /[\s,]+/).filter((item) => item.trim() !== '');
}

function parseText(spec: OptionSpec, raw: unknown, origin: Origin): unknown {
  const { label } = origin;
  if (typeof raw !== 'string') throw new UsageError(`${label} must be text`);
  if (raw.trim() === '') throw new UsageError(`${label} is empty`);
  switch (spec.type) {
    case 'secret':
      return parseSecret(raw, origin);
    case 'headers':
      return parseHeader(raw, origin);
    case 'url':
      return parseUrl(raw, label);
    case 'file':
      return parseFile(raw, origin);
    case 'path':
      return isAbsolute(raw) || origin.folder === '' ? raw : join(origin.folder, raw);
    case 'integer':
    case 'number':
      return parseNumber(spec, raw, origin);
    case 'choice':
      if (spec.choices?.includes(raw)) return raw;
      throw new UsageError(`${label} is ${spec.choices?.join(' or ')}, not ${shown(raw)}`);
    case 'shard':
      return parseShardText(raw, label);
    default:
      return raw;
  }
}

function parseSecret(raw: string, { label, environment }: Origin): string {
  const [, name] = /^env:(\w+)$/.exec(raw.trim()) ?? [];
  if (name === undefined) return raw.trim();
  const value = environment[name];
  if (value === undefined || value === '') throw new UsageError(`${label}: the variable ${name} is not set`);
  return value.trim();
}

/** A field value may be `env:NAME`, since most of them are keys. */
function parseHeader(raw: string, origin: Origin): string {
  const [, name, value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(raw) ?? [];
  // The value is left out of the message: it may be a secret.
  if (name === undefined) throw new UsageError(`${origin.label} must read 'Name: value'`);
  const meant = value.startsWith('env:') ? parseSecret(value, origin) : value;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what HTTP can't carry (RFC 9110, section 5.5).
  if (/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(meant))
    throw new UsageError(`${origin.label}: the value of ${name} holds characters that HTTP can't carry`);
  return `${name}: ${meant}`;
}

function parseUrl(raw: string, label: string): string {
  const text = raw.trim();
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text))
    throw new UsageError(
      `${label} must be an http or https URL${/^[\w.-]+(:\d+)?(\/|$)/.test(text) ? `: https://${text}?` : ''}`,
    );
  const { username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '')
    throw new UsageError(`${label} must hold no user or password; use --header or the token options`);
  if (search !== '' || hash !== '') throw new UsageError(`${label} must have no query and no fragment`);
  return text.replace(/\/+$/, '');
}

function parseFile(raw: string, { label, folder }: Origin): string {
  const path = isAbsolute(raw) || folder === '' ? raw : join(folder, raw);
  if (!existsSync(path)) throw new UsageError(`${label}: there is no file ${path}`);
  if (statSync(path).isDirectory()) throw new UsageError(`${label}: ${path} is a folder, not a file`);
  return path;
}

function parseNumber(spec: OptionSpec, raw: string, { label }: Origin): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = spec;
  const value = Number(raw);
  const whole = spec.type === 'integer';
  const wellFormed = (whole ? /^\d+$/ : /^\d*\.?\d+$/).test(raw.trim());
  if (!wellFormed || value < minimum || value > maximum) {
    const kind = whole ? 'a whole number' : 'a number';
    throw new UsageError(`${label} must be ${kind} from ${minimum} to ${maximum}, not ${shown(raw)}`);
  }
  return value;
}

function parseShardText(raw: string, label: string): string {
  const [, part, parts] = /^(\d{1,4})\/(\d{1,4})$/.exec(raw.trim()) ?? [];
  const [index, count] = [Number(part), Number(parts)];
  if (!(index >= 1 && index <= count))
    throw new UsageError(`${label} must read i/n with i from 1 to n, like 2/3, not ${shown(raw)}`);
  return `${index}/${count}`;
}

function shown(raw: unknown): string {
  const text = typeof raw === 'string' ? raw : JSON.stringify(raw);
  return `'${text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 60)}'`;
}
