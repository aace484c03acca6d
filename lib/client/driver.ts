import { setImmediate as afterArrivals } from 'node:timers/promises';
import type { ConnectionOptions } from './connections.ts';
import type { Exchange, Failure, Field, Request } from './exchange.ts';
import type { Local } from './in-process.ts';
import type { Network } from './network.ts';
import { Pace, retryDelay, Semaphore, wait } from './pace.ts';
import { proxyAuthorization, proxyFor } from './proxy.ts';
import { largeAnswerBytes, ReceivedResponse } from './received.ts';
import { recordedBodyBytes, recordRequest } from './record.ts';
import { RequestGroup } from './request-group.ts';
import { Secrets } from './secrets.ts';
import type { Outcome, Outgoing, TransmitLimits } from './transmit.ts';

/** What a driver may be told; everything but the base URL has a default. */
export interface DriverOptions extends Omit<ConnectionOptions, 'timeout'> {
  /** Absolute http or https URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Requests under way at a time. Default 16. */
  readonly concurrency?: number;
  /** Requests a second. Default: no limit. */
  readonly rate?: number;
  /** Milliseconds for one exchange, from the connection to the answer's last byte. Default 30,000. */
  readonly timeout?: number;
  /** Bytes of an answer's body. Default 4 MiB. */
  readonly maximumBodyBytes?: number;
  /** Milliseconds that one request may wait because of answers of 429. Default 60,000. */
  readonly maximumWaitMs?: number;
  /** Milliseconds that all answers of 429, and of 503 with Retry-After, together may hold up the run. Default 300,000. */
  readonly maximumTotalWaitMs?: number;
  /** Header fields for every request to the base URL's origin; their values are secrets. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** What may stand in no record. Default: an empty collection. */
  readonly secrets?: Secrets;
  /** The run's start in milliseconds since the epoch. Default: now. */
  readonly startedAt?: number;
  /** Where requests really go, for a rehearsal, which sends nothing to the target. */
  readonly detour?: Detour;
  /** Asks a server of this very process, in place of the network. */
  readonly local?: Local;
}

type Recorded = Exchange['request'];

/** ResolvedOptions of every request, with what makes the record that may be shown of it: says to which origin and path it goes in place of its own. */
export type Detour = (outgoing: Outgoing, record: () => Recorded) => Pick<Outgoing, 'origin' | 'path'>;

/** Milliseconds that one request may wait because of answers of 503 with Retry-After. */
const maximumUnavailableMs = 10_000;

/** Requests under way at a time to a target that sends large answers: more of them would fill the memory. */
const largeAtOnce = 2;

/** Many gateways refuse a request without a User-Agent before the server sees it. */
const defaults: readonly Field[] = [
  ['user-agent', 'tenant-admin-conformance'],
  ['accept-encoding', 'identity'],
];

