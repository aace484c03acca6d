import { isDeepStrictEqual } from 'node:util';
import { minimalInput } from '../arbitraries/input.ts';
import { type DataSet, type Resources, resourcesOf } from '../contract/data-set.ts';
import { alteredValues, differences } from '../contract/data-set-differences.ts';
import type { Control } from '../control/control.ts';
import { listFirst } from '../report/text.ts';
import { requestTarget } from './call.ts';
import type { Target } from './connect.ts';
import { dataOffers, store } from './plainer-data.ts';
import { ResourcePool } from './resource-pool.ts';
import { restoreMessages } from './restore-messages.ts';
import { errorOf } from './result.ts';
import type { RunOptions } from './run-options.ts';
import { settleAll } from './settle-all.ts';

/** Why nothing can be judged on a target that responds to every request with 404, with the remedy. */
export const notFoundEverywhere = (baseUrl: string): string =>
  `The target responds to every request with 404: is ${baseUrl} the right --base-url, with its path (https://<tenant domain>/api/v2)?`;

/** Why the control endpoint cannot be used. */
const notShown =
  'the service does not show the data that was seeded: is --control the control endpoint of this tenant?';

/** Seeds the tenant's data, and puts the data and the target's clock back. */
export class TenantState {
  readonly #target: Target;
  readonly #options: RunOptions;
  #before: DataSet | undefined;
  /** What the tenant is seeded with: the data set of the options, or a plainer one that the service can store. */
  #dataSet: DataSet | undefined;
  /** Why the control endpoint cannot be used; undefined if it can. */
  problem: string | undefined;

