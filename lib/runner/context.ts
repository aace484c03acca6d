import { setTimeout as sleep } from 'node:timers/promises';
import type { Arbitrary } from 'fast-check';
import { hash } from '../arbitraries/hash.ts';
import { type Input, minimalInput } from '../arbitraries/input.ts';
import { type Authorization, type Exchange, isSuccess, type Request } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import {
  type Contract,
  type Operation,
  operation as operationOf,
  type Scope,
  safeMethods,
} from '../contract/model.ts';
import type { Control, Logs } from '../control/control.ts';
import type { TokenMinter } from '../tokens/token-minter.ts';
import type { ClientCredentials } from '../tokens/token-source.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { type Call, contentKey, isCertain, shapeKey, smallestInput } from './call.ts';
import { type CallResult, status } from './call-result.ts';
import type { Capability } from './capabilities.ts';
import type { Target } from './connect.ts';
import { throwUnmet } from './needs.ts';
import { assertAccepted, assertLengthAccepted, assertPermitted, assertTwinServed } from './permission.ts';
import { checkProperty, operationFraction, type PropertyOptions } from './property.ts';
import { requestedToken } from './requested-token.ts';
import type { NamedId } from './resource-pool.ts';
import { effortFraction, maximumRequests, type RunContext, type VaryingMinter } from './run-context.ts';
import { recordControl, recordLogs, Steps } from './steps.ts';
import { Variations } from './variations.ts';
import { plain, type Variation, variedClaims, variedRequest, variedScopes } from './vary.ts';
import { NotJudged, truncateForEvidence } from './verdict.ts';

/** Milliseconds between two polls of something that may appear late. */
const pollMs = 50;

/** Bytes that one requirement may receive on one operation. */
const maximumReceivedBytes = 256 * 1024 * 1024;

/** Latest exchanges that are kept for each requirement and operation. */
const recordedExchanges = 100;

/** Attempts to send a request that must be refused if its data turns out to be deleted. */
const maximumTries = 4;

const tooMany = 'the target answered 429 (too many requests) for longer than the run waits';

/** The context that every check gets, for one operation. */
export type RequirementContext = Omit<FullContext, 'target'> & {
  readonly target: Pick<Target, 'contract' | 'baseUrl' | 'cloud'>;
};

/** The context with the whole target. What the target does not support is undefined, unless the check's needs include it. */
export class FullContext {
  readonly run: RunContext;
  readonly id: string;
  readonly contract: Contract;
  readonly target: Target;
  /** The latest exchanges of this requirement on this operation, in order, as evidence. */
  readonly exchanges: Exchange[] = [];
  /** Number of all exchanges. */
  requests = 0;
  /** Milliseconds from the run's start to the first exchange. */
  startedAt = 0;
  readonly steps = new Steps();
  readonly #operation: Operation | undefined;
  readonly #underWay = new Set<Promise<Exchange>>();
  readonly #abort = new AbortController();
  /** True to send requests without variations. */
  readonly #isPlain: boolean;
  #mintedTokens = 0;
  readonly #variations: Variations;
  /** Thrown by every further request. */
  #ended: Error | undefined;
  #receivedBytes = 0;

  constructor(run: RunContext, id: string, operation: Operation | undefined, isPlain = false) {
    this.#isPlain = isPlain;
    this.run = run;
    this.id = id;
    this.contract = run.target.contract;
    this.target = run.target;
    this.#operation = operation;
    this.#variations = new Variations(run.neutral, this.seed);
  }

  /** Rejects all further requests. Requests in progress continue. */
  stop(reason: string): void {
    this.#ended ??= new NotJudged(reason);
  }

