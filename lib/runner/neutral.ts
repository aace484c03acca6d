import { canCall, minimalInput } from '../arbitraries/input.ts';
import { pairwiseRows, type Row, widestOf } from '../arbitraries/pairwise.ts';
import { neutralTexts } from '../arbitraries/text.ts';
import { type Field, isSuccess } from '../client/exchange.ts';
import type { JsonObject } from '../contract/json.ts';
import { type Operation, type Scope, safeMethods } from '../contract/model.ts';
import type { Target } from './connect.ts';
import type { LaneLock } from './lanes.ts';
import {
  claimVariations,
  correlationIds,
  joint,
  longClaims,
  type Neutral,
  neutralOf,
} from './neutral-classes.ts';
import { settleAll } from './settle-all.ts';
import { variedRequest } from './vary.ts';

/** Further scopes of a token with many. Its header field stays under the limits of common servers and proxies (8 KB). */
const furtherScopes = 30;

/** Dimensions whose classes are combined in one request, so that few requests cover all; each with those that need no probe. */
const combined: Readonly<Record<string, readonly string[]>> = {
  claims: [],
  text: Object.keys(neutralTexts.accepted),
};

/** A value as long as the longest field that variations add. */
const longestId = correlationIds['over 500']?.('0') ?? '';

/** Statuses with which servers and proxies refuse header fields for their length; 0 for a closed connection. */
const refusalsOfLength = new Set([0, 400, 413, 414, 431, 494, 502]);

/** Covering arrays of an operation; each requirement uses one of them. */
const arraysPerOperation = 16;

/**
 * Varies requests without changing their meaning, so that each requirement also detects defects that show only under a
 * variation: further claims and scopes of the token, headers, order, size, framing and texts of the body. The requests of a
 * requirement use the rows of a covering array in turn: a few requests cover every class, and many cover every pair.
 */
