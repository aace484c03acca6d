import type { Change } from '../arbitraries/changes.ts';
import {
  type Dimension,
  dimensionsOf,
  type InputClass,
  sharedDimensions,
} from '../arbitraries/dimensions.ts';
import { canCall, minimalInput } from '../arbitraries/input.ts';
import { isSuccess } from '../client/exchange.ts';
import { type Operation, safeMethods } from '../contract/model.ts';
import type { Target } from './connect.ts';
import { coveringRow, groupSize } from './covering-rows.ts';
import type { LaneLock } from './lanes.ts';
import { settleAll } from './settle-all.ts';
import { plain, variedClaims, variedRequest, variedScopes } from './vary.ts';

/** The changes of each class of a dimension; of the plain one none. */
type Choices = ReadonlyMap<string, readonly (readonly Change[])[]>;

/** Statuses with which servers and proxies refuse header fields for their length; 0 for a closed connection. */
const refusalsOfLength = new Set([0, 400, 413, 414, 431, 494, 502]);

/** Characters of a claim that makes a token as long as the longest of a requirement, of about 6,300 characters. */
const longestNote = 4_400;

const labelOf = ({ name }: Dimension, { name: each }: InputClass): string => `${name}: ${each}`;

/**
 * Varies requests without changing their meaning, so that each requirement also detects defects that show only under a
 * variation: further claims and scopes of the token, headers, order, size, framing and texts of the body. The requests of a
 * requirement use covering rows in turn: a few requests cover every class, and many cover most pairs.
 */
export class NeutralVariations {
  readonly #target: Target;
  readonly #signal: AbortSignal | undefined;
  readonly #probed = new Set<Operation>();
  #isTokenProbed = false;
  readonly #accepted = new Set<InputClass>();
  readonly #choices = new Map<Operation, Choices>();
  /** The status with which the target refuses long header fields of less than 8,000 bytes; 0 if it closes the connection. */
  refusalOfLongHeaders: number | undefined;
  /** The classes that are not used, by operation id or `token`, with the reason. */
  readonly leftOut: Record<string, Record<string, string>> = {};

  /** @param signal ends `probe` after the request in progress */
  constructor(target: Target, signal?: AbortSignal) {
    this.#target = target;
    this.#signal = signal;
  }