  /**
   * Stops, and resolves when no request is in progress, so that nothing outlives the requirement.
   * @param graceMs milliseconds after which requests in progress are aborted
   */
  async end(graceMs: number): Promise<void> {
    this.stop('the requirement has ended');
    const timer = setTimeout(() => this.abort(), graceMs);
    await Promise.allSettled(this.#underWay);
    clearTimeout(timer);
  }

  /** Aborts the requests in progress. */
  abort(): void {
    this.#abort.abort();
  }

  /** The operation that is judged. */
  get operation(): Operation {
    if (this.#operation === undefined) throw new Error(`${this.id} concerns no operation`);
    return this.#operation;
  }

  /** A number for texts that the target must not know from an earlier run. */
  get nonce(): number {
    return this.#variations.nonce;
  }

  /** Seed of this requirement on this operation, derived from the run's seed. */
  get seed(): number {
    return hash(`${this.run.seed} ${this.id} ${this.#operation?.id ?? ''}`);
  }

  /** The token minter, if the target trusts a signing key. */
  get minter(): VaryingMinter | undefined {
    const { minter } = this.target.tokens;
    return minter && this.#varied(minter);
  }

  /** The client whose credentials the token requirements use. */
  get client(): ClientCredentials | undefined {
    return this.target.client;
  }

  /** The tenant's data in the control protocol. */
  get control(): Partial<Pick<Control, 'seed' | 'inspect'>> {
    const { control } = this.target;
    if (control === undefined) return {};
    const recorded = recordControl(control, this.run.verifiesSeeds, (step) => this.steps.add(step));
    return {
      ...(this.can('seed') && { seed: recorded.seed }),
      ...(this.can('inspect') && { inspect: recorded.inspect }),
    };
  }

  /** The target's clock, in seconds since the epoch. `moveTo` never moves it back, and moves it up to a second too far. */
  get clock(): { now(): number; moveTo(time: number): Promise<void> } | undefined {
    if (!this.can('clock')) return undefined;
    const { clock, control } = this.target;
    return {
      now: () => this.#now(),
      moveTo: async (time) => {
        const offsetSeconds = Math.ceil(time - Date.now() / 1000);
        if (offsetSeconds > clock.offsetSeconds) await control?.moveClock(offsetSeconds);
        this.steps.add({ kind: 'clock', offsetSeconds: clock.offsetSeconds });
      },
    };
  }

  #now(): number {
    return Date.now() / 1000 + this.target.clock.offsetSeconds;
  }

  /** The tenant's logs. Reading them may throw LogError. */
  get logs(): Logs | undefined {
    const { logs } = this.target;
    return logs && recordLogs(logs, (step) => this.steps.add(step));
  }

  get tokens(): Pick<Tokens, 'alterable' | 'known' | 'permitting' | 'remember'> {
    return this.target.tokens;
  }

  /** True if the target has this capability. */
  can(capability: Capability): boolean {
    return this.target.capabilities.has(capability);
  }

  /** Throws NotJudged if the target does not have this capability. */
  #require(need: Capability): void {
    if (!this.can(need)) throwUnmet(this.target, need);
  }

  /** What the tenant contains at the start of every requirement, if known. */
  get dataSet(): DataSet | undefined {
    return this.run.dataSet;
  }

  /**
   * Sends a request that must be served. It reads existing data, but a deletion names a generated id, so that no data
   * is used up.
   */
  async call(overrides: Call = {}): Promise<CallResult> {
    const operation = this.#operationOf(overrides);
    const mode = operation.method === 'DELETE' ? 'generated' : 'existing';
    const result = await this.#send(operation, smallestInput(this, operation, mode), overrides);
    if (Object.keys(overrides).every((name) => ['variation', 'mayAddQuery'].includes(name)))
      this.run.recordValid(result.exchange);
    return result;
  }

  /**
   * Sends a request that must be refused. It names existing data, because refusing a request for missing data proves
   * little. If a server has deleted the data that it should have kept, the request names other data.
   */
  async probe(overrides: Call = {}): Promise<CallResult> {
    const operation = this.#operationOf(overrides);
    const named: NamedId[] = [];
    for (let tries = 1; ; tries += 1) {
      const smallest = smallestInput(this, operation, 'existing');
      const result = await this.#send(operation, smallest, overrides, 'refused');
      if (operation.method !== 'DELETE' || overrides.path !== undefined) return result;
      const code = result.exchange.response?.status ?? 0;
      if (code !== 404 || !smallest.certain) return result;
      this.run.resources.markDeleted(smallest.ids);
      named.push(...smallest.ids);
      if (tries < maximumTries) continue;
      this.run.resources.putBack(named);
      return { ...result, certain: false };
    }
  }