/** Sends requests and records exchanges. */
export class Driver {
  /** Requests sent so far, repeats included. */
  requests = 0;
  readonly secrets: Secrets;
  readonly #options: DriverOptions;
  readonly #base: { readonly origin: string; readonly path: string };
  readonly #limits: TransmitLimits;
  readonly #semaphore: Semaphore;
  readonly #pace: Pace;
  readonly #startedAt: number;
  readonly #listeners = new Set<(exchange: Exchange) => void>();
  /** What stands in records for a token that was sent before. */
  readonly #hidden = new WeakMap<object, string>();
  #exchanges = 0;
  #network: Promise<Network> | undefined;
  readonly #aborts = new Set<() => void>();
  #closed = false;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#base = splitUrl(options.baseUrl);
    this.#limits = {
      timeout: options.timeout ?? 30_000,
      maximumBodyBytes: options.maximumBodyBytes ?? 4 * 1024 * 1024,
    };
    this.#semaphore = new Semaphore(options.concurrency ?? 16);
    this.#pace = new Pace(options.rate, options.maximumTotalWaitMs ?? 300_000);
    this.#startedAt = options.startedAt ?? Date.now();
    this.secrets = options.secrets ?? new Secrets();
    for (const [name, value] of options.headers ?? []) this.secrets.add(value, headerPlaceholder(name));
    const proxy = proxyFor(this.#base.origin, options.environment ?? process.env);
    const credentials = proxy && proxyAuthorization(proxy)[1];
    if (credentials) this.secrets.add(credentials, '$PROXY_AUTHORIZATION');
  }

  /**
   * Sends one request when concurrency and rate allow it, and again when the response is a 429. Never rejects for what
   * the target does: then the exchange has a `failure`. When the signal is aborted, a request under way ends with a
   * failure of kind `aborted`.
   * @throws TypeError for a request that HTTP can't carry, such as one with a line break in a header field
   * @throws the signal's reason if it was aborted before
   */
  async send(request: Request, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Exchange> {
    signal?.throwIfAborted();
    const prepared = this.#prepare(request);
    const record = this.#recorder(request, prepared);
    const { outcome, startedAt, endedAt } = await this.#abortable(signal, (own) =>
      this.#limited(prepared, record, own),
    );
    // What waits goes out before anything is made of this answer, and of those that came with it: the network is not to wait for us.
    if (this.#network !== undefined) await afterArrivals();
    const exchange: Exchange = {
      number: ++this.#exchanges,
      operation: request.operation?.id,
      get request() {
        return record();
      },
      ...this.#received(outcome),
      startedAt: startedAt - this.#startedAt,
      durationMs: endedAt - startedAt,
    };
    for (const listener of this.#listeners) listener(exchange);
    return exchange;
  }

  /** Requests that can be waited for and ended together. */
  group(): RequestGroup {
    return new RequestGroup((request, options) => this.send(request, options));
  }

  /** Runs with a signal that is aborted by `close` and by the given signal. */
  async #abortable<T>(outer: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    if (this.#closed) abort();
    this.#aborts.add(abort);
    outer?.addEventListener('abort', abort, { once: true });
    try {
      return await run(controller.signal);
    } finally {
      this.#aborts.delete(abort);
      outer?.removeEventListener('abort', abort);
    }
  }

  async #limited(prepared: Prepared, record: () => Recorded, signal: AbortSignal): Promise<Sent> {
    const startedAt = Date.now();
    try {
      await this.#semaphore.acquire(signal);
    } catch {
      return { outcome: aborted, startedAt, endedAt: Date.now() };
    }
    try {
      const sent = await this.#repeat(this.#detoured(prepared.outgoing, record), this.#limits, signal, false);
      if (isLarge(sent.outcome)) this.#semaphore.reduceLimit(largeAtOnce);
      return sent;
    } finally {
      this.#semaphore.release();
    }
  }

  /** Sends one request beside the run: at once, neither counted nor recorded. For the control protocol and tokens. */
  async call(
    request: Request,
    limits: { readonly maximumBodyBytes?: number } = {},
  ): Promise<Pick<Exchange, 'response' | 'failure'>> {
    const prepared = this.#prepare(request);
    const outgoing = this.#detoured(prepared.outgoing, () => this.#record(request, prepared));
    const { outcome } = await this.#abortable(undefined, (signal) =>
      this.#repeat(outgoing, { ...this.#limits, ...limits }, signal, true),
    );
    return this.#received(outcome);
  }

  /** The request as it would be recorded; nothing is sent. */
  preview(request: Request): Exchange['request'] {
    return this.#record(request, this.#prepare(request));
  }

  /** Calls the listener with every exchange, as it ends. Returns what takes the listener away again. */
  onExchange(listener: (exchange: Exchange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The text without the secrets of the run. */
  scrub(text: string): string {
    return this.secrets.scrub(text);
  }

  /** Ends all sockets; requests under way, and later ones, come to a failure of the kind `aborted`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const abort of this.#aborts) abort();
    await (await this.#network)?.close();
  }

  /** Attempts until an answer asks for no further one, or there is no time left for it. `beside` is no part of the run. */
  async #repeat(
    outgoing: Outgoing,
    limits: TransmitLimits,
    signal: AbortSignal,
    beside: boolean,
  ): Promise<Sent> {
    const spent = { 429: 0, 503: 0 };
    for (let attempt = 0; ; attempt++) {
      let startedAt = Date.now();
      try {
        if (!beside) {
          await this.#pace.ready(signal);
          startedAt = Date.now();
          this.requests++;
        }
        const outcome = await this.#attempt(outgoing, limits, signal);
        const endedAt = Date.now();
        const result = { outcome, startedAt, endedAt };
        const delay = outcome.answer && retryDelay(withHeader(outcome.answer), attempt, endedAt);
        if (delay === undefined) return result;
        const status = outcome.answer?.status === 503 ? 503 : 429;
        const most = status === 503 ? maximumUnavailableMs : (this.#options.maximumWaitMs ?? 60_000);
        spent[status] += delay;
        if (spent[status] > most) return result;
        if (status === 429 && !beside) {
          if (!this.#pace.pause(delay)) return result;
        } else if (this.#pace.spend(delay)) await wait(delay, signal);
        else return result;
      } catch (error) {
        if (!signal.aborted) throw error;
        return { outcome: aborted, startedAt, endedAt: Date.now() };
      }
    }
  }

  /**
   * One attempt. A server may close an idle connection at any time (RFC 9112, section 9.5), also just when a request is
   * on its way: that is no answer to this request, so it goes out once more on a connection of its own.
   */
  async #attempt(outgoing: Outgoing, limits: TransmitLimits, signal: AbortSignal): Promise<Outcome> {
    const outcome = await this.#transmit(outgoing, limits, signal, false);
    if (outcome.answer !== undefined || !outcome.stale || signal.aborted) return outcome;
    this.requests++;
    return this.#transmit(outgoing, limits, signal, true);
  }

  #transmit(
    outgoing: Outgoing,
    limits: TransmitLimits,
    signal: AbortSignal,
    fresh: boolean,
  ): Promise<Outcome> {
    signal.throwIfAborted();
    return this.#options.local?.(outgoing) ?? this.#overNetwork(outgoing, limits, signal, fresh);
  }

  async #overNetwork(
    outgoing: Outgoing,
    limits: TransmitLimits,
    signal: AbortSignal,
    fresh: boolean,
  ): Promise<Outcome> {
    this.#network ??= openNetwork({ ...this.#options, timeout: this.#limits.timeout });
    const network = await this.#network;
    signal.throwIfAborted();
    return network.send(outgoing, limits, signal, fresh);
  }

  #detoured(outgoing: Outgoing, record: () => Recorded): Outgoing {
    const { detour } = this.#options;
    return detour === undefined ? outgoing : { ...outgoing, ...detour(outgoing, record) };
  }

  #received(outcome: Outcome): { response: ReceivedResponse | undefined; failure: Failure | undefined } {
    if (outcome.answer !== undefined) {
      return { response: new ReceivedResponse(outcome.answer, this.secrets), failure: undefined };
    }
    const { kind, message } = outcome.failure;
    return { response: undefined, failure: { kind, message: this.secrets.scrub(message) } };
  }

  #prepare(request: Request): Prepared {
    const { authorization, body } = request;
    const at = request.url === undefined ? undefined : splitUrl(request.url);
    const origin = at?.origin ?? this.#base.origin;
    const path = rooted(at?.path ?? this.#base.path + request.target);
    const own = request.headers ?? [];
    const given = origin === this.#base.origin ? (this.#options.headers ?? []) : [];
    const names = new Set(own.map(([name]) => name.toLowerCase()));
    if (authorization !== undefined) names.add('authorization');
    if (body?.mediaType !== undefined) names.add('content-type');
    const added = given.filter(([name]) => !names.has(name.toLowerCase()));
    for (const [name] of added) names.add(name.toLowerCase());
    const headers: Field[] = [...defaults.filter(([name]) => !names.has(name)), ...added, ...own];
    if (body?.mediaType !== undefined) headers.push(['content-type', body.mediaType]);

    const sent: string[] = [];
    for (const [name, value] of headers) sent.push(name, octets(value));
    if (authorization) {
      sent.push('authorization', octets(authorization.value));
      headers.push(['authorization', this.#hide(authorization)]);
    }
    const outgoing: Outgoing = {
      method: request.method,
      origin,
      path: octets(path),
      headers: sent,
      ...(body === undefined ? {} : { body: body.bytes }),
      chunked: body?.chunked ?? false,
    };
    return { outgoing, url: origin + path, headers, given };
  }

  /** Makes the record when somebody looks at it, which of most nobody does; at once where a large body would have to be kept for it. */
  #recorder(request: Request, prepared: Prepared): () => Recorded {
    let recorded: Recorded | undefined;
    const record = (): Recorded => {
      recorded ??= this.#record(request, prepared);
      return recorded;
    };
    if ((request.body?.bytes.length ?? 0) > recordedBodyBytes) record();
    return record;
  }

  #record(request: Request, { url, headers, given }: Prepared): Recorded {
    const isGiven = ([name, value]: Field) =>
      given.some(([header, secret]) => header === name && secret === value);
    const shown = headers.map(
      (field): Field => (isGiven(field) ? [field[0], headerPlaceholder(field[0])] : field),
    );
    return recordRequest(request, { url, headers: shown }, this.secrets);
  }

  /** `Bearer $TOKEN`, unless the value is no secret; from now on the token is known as one. */
  #hide(authorization: NonNullable<Request['authorization']>): string {
    if (authorization.secret === false) return authorization.value;
    const before = this.#hidden.get(authorization);
    if (before !== undefined) return before;
    const [, scheme = '', credentials = ''] = /^(\S+ +)?(.*)$/s.exec(authorization.value) ?? [];
    if (credentials !== '') this.secrets.addToken(credentials);
    const hidden = `${scheme}$TOKEN`;
    this.#hidden.set(authorization, hidden);
    return hidden;
  }
}

