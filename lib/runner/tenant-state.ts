import { isDeepStrictEqual } from 'node:util';
import { minimalInput } from '../arbitraries/input.ts';
import { type DataSet, type Resources, resourcesOf } from '../contract/data-set.ts';
import { alteredValues, differences } from '../contract/data-set-differences.ts';
import type { Contract, Operation } from '../contract/model.ts';
import { type Control, ControlError } from '../control/control.ts';
import { firstOf } from '../report/text.ts';
import { targetOf } from './call.ts';
import { dataOffers, missingEntries, presentEntries } from './plainer-data.ts';
import { ResourcePool } from './resource-pool.ts';
import { errorOf } from './result.ts';
import type { RunOptions } from './run-options.ts';
import { settleAll } from './settle-all.ts';
import type { Target } from './target.ts';

/** The first lines, and the number of further ones. */
const listed = (lines: readonly string[]): string => firstOf(lines, 5);

/** Seeds the tenant's data, and puts the data and the target's clock back. */
export class TenantState {
  readonly #target: Target;
  readonly #options: RunOptions;
  #before: DataSet | undefined;
  /** What the tenant is seeded with: the data set of the options, or a plainer one that the service can store. */
  #dataSet: DataSet | undefined;
  #seeded = false;
  #dropsEntries = false;

