import { readFileSync } from 'node:fs';
import { Driver } from '../client/driver.ts';
import { connectControl } from '../control/control.ts';
import { Clock } from '../tokens/clock.ts';
import { printError } from './output.ts';
import { readSavedTenant, restoreTenant } from './saved-tenant.ts';
import { collectSettings } from './settings.ts';
import { oneLine } from './usage.ts';

/**
 * `restore FILE`: seeds the tenant with the data that an interrupted run saved, and reads it back. Returns 0 and deletes the
 * file if the tenant is as it was, else 3.
 */
export async function restoreCommand(file: string): Promise<number> {
  const saved = readSavedTenant(file);
  const { ca, insecure, timeout } = collectSettings({}, process.env).settings;
  const driver = new Driver({
    baseUrl: saved.control,
    ...(ca !== undefined && { ca: readFileSync(ca, 'utf8') }),
    ...(insecure !== undefined && { insecure }),
    ...(timeout !== undefined && { timeout }),
  });
  try {
    const control = await connectControl(saved.control, { driver, clock: new Clock() });
    await restoreTenant(file, saved, control);
  } catch (error) {
    printError(`error: ${oneLine(error)}; the data is still in ${file}\n`);
    return 3;
  } finally {
    await driver.close();
  }
  process.stdout.write(`the tenant has its data of ${saved.saved_at} again; ${file} is deleted\n`);
  return 0;
}
