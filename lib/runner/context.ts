import { setTimeout as sleep } from 'node:timers/promises';
import type { Arbitrary } from 'fast-check';
import { type Input, minimalInput } from '../arbitraries/input.ts';
import type { Row } from '../arbitraries/pairwise.ts';
import type { Authorization, Exchange, Request } from '../client/exchange.ts';
import { RequestGroup } from '../client/request-group.ts';
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
import { type Call, contentOf, isCertain, shapeOf, smallestInput } from './call.ts';
import type { CallResult } from './call-result.ts';
import { unmetNeeds } from './needs.ts';
import { assertPermitted, expectTwinServed } from './permission.ts';
import { seedOrSkip } from './plainer-data.ts';
import { checkProperty, type PropertyOptions, shareOf } from './property.ts';
import { hash } from './resource-pool.ts';
import { maximumRequests, type RunContext, shareOfExamples, type VaryingMinter } from './run-context.ts';
import { recordControl, recordLogs, Steps } from './steps.ts';
import type { Capability, Target } from './target.ts';
import type { TargetClock } from './target-clock.ts';
import { NotJudged, truncateForEvidence } from './verdict.ts';

/** Milliseconds between two polls of something that may appear late. */
const pollMs = 50;

/** Bytes that one requirement may receive on one operation. */
const maximumReceivedBytes = 256 * 1024 * 1024;

/** Exchanges that a requirement can look back at. */
const recordedExchanges = 100;

/** Tries of a refusal whose data turned out to have been deleted meanwhile. */
const maximumTries = 4;

/** What every check is given, for one operation. */
export type RequirementContext = Omit<
  FullContext,
  'minter' | 'client' | 'control' | 'dataSet' | 'clock' | 'logs' | 'target'
> & { readonly target: Pick<Target, 'contract' | 'baseUrl' | 'cloud'> };

/** The context with all members; reading one that the target cannot serve throws NotJudged. */
export class FullContext {
  readonly run: RunContext;
  readonly id: string;
  readonly contract: Contract;
  readonly target: Target;
  /** Exchanges of this requirement on this operation, in order: the last of them, as evidence. */
  readonly exchanges: Exchange[] = [];
  /** How many exchanges there were. */
  requests = 0;
  /** Milliseconds from the run's start to the first of them. */
  startedAt = 0;
  readonly steps = new Steps();
  readonly #operation: Operation | undefined;
  readonly #requests: RequestGroup;
  readonly #offsetAtStart: number;
  /** Without variations: the requests are as plain as the requirement states them. */
  readonly #isPlain: boolean;
  #claimsMade = 0;
  /** By operation, kind and variation, which request says this: the same ones are varied in the same way. */
  readonly #indices = new Map<string, Map<string, number>>();
  /** Why nothing more is sent. */
  #ended: Error | undefined;
  #receivedBytes = 0;

  constructor(run: RunContext, id: string, operation: Operation | undefined, isPlain = false) {
    this.#isPlain = isPlain;
    this.run = run;
    this.id = id;
    this.contract = run.target.contract;
    this.target = run.target;
    this.#operation = operation;
    this.#offsetAtStart = run.clock.offsetSeconds;
    this.#requests = new RequestGroup(run.target.send);
  }

  /** From now on every request is refused, those under way go on. */
  stop(reason: string): void {
    this.#ended ??= new NotJudged(reason);
  }

