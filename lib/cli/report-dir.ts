import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isObject, parseJson } from '../contract/json.ts';
import { parseReportText } from '../report/parse.ts';
import type { Report } from '../report/report.ts';
import { labelErrors } from './files.ts';
import { UsageError } from './usage.ts';

/** Where reports go by default. */
export const defaultReportDir = 'reports';

/**
 * Makes the report directory and locks it for this run: a directory that can't be written to is noticed before the run, and two
 * runs don't mix their reports. Returns the function that releases the lock.
 * @throws UsageError
 */
export function lockReportDir(directory: string): () => void {
  const lock = resolve(directory, '.lock');
  labelErrors(`--report-dir ${directory}`, () => {
    makeDirectory(resolve(directory));
    const owner = ownerOf(lock);
    if (owner !== undefined)
      throw new Error(`another run (process ${owner}) is writing to it; choose another directory`);
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname() }));
  });
  return () => rmSync(lock, { force: true });
}

/**
 * The report in a file, or in a directory's `report.json`.
 * @throws UsageError
 */
export function readReport(place: string): Report {
  const isDirectory = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isDirectory ? join(place, 'report.json') : place;
  if (!existsSync(file)) throw new UsageError(`there is no report at ${place}`);
  return labelErrors(place, () => parseReportText(readFileSync(file, 'utf8')));
}

/** With its parents. Node's own `recursive` never returns if the system refuses a directory with ENOENT, as /proc does. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  mkdirSync(directory);
}

/** ID of the running process that has the lock; undefined if there is none. */
function ownerOf(lock: string): number | undefined {
  const owner = existsSync(lock) ? parseJson(readFileSync(lock, 'utf8')) : undefined;
  // In a container this process often has the ID of the one before.
  if (!isObject(owner) || owner.host !== hostname() || owner.pid === process.pid) return undefined;
  return typeof owner.pid === 'number' && isRunning(owner.pid) ? owner.pid : undefined;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process exists, but may not be signalled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
