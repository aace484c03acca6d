import { rmSync } from 'node:fs';
import { type DataSet, parseDataSet } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import { labelled, readJson, writeJson } from './files.ts';
import { UsageError } from './usage.ts';

/**
 * The file that a run writes before it first seeds the tenant, and deletes once the tenant is as it was: what a killed run
 * leaves for the next one, or for the `restore` command.
 */
export interface SavedTenant {
  readonly version: 1;
  /** URL of the control protocol. */
  readonly control: string;
  /** ISO 8601. */
  readonly saved_at: string;
  readonly tenant: DataSet;
}

/** Readable by the owner only: the data set may hold secrets. */
export function saveTenant(file: string, { control, tenant }: Pick<SavedTenant, 'control' | 'tenant'>): void {
  const content: SavedTenant = { version: 1, control, saved_at: new Date().toISOString(), tenant };
  writeJson(file, content, 0o600);
}

/** @throws UsageError for a file that no run has saved */
export function readSavedTenant(file: string): SavedTenant {
  const value = readJson(file, file);
  if (!isObject(value) || value.version !== 1 || typeof value.control !== 'string')
    throw new UsageError(`${file} is not a file that a run saved`);
  const saved_at = typeof value.saved_at === 'string' ? value.saved_at : '';
  const tenant = labelled(file, () => parseDataSet(value.tenant));
  return { version: 1, control: value.control, saved_at, tenant };
}

export function deleteSavedTenant(file: string): void {
  rmSync(file, { force: true });
}
