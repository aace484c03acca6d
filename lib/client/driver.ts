import { safeMethods } from '../contract/model.ts';
import type { Exchange, Field, Request } from './exchange.ts';
import { handleInProcess, type InProcessServer } from './in-process.ts';
import type { Network, NetworkOptions } from './network.ts';
import { busyDelay, namesTime, Pace, retryDelay, Semaphore, wait } from './pace.ts';
import { proxyAuthorization, proxyFor } from './proxy.ts';
import { recordRequest } from './record.ts';
import { Secrets } from './secrets.ts';
import type { WireLimits, WireRequest, WireResult } from './wire.ts';

/** Options of a driver; all but the base URL have a default. */
export interface DriverOptions extends Omit<NetworkOptions, 'timeout' | 'connections'> {
  /** Absolute http or https URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Maximum number of concurrent requests. Default: 16. */
  readonly concurrency?: number;
  /** Requests per second. Default: no limit. */
  readonly rate?: number;
  /** Milliseconds for one exchange, from the connection to the last byte of the response. Default: 30,000. */
  readonly timeout?: number;
  /** Maximum bytes of a response's body. Default: 4 MiB. */
  readonly maximumBodyBytes?: number;
  /** Milliseconds that one request may wait because of responses of 429. Default: 60,000. */
  readonly maximumWaitMs?: number;
  /** Milliseconds that all responses of 429, and of 503 with Retry-After, may delay the run. Default: 300,000. */
  readonly maximumTotalWaitMs?: number;
  /** Header fields of every request to the base URL's origin; their values are secrets. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The run's start in milliseconds since the epoch. Default: now. */
  readonly startedAt?: number;
  /** Called with every request; returns the URL to send it to. A dry run uses it to send nothing to the target. */
  readonly rewriteUrl?: (request: Prepared) => Pick<WireRequest, 'origin' | 'path'>;
  /** Handles the requests to its origin by function calls, without the network. */
  readonly inProcess?: InProcessServer;
}

/** How a request is sent among others. */
export interface SendOptions {
  /** Ends a request under way with a failure of kind `aborted`. */
  readonly signal?: AbortSignal;
  /** The owner of the request: owners take turns while requests wait for the concurrency limit. */
  readonly owner?: unknown;
}

/** A request that is ready to be sent. */
interface Prepared {
  readonly wire: WireRequest;
  readonly record: Exchange['request'];
}

/** Milliseconds that one request may wait because of responses of 503 with Retry-After. */
const maximumUnavailableMs = 10_000;

/** Milliseconds that the requests of a run wait in all because the target is busy: a broken one may respond with 503 to all. */
const maximumBusyMs = 30_000;

/** Header fields whose values are the same for every client. */
const publicFields = /^(accept|accept-.*|user-agent|content-.*|cache-control|connection|origin|referer)$/i;

