import { existsSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type DataSet, parseDataSet } from '../contract/data-set.ts';
import { differences } from '../contract/data-set-differences.ts';
import { createParser } from '../contract/schema-parser.ts';
import type { Control } from '../control/control.ts';
import { listFirst } from '../report/text.ts';
import { labelErrors, makeDirectory, readJson, writeJson } from './files.ts';
import { UsageError } from './usage.ts';

/**
 * The file that a run writes before it first seeds the tenant, and deletes once the tenant is as it was: what a killed run
 * leaves for the next one.
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

/** The tenant's data in the file, which only its owner can read: the data set may contain secrets. */
export type TenantFile = ReturnType<typeof tenantFile>;

/** @param url of the control protocol */
export function tenantFile(file: string, url: string) {
  return {
    save(tenant: DataSet) {
      const content: SavedTenant = { version: 1, control: url, saved_at: new Date().toISOString(), tenant };
      // Only the command line has made the report directory already.
      makeDirectory(dirname(resolve(file)));
      writeJson(file, content, 0o600);
    },
    remove: () => rmSync(file, { force: true }),
    /**
     * Puts back the data that an interrupted run saved, if there is any, and deletes the file if the tenant then reads the same.
     * @returns what was done, in one line
     * @throws UsageError if no run has saved the file, if it is another tenant's, or if the tenant does not take its data back
     */
    async putBack(control: Control): Promise<string | undefined> {
      if (!existsSync(file)) return undefined;
      const saved = readJson(file, file, parse);
      const tenant = labelErrors(file, () => parseDataSet(saved.tenant));
      if (saved.control !== url)
        throw new UsageError(
          `${file} contains the data of another tenant: a run with --control ${saved.control} puts it back; or choose another --report-dir`,
        );
      if (!control.supports.has('seed')) throw new UsageError(`${file}: ${url} does not support seed`);
      if (control.supports.has('clock')) await control.moveClock(0);
      await control.seed(tenant);
      const different = control.supports.has('inspect') ? differences(tenant, await control.inspect()) : [];
      if (different.length > 0)
        throw new UsageError(
          `the tenant differs from ${file} after it was put back: ${listFirst(different)}`,
        );
      rmSync(file, { force: true });
      return `an earlier run did not finish: the tenant's data from ${saved.saved_at} has been restored`;
    },
  };
}