  /**
   * Deletes an existing policy that no other request names. If the tenant's data is not known, an earlier run may have deleted
   * policies that the flags name: then it tries the next one. Throws NotJudged if there is none.
   */
  async deletePolicy(overrides: Call = {}): Promise<CallResult & { readonly id: string }> {
    const operation = this.#operationOf(overrides);
    const { dataSet, resources, recordValid } = this.run;
    for (;;) {
      const id = resources.take('rate_limit_policy') ?? throwUnmet(this.target, 'rate_limit_policy');
      const input = minimalInput(this.contract, operation, { rate_limit_policy: id });
      const result = await this.#send(operation, { input, certain: true }, overrides);
      const isGone = status(result) === 404 && dataSet === undefined;
      if (isGone && resources.all('rate_limit_policy').length > 0) continue;
      recordValid(result.exchange);
      return { ...result, id };
    }
  }

  /**
   * Sends the valid twin of a refused request: the same request without its one violation, which must be accepted. If it is
   * refused too, the refusal is inconclusive and the requirement is not judged; another requirement covers that. In a run with
   * few examples, one accepted twin is enough for all requests of its shape.
   */
  async twin(overrides: Call = {}): Promise<CallResult> {
    const send = async () => assertTwinServed(this, await this.call(overrides));
    if (effortFraction(this.run) === 1) return send();
    const { twins } = this.run;
    const shape = shapeKey(this.operation, overrides);
    const sent = twins.get(shape)?.catch(send) ?? send();
    twins.set(shape, sent);
    return sent;
  }

  /**
   * Checks the predicate on generated values, in parallel. A failing value is shrunk and becomes the counterexample of
   * the violation.
   */
  property<T>(
    arbitrary: Arbitrary<T>,
    predicate: (value: T) => Promise<void>,
    options: PropertyOptions<T> = {},
  ): Promise<void> {
    return checkProperty(this, arbitrary, predicate, options);
  }

  /**
   * The values to try on this operation: all of them, or only the first ones in a run with few examples. In a contract with
   * hundreds of operations each operation gets a share, so that each value is tried on some operation.
   * @param least how many of the first values every run tries, because each shows a different mistake
   */
  share<T>(values: readonly T[], least = 1): readonly T[] {
    const first = values.slice(0, Math.max(least, Math.ceil(values.length * effortFraction(this.run))));
    const count = Math.ceil(first.length * operationFraction(this.contract, this.run.runs));
    const start = (this.contract.operations.indexOf(this.operation) * count) % Math.max(1, first.length);
    return [...first, ...first].slice(start, start + count);
  }

  /** Polls until it finds a wanted value (default: any value). Returns the last value after `limitMs`. */
  async eventually<T>(
    poll: () => Promise<T>,
    limitMs: number,
    isWanted = (found: T): boolean => found !== undefined,
  ): Promise<T> {
    const end = performance.now() + limitMs;
    for (;;) {
      if (this.#ended !== undefined) throw this.#ended;
      // A slow poll shows the state when it began, so the time limit applies to its beginning.
      const began = performance.now();
      const found = await poll();
      if (isWanted(found) || began >= end) return found;
      await sleep(pollMs);
    }
  }

  /** The Authorization with a valid token that permits these scopes. Throws NotJudged if there is none. */
  async token(scopes: readonly Scope[], variation = 0): Promise<Authorization> {
    return this.#token(scopes, this.#variation(this.#operation, 'token', JSON.stringify(scopes), variation));
  }

  async #token(scopes: readonly Scope[], variation: Variation): Promise<Authorization> {
    this.#require('token');
    const { minter } = this.target.tokens;
    if (minter !== undefined) return minter.sign(variedClaims(minter.claims(scopes), variation));
    return requestedToken(this.target.tokens, scopes);
  }

  /** Sends a request as it is, without the defaults of an operation. */
  async send(request: Request): Promise<CallResult> {
    // A request with its own URL goes to the token endpoint, which changes nothing.
    if (request.url === undefined && !safeMethods.has(request.method)) this.#require('write');
    return { exchange: await this.#sent(request), certain: true };
  }

  #operationOf(overrides: Call): Operation {
    const { operation = this.operation } = overrides;
    return typeof operation === 'string' ? operationOf(this.contract, operation) : operation;
  }

