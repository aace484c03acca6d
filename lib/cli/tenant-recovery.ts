import { existsSync } from 'node:fs';
import { differences } from '../contract/data-set-differences.ts';
import type { Control } from '../control/control.ts';
import { deleteSavedTenant, readSavedTenant } from './saved-tenant.ts';
import { UsageError } from './usage.ts';

/**
 * Puts back the data that a killed run has saved and left, if there is any.
 * @param url of the control protocol
 * @returns what was done, in one line
 * @throws UsageError where the file is another tenant's, or the tenant does not take its data back
 */
export async function putBackSavedTenant(
  file: string,
  control: Control,
  url: string,
): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  const saved = readSavedTenant(file);
  const remedy = `put it back (restore ${file}), or choose another --report-dir`;
  if (saved.control !== url)
    throw new UsageError(`${file} holds the data of another tenant (${saved.control}): ${remedy}`);
  if (!control.supports.has('seed')) throw new UsageError(`${file}: ${url} does not support seed`);
  if (control.supports.has('clock')) await control.moveClock(0);
  await control.seed(saved.tenant);
  const different = control.supports.has('inspect') ? differences(saved.tenant, await control.inspect()) : [];
  if (different[0] !== undefined)
    throw new UsageError(`the tenant differs from ${file} after it was put back: ${different[0]}`);
  deleteSavedTenant(file);
  return `an earlier run was killed: the tenant's data of ${saved.saved_at} has been put back`;
}