  constructor(target: Target, options: RunOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** True if the tenant is seeded with the data of the run. */
  get seeded(): boolean {
    return this.#dataSet !== undefined;
  }

  /**
   * Fills the tenant with the run's data, if the target can be seeded, after saving what it contained.
   * @throws ControlError, or Error if the service shows nothing at all
   */
  async begin(): Promise<void> {
    const { control, capabilities } = this.#target;
    if (control === undefined) return;
    if (capabilities.has('inspect')) this.#before = await control.inspect();
    const { dataSet, backup, onTrouble } = this.#options;
    if (!capabilities.has('seed') || dataSet === undefined) return;
    if (this.#before !== undefined) backup?.save(this.#before);
    this.problem = await this.#fill(dataSet, control);
    if (this.problem === undefined) return;
    onTrouble?.(this.problem);
    for (const line of await this.restore()) onTrouble?.(line);
    this.#dataSet = undefined;
    if (await isNothingFound(this.#target)) throw new Error(notFoundEverywhere(this.#target.baseUrl));
  }

  /**
   * Fills the tenant with the data set or, if the service cannot store it, with the first plainer one that it can. Reports a
   * plainer one in one line.
   * @returns why the tenant cannot be seeded; undefined if it is
   * @throws ControlError
   */
  async #fill(wanted: DataSet, control: Control): Promise<string | undefined> {
    const { verifySeed, onTrouble } = this.#options;
    let refusal: string | undefined;
    let last: string | undefined;
    for (const { dataSet, difference } of dataOffers(wanted)) {
      this.#dataSet = dataSet;
      const problem = await store(control, dataSet, true);
      refusal ??= problem;
      last = problem;
      if (problem !== undefined) continue;
      const found = this.#target.capabilities.has('inspect') ? await control.inspect() : dataSet;
      const altered = alteredValues(dataSet, found);
      if (altered.length > 0)
        onTrouble?.(`after PUT /tenant, GET /tenant has other values: ${listFirst(altered)}`);
      if (refusal !== undefined)
        onTrouble?.(`the tenant is seeded with a plainer data set (${difference}): ${refusal}`);
      const isHidden = verifySeed && (await isNothingFound(this.#target, resourcesOf(dataSet)));
      return isHidden ? notShown : undefined;
    }
    return `the service cannot store even the simplest data set: ${last}`;
  }

  /** True if the service could not store the whole data set: then it is verified that it stores what requirements seed. */
  get verifiesSeeds(): boolean {
    return this.#dataSet !== undefined && this.#dataSet !== this.#options.dataSet;
  }

  /** What the tenant contains now, if known, and the ids that requests may name. */
  data(): { readonly dataSet: DataSet | undefined; readonly resources: Resources } {
    const { resources } = this.#target;
    // If the service does not show what the control endpoint seeds, deleted data could not be put back.
    if (this.problem !== undefined)
      return { dataSet: undefined, resources: { ...resources, rate_limit_policy: [] } };
    if (this.#dataSet === undefined) return { dataSet: this.#before, resources };
    return { dataSet: this.#dataSet, resources: resourcesOf(this.#dataSet) };
  }

  /** Restores the run's data and the real time. @throws ControlError */
  async reset(what: { readonly clock: boolean; readonly data: boolean }): Promise<void> {
    const { control, capabilities } = this.#target;
    if (what.clock && capabilities.has('clock')) await control?.moveClock(0);
    if (what.data && this.#dataSet !== undefined) await control?.seed(this.#dataSet);
  }

  /**
   * Puts the clock and the data back as they were before the run, and compares the data. If the tenant was not seeded, puts the
   * phone messages back through the API.
   * @returns one line for each problem or difference
   */
  async restore(): Promise<readonly string[]> {
    const { control, capabilities } = this.#target;
    const trouble: string[] = [];
    const attempt = async (what: string, step: () => Promise<unknown>): Promise<void> => {
      await step().catch((error: unknown) => {
        trouble.push(`${what} could not be put back: ${errorOf(error)}`);
      });
    };
    if (capabilities.has('clock')) await attempt("the target's clock", async () => control?.moveClock(0));
    const before = this.#before;
    if (this.#dataSet === undefined)
      await attempt('the phone messages', async () => {
        const stored = before && (await control?.inspect())?.phone_templates;
        if (before !== undefined && isDeepStrictEqual(stored, before.phone_templates)) return;
        const messages = before?.phone_templates ?? this.#options.phoneMessages;
        trouble.push(...(await restoreMessages(this.#target, messages)));
      });
    else if (control !== undefined && before !== undefined)
      await attempt("the tenant's data", async () => {
        await control.seed(before);
        const different = differences(before, await control.inspect());
        if (different.length === 0) return this.#options.backup?.remove();
        trouble.push(`the tenant is not as it was before the run: ${listFirst(different)}`);
      });
    return trouble;
  }
}

/**
 * True if every read is answered with 404. Reads once by each operation that can; the reads are neither counted nor recorded.
 * @param seeded ids of the seeded data, which it reads. Without them, it reads listings, which need no data
 */
async function isNothingFound(target: Target, seeded?: Resources): Promise<boolean> {
  const pool = seeded && new ResourcePool(seeded);
  const found = await settleAll(target.contract.operations, async (operation) => {
    const kinds = operation.parameters.flatMap(({ resource }) => resource ?? []);
    const ids = kinds.flatMap((kind) => {
      const id = pool?.peek(kind, '');
      return id === undefined ? [] : [[kind, id] as const];
    });
    const isMeant = pool === undefined ? kinds.length === 0 : kinds.length > 0 && ids.length === kinds.length;
    if (operation.method !== 'GET' || !isMeant) return [];
    const authorization = await target.tokens.permitting(operation.scopes);
    if (authorization === undefined) return [];
    const input = minimalInput(target.contract, operation, Object.fromEntries(ids));
    const headers = Object.entries(input.headers);
    const read = { operation, method: 'GET', headers, authorization };
    const { response } = await target.driver.call({ ...read, target: requestTarget(operation, input) });
    return [response?.status];
  });
  const statuses = found.flat();
  return statuses.length > 0 && statuses.every((status) => status === 404);
}