  /**
   * Finds out which changes the target accepts that no sentence of the specification allows, once for each operation and with
   * separate requests: those of header fields by one operation that reads, the others by each of these operations that may be sent.
   * @throws the signal's reason if it was aborted
   */
  async probe(operations: readonly Operation[], lock: LaneLock): Promise<void> {
    const unknown = [...new Set(operations)].filter((each) => !this.#probed.has(each));
    if (unknown.length === 0) return;
    for (const each of unknown) this.#probed.add(each);
    await lock.run({ lane: 'exclusive' }, () => this.#probeAll(unknown));
    this.#choices.clear();
  }

  async #probeAll(operations: readonly Operation[]): Promise<void> {
    const { contract, tokens, capabilities } = this.#target;
    if (!capabilities.has('token')) return;
    const readOperation = [...operations, ...contract.operations].find(
      ({ method, path, authenticated, parameters }) =>
        safeMethods.has(method) &&
        authenticated &&
        !path.includes('{') &&
        !parameters.some((each) => each.required),
    );
    if (readOperation !== undefined && !this.#isTokenProbed) {
      this.#isTokenProbed = true;
      const hasMinter = tokens.minter !== undefined;
      const shared = sharedDimensions.filter(({ name }) => hasMinter || name === 'headers');
      await this.#probe(readOperation, shared, 'token');
      if (hasMinter) await this.#probeLongestToken(readOperation);
    }
    const withoutIds = operations.filter(({ path }) => !path.includes('{'));
    await settleAll(withoutIds, (each) => {
      const own = dimensionsOf(each).filter((dimension) => !sharedDimensions.includes(dimension));
      return this.#probe(each, own, each.id);
    });
  }

  async #probeLongestToken(operation: Operation): Promise<void> {
    const long: Change = { claims: () => ({ note: 'n'.repeat(longestNote) }) };
    const refusal = await this.#refusal(operation, [long]);
    const isOfLength = refusal !== undefined && refusalsOfLength.has(refusal);
    // A plain request may be refused, too: the operation's scope may be another one.
    if (isOfLength && (await this.#refusal(operation, [])) !== refusal) this.refusalOfLongHeaders = refusal;
  }

  /** @param group key of `leftOut` */
  async #probe(operation: Operation, dimensions: readonly Dimension[], group: string): Promise<void> {
    const { contract, capabilities } = this.#target;
    if (!safeMethods.has(operation.method) && !capabilities.has('write')) return;
    const hasDoubtful = dimensions.some(({ classes }) => classes.some(({ change }) => change?.use));
    if (!hasDoubtful || !canCall(contract, operation) || (await this.#refusal(operation, [])) !== undefined)
      return;
    /** A change may be accepted in JSON but refused in a form. */
    const media: (readonly Change[])[] = [[]];
    for (const dimension of dimensions) {
      for (const each of dimension.classes) {
        const { change } = each;
        if (change?.use === undefined) continue;
        const reason = await this.#reasonToLeaveOut(operation, dimension, change, media);
        if (reason === undefined) {
          this.#accepted.add(each);
          if (change.media !== undefined) media.push([change]);
        } else this.leftOut[group] = { ...this.leftOut[group], [labelOf(dimension, each)]: reason };
      }
    }
  }

  /** Why a change is not used; undefined if the target accepts it in each of these media types. */
  async #reasonToLeaveOut(
    operation: Operation,
    dimension: Dimension,
    change: Change,
    media: readonly (readonly Change[])[],
  ): Promise<string | undefined> {
    const own = dimension.combined ? this.#changesOf(dimension).flat() : [];
    // Some servers limit all header fields together, to 4 KB.
    const together = change.isLong ? this.#longestHeaders() : own;
    let refusal: number | undefined;
    for (const form of media) refusal ??= await this.#refusal(operation, [...form, ...together, change]);
    if (refusal === undefined) return undefined;
    const isTooLong = change.isLong && (await this.#refusal(operation, [change])) === undefined;
    if (!isTooLong) return 'the target refuses a plain request with it';
    if (refusalsOfLength.has(refusal)) this.refusalOfLongHeaders = refusal;
    return 'the target refuses it together with other header fields';
  }

  /** All changes of header fields that are used together, and a long correlation ID. */
  #longestHeaders(): readonly Change[] {
    const id: Change = { headers: () => [['x-correlation-id', 'x'.repeat(600)]] };
    return [...sharedDimensions.flatMap((each) => this.#changesOf(each).at(-1) ?? []), id];
  }

  /** The status with which the target refuses a plain request with these changes, 0 without a response; undefined if it serves it. */
  async #refusal(operation: Operation, changes: readonly Change[]): Promise<number | undefined> {
    this.#signal?.throwIfAborted();
    const { contract, tokens, driver } = this.#target;
    const variation = { ...plain, changes };
    const claims = tokens.minter?.claims(variedScopes(contract, operation.scopes, variation));
    const authorization = await (claims && tokens.minter
      ? tokens.minter.sign(variedClaims(claims, variation))
      : tokens.permitting(operation.scopes));
    const input = minimalInput(contract, operation);
    const request = { operation, input, call: {}, authorization, mayAddContent: true };
    const { response } = await driver.call(variedRequest(request, variation));
    return response !== undefined && isSuccess(response.status) ? undefined : (response?.status ?? 0);
  }

  /** The changes for a request of a requirement. @param index of its row, among those with this seed */
  changes(operation: Operation, seed: number, index: number): readonly Change[] {
    return coveringRow(this.#choicesOf(operation), seed, index).flat();
  }

  /** Number of rows in a group: a request that is sent with each row of a group covers every class. */
  rowsOfGroup(operation: Operation): number {
    return groupSize(this.#choicesOf(operation));
  }

  #choicesOf(operation: Operation): Choices {
    const known = this.#choices.get(operation);
    if (known !== undefined) return known;
    const dimensions = dimensionsOf(operation);
    const choices = new Map<string, readonly (readonly Change[])[]>();
    for (const dimension of dimensions.filter(({ within }) => within === undefined)) {
      const inPlainClass = dimensions.filter(({ within }) => within === dimension.name);
      const together = inPlainClass.flatMap((each) => this.#changesOf(each).flat());
      const [plainClass = [], ...others] = this.#changesOf(dimension);
      choices.set(dimension.name, [plainClass, ...(together.length > 0 ? [together] : []), ...others]);
    }
    this.#choices.set(operation, choices);
    return choices;
  }

  /** The changes of each class that is used, the plain class first. */
  #changesOf(dimension: Dimension): readonly (readonly Change[])[] {
    const used = dimension.classes.flatMap((each) => {
      const { change } = each;
      // Without an answer of the target, changes may be used that it refuses for no other operation.
      const isUsed = change?.use !== 'if-accepted' && !this.isRefused(labelOf(dimension, each));
      return change !== undefined && (isUsed || this.#accepted.has(each)) ? [change] : [];
    });
    if (used.length === 0) return [[]];
    return [[], ...(dimension.combined ? [used] : used.map((each) => [each]))];
  }

  /** True if the target refuses this class, as `dimension: class`, on some operation. */
  isRefused(name: string): boolean {
    return Object.values(this.leftOut).some((group) => Object.hasOwn(group, name));
  }
}
