import { isDeepStrictEqual } from 'node:util';
import type { DataSet, Resources } from '../contract/data-set.ts';
import { resourcesOf } from '../contract/data-set.ts';
import { differences } from '../contract/data-set-differences.ts';
import type { Contract, Operation } from '../contract/model.ts';
import { errorOf } from './result.ts';
import type { RunOptions } from './run-options.ts';
import { seedMismatch } from './seed-check.ts';
import type { Target } from './target.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What requirements can rely on. */
export interface TenantData {
  /** What the tenant holds; undefined where that is not known. */
  readonly dataSet: DataSet | undefined;
  /** Ids that requests may name. */
  readonly resources: Resources;
}

/** Differences that are named; of more only the number. */
const shownDifferences = 5;

/** The tenant's data and the target's clock: how they were, how requirements want them, and how they are put back. */
export class TenantState {
  readonly #target: Target;
  readonly #options: RunOptions;
  readonly #clock: VirtualTime;
  #before: DataSet | undefined;
  #seeded = false;

  constructor(target: Target, options: RunOptions, clock: VirtualTime) {
    this.#target = target;
    this.#options = options;
    this.#clock = clock;
  }

  /** True where the tenant is filled with the data of the run. */
  get seeded(): boolean {
    return this.#seeded;
  }

  /**
   * Fills the tenant with the run's data, where the target allows it; what it held is saved first.
   * @returns why the control endpoint is of no use, where it is not
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
    await control.seed(dataSet);
    const mismatch = this.#options.verifySeed
      ? await seedMismatch(this.#target, resourcesOf(dataSet))
      : undefined;
    if (mismatch !== undefined) {
      for (const line of await this.restore()) this.#options.onTrouble?.(line);
      this.#seeded = false;
    }
    return mismatch;
  }

  /** What the tenant holds now, and what of it requests may name. */
  get data(): TenantData {
    const { dataSet } = this.#options;
    if (this.#seeded && dataSet !== undefined) return { dataSet, resources: resourcesOf(dataSet) };
    return { dataSet: this.#before, resources: this.#target.resources };
  }

  /** The run's data and the real time again. @throws ControlError */
  async reset(what: { readonly clock: boolean; readonly data: boolean }): Promise<void> {
    const { control, capabilities } = this.#target;
    if (what.clock && capabilities.has('clock')) await this.#clock.reset();
    if (what.data && this.#seeded && this.#options.dataSet) await control?.seed(this.#options.dataSet);
  }

  /**
   * Puts clock and data back as they were before the run, reads the data back and compares. Where the tenant can't be seeded, the
   * phone messages are put back through the API.
   * @returns what went wrong or differs, a line each
   */
  async restore(): Promise<readonly string[]> {
    const { control, capabilities } = this.#target;
    const trouble: string[] = [];
    const attempt = async (what: string, step: () => Promise<unknown>): Promise<void> => {
      await step().catch((error: unknown) => {
        trouble.push(`${what} could not be put back: ${errorOf(error)}`);
      });
    };
    if (capabilities.has('clock')) await attempt("the target's clock", () => this.#clock.reset());
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
    const { target, messages } = { target: this.#target, messages: before ?? this.#options.phoneMessages };
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

function listed(lines: readonly string[]): string {
  const more = lines.length - shownDifferences;
  return `${lines.slice(0, shownDifferences).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** The operation that replaces the phone messages, where the contract has it. */
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

/** @throws Error where the target does not take them */
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
