import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { oneLine } from '../contract/one-line.ts';
import { jsonText } from '../report/text.ts';
import { UsageError } from './usage.ts';

/** Calls the function. @throws UsageError that starts with the label and contains the message of what was thrown */
export function labelErrors<T>(label: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${label}: ${oneLine(error)}`);
  }
}

/** What the parser makes of a JSON file. @throws UsageError that starts with the label */
export function readJson<T>(file: string | URL, label: string, parse: (value: unknown) => T): T {
  return labelErrors(label, () => parse(JSON.parse(readFileSync(file, 'utf8'))));
}

/** With its parents. Node's own `recursive` never returns if the system refuses a directory with ENOENT, as /proc does. */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  mkdirSync(directory);
}

/** Writes JSON for people to read. Readable by the owner only if `mode` says so. */
export function writeJson(file: string, value: unknown, mode = 0o644): void {
  writeFileSync(file, jsonText(value), { mode });
}

/** @throws UsageError if the file exists, for commands that replace a file only with `--force` */
export function assertReplaceable(file: string, force = false): void {
  if (existsSync(file) && !force)
    throw new UsageError(`${file} exists; use --force to replace it, or --out to name another file`);
}