/** Sends requests and records exchanges. */
export class Driver {
  /** Requests sent so far, repeats included. */
  requests = 0;
  /** Ids of the operations that may have changed the target: an unsafe request to them was not refused. */
  readonly changed = new Set<string>();
  /** What must not appear in any output. */
  readonly secrets = new Secrets();
  readonly #options: DriverOptions;
  readonly #base: { readonly origin: string; readonly path: string };
  readonly #limits: Omit<WireLimits, 'signal'>;
  readonly #semaphore: Semaphore;
  readonly #pace: Pace;
  readonly #startedAt: number;
  readonly #concurrency: number;
  #busyMs = maximumBusyMs;
  #exchanges = 0;
  #prepared = 0;
  #network: Promise<Network> | undefined;
  readonly #closing = new AbortController();

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#base = splitUrl(options.baseUrl);
    this.#limits = {
      timeout: options.timeout ?? 30_000,
      maximumBodyBytes: options.maximumBodyBytes ?? 4 * 1024 * 1024,
    };
    this.#concurrency = options.concurrency ?? 16;
    this.#semaphore = new Semaphore(this.#concurrency);
    this.#pace = new Pace(options.rate, options.maximumTotalWaitMs ?? 300_000);
    this.#startedAt = options.startedAt ?? Date.now();
    for (const [name, value] of options.headers ?? [])
      if (!publicFields.test(name)) this.secrets.add(value, headerPlaceholder(name));
    const proxy = proxyFor(this.#base.origin, options.environment ?? process.env);
    const credentials = proxy && proxyAuthorization(proxy);
    if (credentials !== undefined) {
      this.secrets.add(credentials, '$PROXY_AUTHORIZATION');
      this.secrets.add(Buffer.from(credentials.slice(6), 'base64').toString(), '$PROXY_AUTHORIZATION');
    }
  }

  /**
   * Sends one request when concurrency and rate allow it, and again when the response is a 429. Never rejects for what
   * the target does: then the exchange has a `failure`. When the signal is aborted, a request under way ends with a
   * failure of kind `aborted`.
   * @throws TypeError for a request that HTTP can't carry, such as one with a line break in a header field
   * @throws the signal's reason if it was aborted before
   */
  async send(request: Request, { signal, owner }: SendOptions = {}): Promise<Exchange> {
    signal?.throwIfAborted();
    const prepared = this.#prepare(request);
    // A signal of its own, because a signal takes longer to listen to the more listeners it has.
    const either = AbortSignal.any([this.#closing.signal, signal].filter((each) => each !== undefined));
    const sent = await this.#semaphore
      .run(() => this.#repeat(prepared, { ...this.#limits, signal: either }, false), either, owner)
      .catch(ifAborted(either));
    this.#recordChange(request, sent);
    return {
      number: ++this.#exchanges,
      operation: request.operation?.id,
      request: prepared.record,
      response: sent.response,
      failure: sent.failure,
      ...(sent.resent && { resent: true }),
      startedAt: sent.startedAt - this.#startedAt,
      durationMs: sent.endedAt - sent.startedAt,
    };
  }

  /**
   * Sends one request out of band, for the control protocol and tokens: neither counted nor recorded, and paced by the
   * rate only.
   */
  async call(
    request: Request,
    limits: Partial<WireLimits> = {},
  ): Promise<Pick<Exchange, 'response' | 'failure'>> {
    const signal = AbortSignal.any([this.#closing.signal]);
    const bounds = { ...this.#limits, signal, ...limits };
    const { response, failure } = await this.#repeat(this.#prepare(request), bounds, true).catch(
      ifAborted(signal),
    );
    this.#recordChange(request, { response });
    return { response, failure };
  }

  /** Records that the target may have changed. A refusal changes nothing. */
  #recordChange({ operation, method }: Request, { response }: Pick<WireResult, 'response'>): void {
    const isRefusal = response !== undefined && response.status >= 400 && response.status < 500;
    if (operation !== undefined && !safeMethods.has(method) && !isRefusal) this.changed.add(operation.id);
  }

  /** Closes all sockets; requests under way, and later ones, end with a failure of kind `aborted`. */
  async close(): Promise<void> {
    this.#closing.abort();
    await (await this.#network)?.close();
  }

  /** Sends the request until a response asks for no repeat, or no time is left for one. Rejects when the signal is aborted. */
  async #repeat(prepared: Prepared, limits: WireLimits, outOfBand: boolean): Promise<Sent> {
    const { signal } = limits;
    const wire = { ...prepared.wire, ...this.#options.rewriteUrl?.(prepared) };
    let startedAt = Date.now();
    const ready = async () => {
      await this.#pace.ready(signal, outOfBand);
      signal.throwIfAborted();
      startedAt = Date.now();
      if (!outOfBand) this.requests++;
    };
    const waited = { 429: 0, 503: 0 };
    const maximum = { 429: this.#options.maximumWaitMs ?? 60_000, 503: maximumUnavailableMs };
    for (let attempt = 0; ; attempt++) {
      const { limit } = this.#semaphore;
      const result = await this.#transport(wire, limits, ready);
      const sent = { ...result, startedAt, endedAt: Date.now() };
      const { response } = result;
      if (response === undefined) return sent;
      const delay =
        retryDelay(response, attempt, sent.endedAt) ??
        (outOfBand ? undefined : this.#busyDelay(response.status, wire.method, attempt, limit));
      if (delay === undefined) return sent;
      const status = response.status === 429 ? 429 : 503;
      waited[status] += delay;
      if (waited[status] > maximum[status]) return sent;
      // The limit of another endpoint, or an unavailable operation, says nothing about other requests.
      const pausesOthers = status === 429 && !outOfBand;
      // A limit that names no time may be one of concurrent requests.
      if (pausesOthers && !namesTime(response.headers)) this.#semaphore.halve(limit);
      const isInTime = pausesOthers ? this.#pace.pause(delay) : this.#pace.spend(delay);
      if (!isInTime) return sent;
      if (!pausesOthers) await wait(delay, signal);
    }
  }

  /** As `busyDelay`, within the run's time for it. Halves the number of concurrent requests. */
  #busyDelay(status: number, method: string, attempt: number, limit: number): number | undefined {
    const delay = busyDelay(status, method, attempt);
    if (delay === undefined || delay > this.#busyMs) return undefined;
    this.#busyMs -= delay;
    // The failure of a gateway says nothing about the number of concurrent requests.
    if (status !== 502) this.#semaphore.halve(limit);
    return delay;
  }

  async #transport(wire: WireRequest, limits: WireLimits, ready: () => Promise<void>): Promise<WireResult> {
    const { inProcess } = this.#options;
    if (wire.origin === inProcess?.origin) {
      await ready();
      return handleInProcess(inProcess, wire);
    }
    // Loaded by the first request that needs the network, and before the request is paced: otherwise the requests that wait
    // for the module would be sent together.
    this.#network ??= import('./network.ts').then(
      ({ Network }) =>
        new Network({ ...this.#options, timeout: this.#limits.timeout, connections: this.#concurrency }),
    );
    return (await this.#network).send(wire, limits, ready);
  }

  #prepare(request: Request): Prepared {
    const { body } = request;
    const own = request.url === undefined ? undefined : splitUrl(request.url);
    const origin = own?.origin ?? this.#base.origin;
    // A request target begins with a slash (RFC 9112, section 3.2.1), also if the URL ends with its authority.
    const path = (own?.path ?? this.#base.path + request.target).replace(/^(?!\/)/, '/');
    const fields = this.#fields(request, origin);
    const recorded = fields.map(([name, , value]): Field => [name, value]);
    return {
      wire: {
        method: request.method,
        origin,
        path: octets(path),
        headers: fields.flatMap(([name, value]) => [name, octets(value)]),
        ...(body !== undefined && { body: body.bytes, pauseMs: body.pauseMs ?? 0 }),
        chunked: body?.chunked ?? false,
      },
      record: recordRequest(request, origin + path, recorded),
    };
  }

  /** The header fields that are sent, in order, each with the value that is recorded. */
  #fields({ headers = [], body, authorization }: Request, origin: string) {
    const fields: [name: string, value: string, recorded: string][] = [];
    const add = (name: string, value: string, recorded = value) => fields.push([name, value, recorded]);
    for (const [name, value] of headers) add(name, value);
    if (body?.mediaType !== undefined) add('content-type', body.mediaType);
    if (authorization)
      add(authorization.field ?? 'authorization', authorization.value, this.#hide(authorization));
    const names = new Set(fields.map(([name]) => name.toLowerCase()));
    const given = origin === this.#base.origin ? (this.#options.headers ?? []) : [];
    for (const [name, value] of given)
      if (!names.has(name.toLowerCase()))
        add(name, value, publicFields.test(name) ? value : headerPlaceholder(name));
    for (const [name] of given) names.add(name.toLowerCase());
    // Many gateways refuse a request without a User-Agent before the server sees it.
    if (!names.has('user-agent')) add('user-agent', 'tenant-admin-conformance');
    if (!names.has('accept-encoding')) add('accept-encoding', this.#prepared++ % 2 ? 'gzip, br' : 'identity');
    return fields;
  }

  /** `Bearer $TOKEN`, unless the value is not a secret; from now on the token is known as one. */
  #hide({ value, secret, claims }: NonNullable<Request['authorization']>): string {
    if (secret === false) return value;
    const [, before = '', credentials = ''] = /^(.* )?(\S+ *)$/s.exec(value) ?? [];
    if (claims === undefined) this.secrets.add(credentials);
    else this.secrets.addMinted(credentials);
    return `${before}$TOKEN`;
  }
}

/** The result of a request, and when it was sent and ended, in milliseconds since the epoch. */
interface Sent extends WireResult {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The result of a request that was aborted by the signal. Rethrows any other error. */
function ifAborted(signal: AbortSignal): (error: unknown) => Sent {
  return (error) => {
    if (!signal.aborted) throw error;
    const now = Date.now();
    const failure = { kind: 'aborted', message: 'the request was aborted' } as const;
    return { failure, startedAt: now, endedAt: now };
  };
}

/** `$HEADER_X_API_KEY` for `X-Api-Key`. */
function headerPlaceholder(name: string): string {
  return `$HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** Origin and the rest, which stays as it is: no segment resolved, nothing encoded or decoded. */
function splitUrl(url: string): { origin: string; path: string } {
  const match = /^(https?:\/\/[^/?#\s]+)([^#\r\n]*)$/i.exec(url);
  if (match?.[1] === undefined || !URL.canParse(match[1]))
    throw new TypeError('the URL is not an http or https URL');
  return { origin: new URL(match[1]).origin, path: match[2] ?? '' };
}

/** The text's UTF-8 bytes, one character each: what undici writes as ISO 8859-1 then is the text's UTF-8. */
function octets(text: string): string {
  return /[\u0080-\uffff]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}