  #variation(operation: Operation | undefined, kind: string, content: string, variation?: number): Variation {
    if (this.#isPlain || operation === undefined) return plain;
    return this.#variations.of(operation, kind, content, variation);
  }

  /** Sends the call, and judges a 403 unless the caller does. @throws NotJudged as `assertPermitted` */
  async #send(
    operation: Operation,
    { input, certain }: { readonly input: Input; readonly certain: boolean },
    call: Call,
    wanted: 'served' | 'refused' = 'served',
  ): Promise<CallResult> {
    if (!safeMethods.has(operation.method)) this.#require('write');
    const isRefused = wanted === 'refused';
    const kind = call.sameVariation ? 'refused' : wanted;
    const variation = this.#variation(operation, kind, contentKey(call), call.variation);
    const getsToken = call.authorization === undefined && operation.authenticated;
    const authorization = getsToken
      ? await this.#token(variedScopes(this.contract, operation.scopes, variation), variation)
      : (call.authorization ?? undefined);
    const mayAddContent = isRefused || call.mayAddQuery;
    const request = variedRequest({ operation, input, call, authorization, mayAddContent }, variation);
    const exchange = getsToken
      ? await this.#sentRenewing(request, operation, kind === 'served' && !call.mayBeForbidden)
      : await this.#sent(request);
    if (getsToken && !call.mayBeForbidden) await assertAccepted(this, operation, exchange, this.#now());
    const result = { exchange, certain: isCertain(certain, operation, call, exchange) };
    assertLengthAccepted(this, request, exchange);
    // A request that is to be refused for its own Authorization may be refused with 403.
    const mayBeForbidden = isRefused ? call.authorization !== undefined : call.mayBeForbidden;
    if (!mayBeForbidden) await assertPermitted(this, result, operation);
    return result;
  }

  /** Sends the request. After a 401 it is sent again with a new token, because the old one may have been revoked. */
  async #sentRenewing(request: Request, operation: Operation, isValid: boolean): Promise<Exchange> {
    const exchange = await this.#sent(request, isValid);
    if (exchange.response?.status !== 401 || !this.run.mayRenew()) return exchange;
    this.target.tokens.invalidate();
    return this.#sent({ ...request, authorization: await this.token(operation.scopes) });
  }

  async #sent(request: Request, isValid = false): Promise<Exchange> {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.requests >= maximumRequests(this.run) || this.#receivedBytes > maximumReceivedBytes) {
      const spent = `${this.requests} requests and ${this.#receivedBytes} bytes received`;
      this.#ended = new Error(`the requirement was stopped after ${spent}, more than any requirement needs`);
      throw this.#ended;
    }
    const sending = this.target.send(request, { signal: this.#abort.signal, owner: this });
    this.#underWay.add(sending);
    const exchange = await sending.finally(() => this.#underWay.delete(sending));
    const code = exchange.response?.status ?? 0;
    if (request.method === 'DELETE' && isSuccess(code)) this.run.resources.markDeletedBy(request.target);
    this.run.inputs.record(request, code, this.target.clock.offsetSeconds);
    this.#receivedBytes += exchange.response?.bodyBytes ?? 0;
    if (this.requests++ === 0) this.startedAt = exchange.startedAt;
    this.exchanges.push(truncateForEvidence(exchange));
    if (this.exchanges.length > recordedExchanges) this.exchanges.shift();
    this.steps.addExchange(request, exchange, this.#now());
    this.run.record(this, exchange, isValid);
    // Too Many Requests (RFC 6585, section 4) says nothing about the request, not even that it has no effect.
    if (code === 429) throw new NotJudged(tooMany, ['--rate', 'limits in the profile']);
    return exchange;
  }

  /** The minter with varied claims, which do not change what a token permits. */
  #varied(minter: TokenMinter): VaryingMinter {
    const claims: VaryingMinter['claims'] = (scopes, number) => {
      const variation = this.#variation(this.#operation, 'token', `claims ${this.#mintedTokens++}`, number);
      return variedClaims(minter.claims(variedScopes(this.contract, scopes, variation)), variation);
    };
    return { ...minter, claims };
  }
}