  constructor(target: Target, options: RunOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** True if the tenant is seeded with the data of the run. */
  get seeded(): boolean {
    return this.#seeded;
  }

  /**
   * Fills the tenant with the run's data, if the target can be seeded, after saving what it contained.
   * @returns why the control endpoint cannot be used; undefined if it can
   * @throws ControlError
   */
  async begin(): Promise<string | undefined> {
    const { control, capabilities } = this.#target;
    if (control === undefined) return undefined;
    if (capabilities.has('inspect')) this.#before = await control.inspect();
    const { dataSet, backup } = this.#options;
    if (!capabilities.has('seed') || dataSet === undefined) return undefined;
    if (this.#before !== undefined) backup?.save(this.#before);
    this.#seeded = true;
    try {
      this.#dataSet = await this.#seed(dataSet, control);
    } catch (error) {
      if (!(error instanceof ControlError) || error.status !== 400) throw error;
      this.#seeded = false;
      return `the service refuses every data set: ${error.message}`;
    }
    const mismatch = this.#options.verifySeed
      ? await seedMismatch(this.#target, resourcesOf(this.#dataSet))
      : undefined;
    if (mismatch !== undefined) {
      for (const line of await this.restore()) this.#options.onTrouble?.(line);
      this.#seeded = false;
    }
    return mismatch;
  }

  /**
   * Fills the tenant with the data set or, if the service refuses it or drops entries, with the first plainer one that it can
   * store. Reports a plainer one in one line.
   * @returns what the tenant contains now
   * @throws ControlError if the service refuses all data sets
   */
  async #seed(dataSet: DataSet, control: Control): Promise<DataSet> {
    let problem: string | undefined;
    let refusal: unknown;
    let partial: DataSet | undefined;
    for (const offer of dataOffers(dataSet)) {
      try {
        await control.seed(offer.dataSet);
      } catch (error) {
        if (!(error instanceof ControlError) || error.status !== 400) throw error;
        refusal = error;
        problem ??= error.message;
        continue;
      }
      const found = this.#target.capabilities.has('inspect') ? await control.inspect() : offer.dataSet;
      const missing = missingEntries(offer.dataSet, found);
      if (missing.length === 0) {
        const altered = alteredValues(offer.dataSet, found);
        if (altered.length > 0)
          this.#options.onTrouble?.(`after PUT /tenant, GET /tenant has other values: ${listed(altered)}`);
        if (problem !== undefined)
          this.#options.onTrouble?.(
            `the tenant is filled with a plainer data set (${offer.difference}): ${problem}`,
          );
        return offer.dataSet;
      }
      this.#dropsEntries = true;
      problem ??= `after PUT /tenant, the tenant does not have ${listed(missing)}`;
      partial = presentEntries(offer.dataSet, found);
    }
    if (partial === undefined) throw refusal;
    this.#options.onTrouble?.(`the service drops some of the data that it is seeded with: ${problem}`);
    return partial;
  }

  /**
   * What the tenant contains now, if known, the ids that requests may name, and whether the service drops seeded entries.
   * @param isShown false if the service does not show what the control endpoint seeds: then deleted data could not be put back
   */
  data(isShown: boolean) {
    const { resources } = this.#target;
    const dropsEntries = this.#dropsEntries;
    if (!isShown)
      return { dataSet: undefined, resources: { ...resources, rate_limit_policy: [] }, dropsEntries };
    const dataSet = this.#dataSet;
    if (this.#seeded && dataSet !== undefined)
      return { dataSet, resources: resourcesOf(dataSet), dropsEntries };
    return { dataSet: this.#before, resources, dropsEntries };
  }

  /** Restores the run's data and the real time. @throws ControlError */
  async reset(what: { readonly clock: boolean; readonly data: boolean }): Promise<void> {
    const { control, capabilities } = this.#target;
    if (what.clock && capabilities.has('clock')) await control?.moveClock(0);
    if (what.data && this.#seeded && this.#dataSet) await control?.seed(this.#dataSet);
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
    if (!this.#seeded)
      await attempt('the phone messages', () => this.#restoreMessages(before?.phone_templates));
    else if (control !== undefined && before !== undefined)
      await attempt("the tenant's data", async () => {
        await control.seed(before);
        const different = differences(before, await control.inspect());
        if (different.length === 0) return this.#options.backup?.remove();
        trouble.push(`the tenant is not as it was before the run: ${listed(different)}`);
      });
    return trouble;
  }

  async #restoreMessages(before: DataSet['phone_templates'] | undefined): Promise<void> {
    const target = this.#target;
    const messages = before ?? this.#options.phoneMessages;
    const operation = messageUpdate(target.contract);
    if (
      messages === undefined ||
      operation === undefined ||
      !(['write', 'token'] as const).every((each) => target.capabilities.has(each))
    )
      return;
    if (before !== undefined) {
      const found = await target.control?.inspect();
      if (isDeepStrictEqual(found?.phone_templates, before)) return;
    }
    await updateMessages(target, operation, messages);
  }
}

/**
 * Reads seeded data once by each operation that can. The reads are neither counted nor recorded.
 * @param resources ids of the seeded data
 * @returns the problem in one line if the service shows none of it; undefined otherwise
 */
async function seedMismatch(target: Target, resources: Resources): Promise<string | undefined> {
  const pool = new ResourcePool(resources);
  const found = await settleAll(target.contract.operations, async (operation) => {
    const kinds = operation.parameters.flatMap(({ resource }) => resource ?? []);
    const ids = Object.fromEntries(kinds.map((kind) => [kind, pool.peek(kind, '') ?? '']));
    if (operation.method !== 'GET' || kinds.length === 0 || kinds.some((kind) => pool.all(kind).length === 0))
      return [];
    const authorization = await target.tokens.permitting(operation.scopes);
    if (authorization === undefined) return [];
    const input = minimalInput(target.contract, operation, ids);
    const headers = Object.entries(input.headers);
    const read = { operation, method: 'GET', target: targetOf(operation, input, {}), headers, authorization };
    return [(await target.call(read)).response?.status];
  });
  const statuses = found.flat();
  return statuses.length > 0 && statuses.every((status) => status === 404)
    ? 'the service does not show the data that was seeded: is --control the control endpoint of this tenant?'
    : undefined;
}

/** The operation that replaces the phone messages, if the contract has one. */
function messageUpdate(contract: Contract): Operation | undefined {
  return contract.operations.find(({ method, body }) => {
    const schema = body?.content.find(({ mediaType }) => mediaType === 'application/json')?.schema;
    return (
      method === 'PUT' &&
      Object.hasOwn(
        (schema === undefined ? undefined : contract.resolve(schema).properties) ?? {},
        'enrollment_message',
      )
    );
  });
}

/** @throws Error if the target does not accept the messages */
async function updateMessages(
  target: Pick<Target, 'tokens' | 'call'>,
  operation: Operation,
  messages: DataSet['phone_templates'],
): Promise<void> {
  const { enrollment_message, verification_message } = messages;
  const authorization = await target.tokens.permitting(operation.scopes);
  if (authorization === undefined) throw new Error('no token permits the update of the phone messages');
  const { response, failure } = await target.call({
    operation,
    method: operation.method,
    target: operation.path,
    authorization,
    body: {
      mediaType: 'application/json',
      bytes: Buffer.from(JSON.stringify({ enrollment_message, verification_message })),
    },
  });
  if (response === undefined) throw new Error(failure?.message ?? 'no response');
  if (response.status > 299)
    throw new Error(`the update of the phone messages was answered with ${response.status}`);
}
