import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isObject, parseJson } from '../contract/json.ts';
import { labelErrors, makeDirectory } from './files.ts';

/**
 * Makes the report directory and locks it for this run: a directory that can't be written to is noticed before the run, and two
 * runs don't mix their reports. Returns the function that releases the lock.
 * @throws UsageError
 */
export function lockReportDir(directory: string): () => void {
  return labelErrors(`--report-dir ${directory}`, () => {
    makeDirectory(resolve(directory));
    return lock(resolve(directory, '.lock'), 'is writing to it; choose another directory');
  });
}

/**
 * Locks the tenant of a control protocol: two runs that seed it accuse a server that conforms. Runs of other users and on other
 * machines are not noticed. Returns the function that releases the lock.
 * @throws UsageError
 */
export function lockTenant(control: string): () => void {
  // The name contains the user's ID, because another user's file cannot be replaced.
  const name = createHash('sha256').update(`${process.getuid?.()} ${control}`).digest('hex').slice(0, 16);
  const file = join(tmpdir(), `tenant-admin-conformance-${name}.lock`);
  return labelErrors(`--control ${control}`, () => lock(file, 'uses this tenant; wait until it has ended'));
}

/** Writes the lock file of this process. @throws Error if another running process of this machine has written it */
function lock(file: string, what: string): () => void {
  const owner = ownerOf(file);
  if (owner !== undefined) throw new Error(`another run (process ${owner}) ${what}`);
  writeFileSync(file, JSON.stringify({ pid: process.pid, host: hostname() }));
  return () => rmSync(file, { force: true });
}

/** ID of the running process that has the lock; undefined if there is none. */
function ownerOf(file: string): number | undefined {
  const owner = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
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
