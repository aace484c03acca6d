import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
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

/** What of the saved data the tenant lacks, holds differently, or holds besides; empty where it is as it was. */
export function differences(saved: DataSet, found: DataSet): string[] {
  const lists = [
    ['experiments', saved.experiments, found.experiments],
    ['actions', saved.actions, found.actions],
    ['rate_limit_policies', saved.rate_limit_policies, found.rate_limit_policies],
    ['self_service_profiles', saved.self_service_profiles, found.self_service_profiles],
  ] as const;
  const templates = isDeepStrictEqual(saved.phone_templates, found.phone_templates)
    ? []
    : ['phone_templates differ'];
  return [
    ...templates,
    ...lists.flatMap(([name, before, after]) => {
      const [expected, actual] = [byId(before), byId(after)];
      const lost = [...expected].flatMap(([id, entry]) => {
        if (!actual.has(id)) return [`${name}: ${id} is missing`];
        return isDeepStrictEqual(entry, actual.get(id)) ? [] : [`${name}: ${id} differs`];
      });
      const extra = [...actual.keys()].filter((id) => !expected.has(id));
      return [...lost, ...extra.map((id) => `${name}: ${id} was not there before`)];
    }),
  ];
}

function byId(entries: readonly object[]): Map<string, unknown> {
  return new Map(
    entries.map((entry) => {
      const { id, experiment, action }: { id?: unknown; experiment?: unknown; action?: unknown } = entry;
      const record = isObject(experiment) ? experiment : isObject(action) ? action : { id };
      return [String(record.id), entry];
    }),
  );
}
