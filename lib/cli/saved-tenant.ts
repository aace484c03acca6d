import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type DataSet, DataSetError, parseDataSet } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import { oneLine, UsageError } from './usage.ts';

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
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

/** @throws UsageError for a file that no run has saved */
export function readSavedTenant(file: string): SavedTenant {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(value) || value.version !== 1 || typeof value.control !== 'string')
      throw new UsageError(`${file} is not a file that a run saved`);
    const saved_at = typeof value.saved_at === 'string' ? value.saved_at : '';
    return { version: 1, control: value.control, saved_at, tenant: parseDataSet(value.tenant) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof DataSetError) throw new UsageError(`${file}: ${error.message}`);
    throw new UsageError(`${file}: ${oneLine(error)}`);
  }
}

export function deleteSavedTenant(file: string): void {
  rmSync(file, { force: true });
}
