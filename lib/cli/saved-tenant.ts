import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Driver } from '../client/driver.ts';
import { type DataSet, parseDataSet } from '../contract/data-set.ts';
import { differences } from '../contract/data-set-differences.ts';
import { present } from '../contract/json.ts';
import { createParser } from '../contract/schema-parser.ts';
import { type Control, connectControl } from '../control/control.ts';
import { firstOf } from '../report/text.ts';
import type { TenantBackup } from '../runner/run-options.ts';
import { Clock } from '../tokens/clock.ts';
import { labelled, readJson, writeJson } from './files.ts';
import { printError } from './output.ts';
import { collectSettings } from './settings.ts';
import { oneLine, UsageError } from './usage.ts';

/**
 * The file that a run writes before it first seeds the tenant, and deletes once the tenant is as it was: what a killed run
 * leaves for the next one, or for the `restore` command.
 */
interface SavedTenant {
  readonly version: 1;
  /** URL of the control protocol. */
  readonly control: string;
  /** ISO 8601. */
  readonly saved_at: string;
  readonly tenant: DataSet;
}

const schema = {
  type: 'object',
  required: ['version', 'control', 'saved_at', 'tenant'],
  properties: { version: { const: 1 }, control: { type: 'string' }, saved_at: { type: 'string' } },
};

const parse = createParser<SavedTenant>('the file', () => schema);

/** Keeps the tenant's data in the file, which only its owner can read: the data set may contain secrets. */
export function tenantBackup(file: string, control: string): TenantBackup {
  return {
    save(tenant) {
      const content: SavedTenant = { version: 1, control, saved_at: new Date().toISOString(), tenant };
      writeJson(file, content, 0o600);
    },
    remove: () => rmSync(file, { force: true }),
  };
}

/** @throws UsageError for a file that no run has saved */
function readSavedTenant(file: string): SavedTenant {
  const value = readJson(file, file);
  return labelled(file, () => {
    const saved = parse(value);
    return { ...saved, tenant: parseDataSet(saved.tenant) };
  });
}

/**
 * Puts back the data that a killed run has saved and left, if there is any.
 * @param url of the control protocol
 * @returns what was done, in one line
 * @throws UsageError if the file is another tenant's, or the tenant does not take its data back
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
      `${file} contains the data of another tenant (${saved.control}): put it back (restore ${file}), or choose another --report-dir`,
    );
  await restoreTenant(file, saved, control);
  return `an earlier run left its data: the tenant's data of ${saved.saved_at} has been put back`;
}

/**
 * Seeds the tenant with its saved data, and deletes the file if the tenant then reads the same.
 * @throws UsageError if it does not
 */
async function restoreTenant(
  file: string,
  { control: url, tenant }: SavedTenant,
  control: Control,
): Promise<void> {
  if (!control.supports.has('seed')) throw new UsageError(`${file}: ${url} does not support seed`);
  if (control.supports.has('clock')) await control.moveClock(0);
  await control.seed(tenant);
  const different = control.supports.has('inspect') ? differences(tenant, await control.inspect()) : [];
  if (different.length > 0)
    throw new UsageError(`the tenant differs from ${file} after it was put back: ${firstOf(different, 5)}`);
  rmSync(file, { force: true });
}

/**
 * `restore FILE`: seeds the tenant with the data that an interrupted run saved, and reads it back. Returns 0 and deletes the
 * file if the tenant is as it was, else 3.
 */
export async function restoreCommand(file: string): Promise<number> {
  const saved = readSavedTenant(file);
  const { ca, insecure, timeout } = collectSettings({}, process.env).settings;
  const driver = new Driver({
    baseUrl: saved.control,
    ...present({ ca: ca && readFileSync(ca, 'utf8'), insecure, timeout }),
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
