import { existsSync } from 'node:fs';
import { differences } from '../contract/data-set-differences.ts';
import type { Control } from '../control/control.ts';
import { deleteSavedTenant, readSavedTenant, type SavedTenant } from './saved-tenant.ts';
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
  if (saved.control !== url)
    throw new UsageError(
      `${file} holds the data of another tenant (${saved.control}): put it back (restore ${file}), or choose another --report-dir`,
    );
  await restoreTenant(file, saved, control);
  return `an earlier run was killed: the tenant's data of ${saved.saved_at} has been put back`;
}

/**
 * Seeds the tenant with its saved data, and deletes the file if the tenant then reads the same.
 * @throws UsageError where it does not
 */
export async function restoreTenant(
  file: string,
  { control: url, tenant }: SavedTenant,
  control: Control,
): Promise<void> {
  if (!control.supports.has('seed')) throw new UsageError(`${file}: ${url} does not support seed`);
  if (control.supports.has('clock')) await control.moveClock(0);
  await control.seed(tenant);
  const different = control.supports.has('inspect') ? differences(tenant, await control.inspect()) : [];
  const more = different.length > 5 ? ` and ${different.length - 5} more` : '';
  if (different.length > 0)
    throw new UsageError(
      `the tenant differs from ${file} after it was put back: ${different.slice(0, 5).join(', ')}${more}`,
    );
  deleteSavedTenant(file);
}