/** A request as it goes out, and what may be shown of it. */
interface Prepared {
  readonly outgoing: Outgoing;
  readonly url: string;
  readonly headers: readonly Field[];
  /** Those of them whose values are secrets. */
  readonly given: readonly Field[];
}

/** What came of a request, and when it went out and had its outcome, in milliseconds since the epoch. */
interface Sent {
  readonly outcome: Outcome;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A driver for the base URL. Nothing is sent yet. */
export function createDriver(options: DriverOptions): Driver {
  return new Driver(options);
}

/** Loaded by the first request that wants it: against a server of this very process none does. */
async function openNetwork(options: ConnectionOptions): Promise<Network> {
  const { Network } = await import('./network.ts');
  return new Network(options);
}

const aborted: Outcome = {
  failure: { kind: 'aborted', message: 'the request was aborted' },
  stale: false,
  stuck: true,
};

function isLarge({ answer, failure }: Outcome): boolean {
  return failure?.kind === 'too-large' || (answer?.body.length ?? 0) > largeAnswerBytes;
}

function withHeader(answer: { readonly status: number; readonly headers: readonly Field[] }) {
  return {
    status: answer.status,
    header: (wanted: string) => answer.headers.find(([name]) => name === wanted)?.[1],
  };
}

/** `$HEADER_X_API_KEY` for `X-Api-Key`. */
function headerPlaceholder(name: string): string {
  return `$HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** Origin and the rest, which stays as it is: no segment resolved, nothing encoded or decoded. */
function splitUrl(url: string): { origin: string; path: string } {
  const match = /^(https?:\/\/[^/?#]+)([^#]*)$/i.exec(url);
  if (match?.[1] === undefined || !URL.canParse(match[1]))
    throw new TypeError('the URL is no http or https URL');
  return { origin: new URL(match[1]).origin, path: match[2] ?? '' };
}

/** A request target begins with a slash (RFC 9112, section 3.2.1), also where the URL ends with its authority. */
function rooted(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

/** The text's UTF-8 bytes, one character each: what undici writes as ISO 8859-1 then is the text's UTF-8. */
function octets(text: string): string {
  return /[\u0080-\uffff]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}