  /**
   * Stops, and resolves when none of its requests is under way any more, so that nothing outlives the requirement.
   * @param graceMs milliseconds after which those that are still under way are ended
   */
  async end(graceMs: number): Promise<void> {
    this.stop('the requirement has ended');
    if (this.#requests.underWay === 0) return;
    const timer = setTimeout(() => this.#requests.abort(), graceMs);
    await this.#requests.settled();
    clearTimeout(timer);
  }

  /** Ends the requests that are under way. */
  abort(): void {
    this.#requests.abort();
  }

  /** The operation that is judged. */
  get operation(): Operation {
    if (this.#operation === undefined) throw new Error(`${this.id} concerns no operation`);
    return this.#operation;
  }

  /** Seed of this requirement on this operation: the run's seed, spread. */
  get seed(): number {
    return hash(`${this.run.seed} ${this.id} ${this.#operation?.id ?? ''}`);
  }

  /** The minter. Throws NotJudged without a signing key. */
  get minter(): VaryingMinter {
    return this.#varied(this.target.tokens.minter ?? this.#unmet('mint'));
  }

  /** The client whose credentials the token requirements use. Throws NotJudged without. */
  get client(): ClientCredentials {
    return this.target.client ?? this.#unmet('client');
  }

  /** The control protocol. Throws NotJudged without. */
  get control(): Control {
    const control = recordControl(this.target.control ?? this.#unmet('seed'), (step) => this.steps.add(step));
    return { ...control, seed: (data) => seedOrSkip(control, data, this.run.dropsEntries) };
  }

  /** The target's clock, to move the clock. */
  get clock(): Pick<TargetClock, 'now' | 'moveTo'> {
    const { clock } = this.run;
    return {
      now: () => clock.now(),
      moveTo: async (time) => {
        await clock.moveTo(time);
        this.steps.add({ kind: 'clock', offsetSeconds: clock.offsetSeconds - this.#offsetAtStart });
      },
    };
  }

  /** The tenant's logs. Throws NotJudged where they can't be read; reading them throws LogError. */
  get logs(): Logs {
    return recordLogs(this.target.logs ?? this.#unmet('logs'), (step) => this.steps.add(step));
  }

  /** What a check can use where the target has it, and do without where it has not. */
  get optional() {
    const { tokens } = this.target;
    return {
      minter: tokens.minter && this.#varied(tokens.minter),
      seed: this.can('seed') ? this.control.seed : undefined,
      inspect: this.can('inspect') ? this.control.inspect : undefined,
      clock: this.can('clock') ? this.clock : undefined,
      /** What the tenant contains at the start of every requirement, where that is known. */
      dataSet: this.run.dataSet,
    };
  }

  /** Tokens of known clients, and tokens that came from elsewhere. */
  get tokens(): Pick<Tokens, 'known' | 'remember'> {
    return this.target.tokens;
  }

  /** True where the target can do this. */
  can(capability: Capability): boolean {
    return this.target.capabilities.has(capability);
  }

  /** Throws NotJudged where the target lacks one of these. */
  require(...needs: readonly Capability[]): void {
    const unmet = unmetNeeds(this.target, needs);
    if (unmet !== undefined) throw new NotJudged(unmet.reason, unmet.requiredFlags);
  }

  /** The data set that the tenant contains. Throws NotJudged where the suite could not seed it. */
  get dataSet(): DataSet {
    return this.run.dataSet ?? this.#unmet('seed');
  }

  /**
   * A request that is to be served. Data that is read is data that exists; an operation that deletes is aimed at an id
   * that was made up, so that nothing is spent.
   */
  async call(overrides: Call = {}): Promise<CallResult> {
    const operation = this.#of(overrides);
    const { input, certain } = smallestInput(
      this,
      operation,
      operation.method === 'DELETE' ? 'generated' : 'existing',
    );
    const answer = {
      exchange: await this.#send(operation, input, overrides),
      certain: isCertain(certain, operation, overrides),
    };
    if (Object.keys(overrides).every((name) => /^variation$|^anyQuery$/.test(name)))
      this.run.recordValid(answer.exchange);
    if (overrides.mayBeForbidden !== true) await assertPermitted(this, answer, operation);
    return answer;
  }

  /**
   * A request that is to be refused. It is aimed at data that exists, because the refusal of something that does not
   * exist proves little. Where that data was deleted by a server that should have refused, other data is taken.
   */
  async probe(overrides: Call = {}): Promise<CallResult> {
    const operation = this.#of(overrides);
    for (let tries = 1; ; tries += 1) {
      const { input, certain, ids } = smallestInput(this, operation, 'existing');
      const exchange = await this.#send(operation, input, overrides, true);
      const code = exchange.response?.status ?? 0;
      const deleted = operation.method === 'DELETE' && code >= 200 && code < 300;
      const vanished = operation.method === 'DELETE' && certain && code === 404;
      if (deleted || vanished) for (const [kind, id] of ids) this.run.resources.markDeleted(kind, id);
      if (vanished && tries < maximumTries) continue;
      const answer = { exchange, certain: isCertain(certain, operation, overrides) };
      if (overrides.authorization === undefined) await assertPermitted(this, answer, operation);
      return answer;
    }
  }

  /** A request that deletes: it is given data that exists and is named to no other request. Throws NotJudged without. */
  async consume(kind: Capability, overrides: Call = {}): Promise<CallResult & { readonly id: string }> {
    const operation = this.#of(overrides);
    const id = this.run.resources.take(kind) ?? this.#unmet(kind);
    const input = minimalInput(this.contract, operation, { [kind]: id });
    const exchange = await this.#send(operation, input, overrides);
    this.run.recordValid(exchange);
    const answer = { exchange, certain: true, id };
    if (overrides.mayBeForbidden !== true) await assertPermitted(this, answer, operation);
    return answer;
  }

  /**
   * The valid twin of a rejected request: its counterpart that is equal but for the one thing, and must be accepted. If it is
   * rejected too, the rejection is inconclusive, and the requirement is not judged; another requirement is about that. In a run of few
   * examples, one twin that was served is enough for all requests of its shape.
   */
  async twin(overrides: Call = {}): Promise<CallResult> {
    const send = async () => expectTwinServed(this, await this.call(overrides));
    if (shareOfExamples(this.run) === 1) return send();
    const { twins } = this.run;
    const shape = shapeOf(this.operation, overrides);
    const sent = twins.get(shape)?.catch(send) ?? send();
    twins.set(shape, sent);
    return sent;
  }

  /**
   * Checks the predicate on generated values, several at a time; a value that fails is shrunk, and stands in the
   * violation as its counterexample.
   */
  property<T>(
    arbitrary: Arbitrary<T>,
    predicate: (value: T) => Promise<void>,
    { runs = this.run.runs, examples = [], ...options }: PropertyOptions<T> = {},
  ): Promise<void> {
    return checkProperty(arbitrary, predicate, {
      ...options,
      examples: this.share(examples, 2),
      runs: Math.ceil(runs * shareOf(this.contract, this.run.runs)),
      seed: this.seed,
      onViolation: ({ exchanges }) => this.run.attribute(exchanges),
    });
  }

  /**
   * The values that are tried on this operation: all of them, the first ones where the run has few examples, or, where the contract has
   * hundreds of operations, its share, so that each is tried on some operation.
   * @param least how many of the first ones a run of few examples tries, because each shows another mistake
   */
  share<T>(values: readonly T[], least = 1): readonly T[] {
    const first = values.slice(0, Math.max(least, Math.ceil(values.length * shareOfExamples(this.run))));
    const count = Math.ceil(first.length * shareOf(this.contract, this.run.runs));
    const start = (this.contract.operations.indexOf(this.operation) * count) % Math.max(1, first.length);
    return [...first, ...first].slice(start, start + count);
  }

  /** Polls until what is found is what is waited for, by default anything; after `limitMs` returns what was found last. */
  async eventually<T>(
    poll: () => Promise<T>,
    limitMs: number,
    isWanted = (found: T): boolean => found !== undefined,
  ): Promise<T> {
    const end = performance.now() + limitMs;
    for (;;) {
      if (this.#ended !== undefined) throw this.#ended;
      // A poll that took long says nothing about the time after it began.
      const began = performance.now();
      const found = await poll();
      if (isWanted(found) || began >= end) return found;
      await sleep(pollMs);
    }
  }

  /** A valid token that permits these scopes, as the Authorization to send. Throws NotJudged where there is none. */
  async token(scopes: readonly Scope[], variation = 0): Promise<Authorization> {
    return this.#token(scopes, this.#row(this.#operation, 'token', JSON.stringify(scopes), variation));
  }

  async #token(scopes: readonly Scope[], row: Row): Promise<Authorization> {
    this.require('token');
    const { minter } = this.target.tokens;
    if (minter !== undefined) return minter.sign(this.run.neutral.claims(minter.claims(scopes), row));
    const found = await this.target.tokens.permitting(scopes);
    if (found === undefined) {
      const names = scopes.map((scope) => scope.name).join(' ');
      throw new NotJudged(`no token at hand permits ${names}`, ['--signing-key', '--client-id', '--token']);
    }
    return found;
  }

  /** Sends a request as it is, outside the operations' conventions. */
  async send(request: Request): Promise<CallResult> {
    // What is at a URL of its own is the token endpoint, which changes nothing.
    if (request.url === undefined && !safeMethods.has(request.method)) this.require('write');
    return { exchange: await this.#sent(request), certain: true };
  }

  #of(overrides: Call): Operation {
    const { operation = this.operation } = overrides;
    return typeof operation === 'string' ? operationOf(this.contract, operation) : operation;
  }

  /**
   * The variation of the request that says this. Each kind (tokens, requests to be served, to be refused) takes the rows from the
   * first, which contain the most classes; what is sent in several variations takes rows that belong together. Its key makes what is
   * sent unique in the run.
   */
  #row(operation: Operation | undefined, kind: string, content: string, variation?: number): Row {
    if (this.#isPlain || operation === undefined) return {};
    const key = `${operation.id} ${kind} ${variation}`;
    const indices = this.#indices.get(key) ?? new Map<string, number>();
    this.#indices.set(key, indices);
    const index = indices.get(content) ?? indices.size;
    indices.set(content, index);
    const { neutral } = this.run;
    const at = variation === undefined ? index : neutral.rowsOfGroup(operation) * index + variation;
    return { ...neutral.row(operation, this.seed, at), key: String(hash(`${this.seed} ${key} ${content}`)) };
  }

  async #send(operation: Operation, input: Input, overrides: Call, isRefused = false): Promise<Exchange> {
    if (!safeMethods.has(operation.method)) this.require('write');
    const { neutral } = this.run;
    const { authorization: given } = overrides;
    const content = contentOf(overrides);
    const kind = isRefused || overrides.variedAs !== undefined ? 'refused' : 'served';
    const row = this.#row(operation, kind, content, overrides.variation);
    const usual = given === undefined && operation.authenticated;
    const authorization = usual
      ? await this.#token(neutral.scopes(operation.scopes, row), row)
      : (given ?? undefined);
    const request = neutral.request(operation, input, overrides, row, {
      authorization,
      isRefused: isRefused || overrides.anyQuery,
    });
    const exchange = await this.#sent(request, usual && kind === 'served' && !overrides.mayBeForbidden);
    if (!usual || exchange.response?.status !== 401 || !this.run.mayRenew()) return exchange;
    // A token that was issued to the suite may have been revoked meanwhile; a new one distinguishes that from a broken server.
    this.target.tokens.invalidate();
    return this.#sent({ ...request, authorization: await this.token(operation.scopes) });
  }

  async #sent(request: Request, isValid = false): Promise<Exchange> {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.requests >= maximumRequests(this.run) || this.#receivedBytes > maximumReceivedBytes) {
      const spent = `${this.requests} requests and ${this.#receivedBytes} bytes received`;
      this.#ended = new Error(`the requirement was ended after ${spent}, more than any needs`);
      throw this.#ended;
    }
    const exchange = await this.#requests.send(request);
    this.run.inputs.record(request, exchange.response?.status ?? 0, this.run.clock.offsetSeconds);
    this.#receivedBytes += exchange.response?.bodyBytes ?? 0;
    if (this.requests++ === 0) this.startedAt = exchange.startedAt;
    this.exchanges.push(truncateForEvidence(exchange));
    if (this.exchanges.length > recordedExchanges) this.exchanges.shift();
    this.steps.addExchange(request, exchange, this.run.clock.now());
    this.run.record(exchange, this.id, isValid);
    return exchange;
  }

  /** The minter, with further claims that change nothing. */
  #varied(minter: TokenMinter): VaryingMinter {
    const claims: VaryingMinter['claims'] = (scopes, variation) => {
      const row = this.#row(this.#operation, 'token', `claims ${this.#claimsMade++}`, variation);
      return this.run.neutral.claims(minter.claims(this.run.neutral.scopes(scopes, row)), row);
    };
    return { ...minter, claims };
  }

  #unmet(need: Capability): never {
    const unmet = unmetNeeds({ ...this.target, capabilities: new Set() }, [need]);
    throw new NotJudged(unmet?.reason ?? need, unmet?.requiredFlags ?? []);
  }
}
