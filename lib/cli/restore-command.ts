import { readFileSync } from 'node:fs';
import { createDriver } from '../client/driver.ts';
import { differences } from '../contract/data-set-differences.ts';
import { connectControl } from '../control/control.ts';
import { Clock } from '../tokens/clock.ts';
import { deleteSavedTenant, readSavedTenant } from './saved-tenant.ts';
import { collectSettings } from './settings.ts';
import { oneLine } from './usage.ts';

/** Differences that are named; of more only the number. */
const shownDifferences = 5;

/**
 * `restore FILE`: seeds the tenant with the data that an interrupted run saved, and reads it back. Returns 0 and deletes the
 * file if the tenant is as it was, else 3.
 */
export async function restoreCommand(file: string): Promise<number> {
  const { control: url, tenant, saved_at } = readSavedTenant(file);
  const { ca, insecure, timeout } = collectSettings({}, process.env).settings;
  const driver = createDriver({
    baseUrl: url,
    ...(ca !== undefined && { ca: readFileSync(ca, 'utf8') }),
    ...(insecure !== undefined && { insecure }),
    ...(timeout !== undefined && { timeout }),
  });
  const fail = (message: string) => {
    process.stderr.write(`error: ${message}; the data is still in ${file}\n`);
    return 3;
  };
  try {
    const control = await connectControl(url, { driver, clock: new Clock() });
    if (!control.supports.has('seed')) return fail(`${url} does not support seed`);
    if (control.supports.has('clock')) await control.moveClock(0);
    await control.seed(tenant);
    const different = control.supports.has('inspect') ? differences(tenant, await control.inspect()) : [];
    if (different.length > 0) {
      const more = different.length - shownDifferences;
      return fail(
        `the tenant differs from the saved data: ${different.slice(0, shownDifferences).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
      );
    }
  } catch (error) {
    return fail(oneLine(error));
  } finally {
    await driver.close();
  }
  deleteSavedTenant(file);
  process.stdout.write(`the tenant has its data of ${saved_at} again; ${file} is deleted\n`);
  return 0;
}