export class NeutralVariations {
  readonly #target: Target;
  readonly #signal: AbortSignal | undefined;
  readonly #probed = new Set<Operation>();
  /** The classes that the target accepts, by operation id, or undefined for all operations, and by dimension. */
  readonly #accepted = new Map<string | undefined, Record<string, readonly string[]>>();
  readonly #rows = new Map<string, readonly Row[]>();
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
   * Finds out which doubtful classes the target accepts, once for each operation and with separate requests: header fields and
   * classes of a token by one operation that reads, the others by each of these operations that may be sent.
   * @throws the signal's reason if it was aborted
   */
  async probe(operations: readonly Operation[], lock: LaneLock): Promise<void> {
    const unknown = [...new Set(operations)].filter((each) => !this.#probed.has(each));
    if (unknown.length === 0) return;
    for (const each of unknown) this.#probed.add(each);
    await lock.run({ lane: 'exclusive' }, () => this.#probeAll(unknown));
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
    if (readOperation !== undefined && !this.#accepted.has(undefined)) {
      const ofTokens = { claims: Object.keys(claimVariations), scopes: ['one', 'many'] };
      const classes = { headers: ['further'], ...(tokens.minter && ofTokens) };
      await this.#probe(readOperation, classes, undefined);
      if (tokens.minter !== undefined) await this.#limitLength(readOperation);
    }
    const withoutIds = operations.filter(({ path }) => !path.includes('{'));
    await settleAll(withoutIds, (each) => this.#probe(each, neutralOf(each).doubtful, each.id));
  }

  async #probe(operation: Operation, classes: Neutral['doubtful'], id: string | undefined) {
    const { contract, capabilities } = this.#target;
    if (!safeMethods.has(operation.method) && !capabilities.has('write')) return;
    if (
      Object.values(classes).flat().length === 0 ||
      !canCall(contract, operation) ||
      !(await this.#isAccepted(operation, {}))
    )
      return;
    const hasForm =
      classes['media type']?.includes('form') === true &&
      (await this.#isAccepted(operation, { 'media type': 'form' }));
    // A class may be accepted in JSON but refused in a form.
    const accepts = async (row: Row) =>
      (await this.#isAccepted(operation, row)) &&
      (!hasForm || (await this.#isAccepted(operation, { ...row, 'media type': 'form' })));
    const found: Record<string, readonly string[]> = {};
    this.#accepted.set(id, found);
    const group = id ?? 'token';
    for (const [dimension, names] of Object.entries(classes)) {
      const isCombined = combined[dimension] !== undefined;
      const accepted = [...(combined[dimension] ?? [])];
      for (const name of names) {
        if (await accepts({ [dimension]: isCombined ? [...accepted, name].join(joint) : name })) {
          accepted.push(name);
          continue;
        }
        this.#leaveOut(group, `${dimension}: ${name}`, 'the target refuses a plain request with it');
      }
      // Of a combined dimension one class, of all that it accepts together.
      found[dimension] = isCombined && accepted.length > 0 ? [accepted.join(joint)] : accepted;
    }
  }

  #leaveOut(group: string, name: string, reason: string): void {
    this.leftOut[group] = { ...this.leftOut[group], [name]: reason };
  }

  /** True if the target refuses the class for any operation: it would probably refuse it for those that are not probed too. */
  #isLeftOut(name: string): boolean {
    return Object.values(this.leftOut).some((group) => Object.hasOwn(group, name));
  }

  /**
   * Leaves out the long classes of a token if the target refuses them together with the other header fields that variations add:
   * some servers limit all of them to 4 KB.
   */
  async #limitLength(operation: Operation): Promise<void> {
    const accepted = this.#accepted.get(undefined);
    if (accepted === undefined) return;
    const { claims: [claims = 'usual'] = [], scopes = [], headers: [headers = 'usual'] = [] } = accepted;
    const short = claims.split(joint).filter((name) => name !== longClaims);
    let used = { claims, scopes };
    const steps = [
      { shorter: claims, name: 'scopes: many' },
      { shorter: short.join(joint), name: `claims: ${longClaims}` },
    ];
    for (const { shorter, name } of steps) {
      const row = { claims: used.claims, scopes: used.scopes.at(-1) ?? 'one', headers };
      const status = await this.#status(operation, row, [['x-correlation-id', longestId]]);
      if (!refusalsOfLength.has(status)) return;
      this.refusalOfLongHeaders = status;
      this.#leaveOut('token', name, 'the target refuses it together with other header fields');
      used = { claims: shorter, scopes: ['one'] };
      this.#accepted.set(undefined, { ...accepted, claims: [used.claims], scopes: used.scopes });
    }
  }

  async #isAccepted(operation: Operation, row: Row): Promise<boolean> {
    return isSuccess(await this.#status(operation, row));
  }

  /** The status of a plain request with this row; 0 without a response. */
  async #status(operation: Operation, row: Row, headers: readonly Field[] = []): Promise<number> {
    this.#signal?.throwIfAborted();
    const { contract, tokens } = this.#target;
    const claims = tokens.minter?.claims(this.scopes(operation.scopes, row));
    const authorization = await (claims && tokens.minter
      ? tokens.minter.sign(this.claims(claims, row))
      : tokens.permitting(operation.scopes));
    const input = minimalInput(contract, operation);
    const request = variedRequest(
      { operation, input, call: { headers }, authorization, mayAddContent: true },
      row,
    );
    return (await this.#target.driver.call(request)).response?.status ?? 0;
  }

  /** The row for a request of a requirement: `seed` chooses the covering array, `index` its row. */
  row(operation: Operation, seed: number, index: number): Row {
    const key = `${operation.id} ${seed % arraysPerOperation}`;
    const rows = this.#rows.get(key) ?? this.#rowsOf(this.#classes(operation), seed % arraysPerOperation);
    this.#rows.set(key, rows);
    return rows[index % rows.length] ?? {};
  }

  /** Number of rows in a group: a request that is sent with each row of a group covers every class. */
  rowsOfGroup(operation: Operation): number {
    return widestOf(this.#classes(operation));
  }

  /** Caches the rows by their classes, because many operations of a large contract have equal ones. */
  #rowsOf(classes: Neutral['classes'], seed: number): readonly Row[] {
    const key = `${JSON.stringify(classes)} ${seed}`;
    const rows = this.#rows.get(key) ?? pairwiseRows(classes, seed);
    this.#rows.set(key, rows);
    return rows;
  }

  #classes(operation: Operation): Readonly<Record<string, readonly string[]>> {
    const found = { ...this.#accepted.get(undefined), ...this.#accepted.get(operation.id) };
    return Object.fromEntries(
      Object.entries(neutralOf(operation).classes).map(([name, classes]) => {
        const { [name]: accepted = [] } = found;
        const isCombined = accepted.some((each) => each.includes(joint));
        const used = classes.filter((each) => !this.#isLeftOut(`${name}: ${each}`));
        return [name, [...new Set([...(isCombined ? used.slice(0, 1) : used), ...accepted])]];
      }),
    );
  }

  /** The usual claims with the row's variations. */
  claims(usual: JsonObject, { claims = 'usual', key = '0' }: Row): JsonObject {
    const changes = claims.split(joint).map((name) => claimVariations[name]?.(usual, key));
    const varied = Object.assign({}, ...changes);
    // The first spread only sets the order: servers may not expect further claims before the usual ones.
    return { ...varied, ...usual, ...varied };
  }

  /** The needed scopes, with others of the catalogue if the row says so. No scopes stay none. */
  scopes(needed: readonly Scope[], { scopes = 'one' }: Row): readonly Scope[] {
    if (scopes === 'one' || needed.length === 0) return needed;
    const names = new Set(needed.map(({ name }) => name));
    const others = this.#target.contract.scopes.filter(({ name }) => !names.has(name));
    // Spread over the whole catalogue, so that they name many resources.
    const step = Math.max(1, Math.floor(others.length / furtherScopes));
    return [...others.filter((_, index) => index % step === 0).slice(0, furtherScopes), ...needed];
  }
}
