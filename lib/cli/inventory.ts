import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSet } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import type { Operation } from '../contract/model.ts';
import type { ConnectedTarget } from '../runner/connect.ts';
import { get } from './probe.ts';

/** What a tenant was found to hold of what makes a run long or short; what could not be read is left out. */
export interface Holdings {
  readonly experiments?: DataSet['experiments'];
  readonly actions?: readonly {
    readonly action: { readonly id: string };
    readonly versions: readonly Item[];
  }[];
}

type Item = Readonly<Record<string, unknown>>;

/** Reads that are spent on finding it out. */
const maximumReads = 100;

interface Reading {
  readonly target: ConnectedTarget;
  /** Milliseconds between two reads, as `--rate` wants them. */
  readonly pauseMs: number;
  readonly signal: AbortSignal | undefined;
  left: number;
}

/**
 * Reads what the tenant holds by its own listings, where the run can't fill it with data of its own: by that its requests are
 * foretold. The reads are neither counted nor recorded. What is refused is left out: the run will be refused it too.
 * @param chosen ids of the operations that the run is about
 * @throws Error where it takes too many reads, or was interrupted
 */
export async function readHoldings(
  target: ConnectedTarget,
  chosen: readonly string[],
  { rate, signal }: { readonly rate?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<Holdings> {
  const { capabilities, contract, control, resources } = target;
  if (capabilities.has('seed') || !capabilities.has('token')) return {};
  if (capabilities.has('inspect') && control !== undefined) {
    const { experiments, actions } = await control.inspect();
    return {
      experiments,
      actions: actions.map(({ action, versions }) => ({
        action: { ...action, id: String(action.id) },
        versions,
      })),
    };
  }
  const reading: Reading = {
    target,
    pauseMs: rate === undefined ? 0 : 1000 / rate,
    signal,
    left: maximumReads,
  };
  const named = (id: string) =>
    chosen.includes(id) ? contract.operations.find((operation) => operation.id === id) : undefined;
  const [experiments, actions] = [named('listExperiments'), named('listActionVersions')];
  const held = experiments && (await experimentsOf(reading, experiments));
  const versions = actions && (await versionsOf(reading, actions, resources.actions));
  return { ...(held && { experiments: held }), ...(versions && { actions: versions }) };
}

async function experimentsOf(reading: Reading, operation: Operation): Promise<Holdings['experiments']> {
  const statuses = operation.parameters.find(({ name }) => name === 'status')?.schema.enum ?? [];
  const found = new Map<unknown, DataSet['experiments'][number]>();
  for (const status of statuses.map(String)) {
    const items = await pagesOf(reading, operation, {}, { status });
    if (items === undefined) return undefined;
    for (const experiment of items)
      if (!found.has(experiment.id)) found.set(experiment.id, { status, experiment });
  }
  return [...found.values()];
}

async function versionsOf(
  reading: Reading,
  operation: Operation,
  ids: readonly string[],
): Promise<Holdings['actions']> {
  const [parameter] = operation.parameters.filter((each) => each.in === 'path');
  const found: { action: { id: string }; versions: readonly Item[] }[] = [];
  for (const id of ids) {
    const versions = await pagesOf(reading, operation, { [parameter?.name ?? '']: id }, {});
    if (versions === undefined) return undefined;
    found.push({ action: { id }, versions });
  }
  return found.length === 0 ? undefined : found;
}

/** All items of a listing, by its largest pages; undefined where it is refused or none. */
async function pagesOf(
  reading: Reading,
  operation: Operation,
  path: Readonly<Record<string, string>>,
  filter: Readonly<Record<string, string>>,
): Promise<readonly Item[] | undefined> {
  const { target, pauseMs, signal } = reading;
  const { pagination } = operation;
  if (pagination === undefined) return undefined;
  const authorization = await target.tokens.permitting(operation.scopes);
  if (authorization === undefined) return undefined;
  const size = pagination.size.maximum[target.cloud];
  const found: Item[] = [];
  let next: string | undefined;
  for (let page = 0; reading.left > 0 && signal?.aborted !== true; page += 1) {
    reading.left -= 1;
    const place =
      pagination.kind === 'checkpoint'
        ? { take: String(size), ...(next !== undefined && { from: next }) }
        : { page: String(page), per_page: String(size) };
    const query = Object.entries({ ...filter, ...place })
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const segments = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? ''),
    );
    const { response } = await get(target, `${target.baseUrl}${segments}?${query}`, operation, authorization);
    if (pauseMs > 0) await sleep(pauseMs);
    const body = response?.status === 200 && isObject(response.json) ? response.json : {};
    const list = body[pagination.items];
    if (!Array.isArray(list) || !list.every(isObject)) return undefined;
    found.push(...list);
    next = typeof body.next === 'string' && body.next !== '' ? body.next : undefined;
    const isLast = pagination.kind === 'checkpoint' ? next === undefined : list.length < size;
    if (isLast) return found;
  }
  throw new Error(`${operation.id} was not read to its end within ${maximumReads} reads`);
}
