import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JWK } from 'jose';
import type { DataSet } from '../contract/data-set.ts';
import { mapValues } from '../contract/json.ts';
import { loadContract } from '../contract/load.ts';
import type { Cloud, Contract } from '../contract/model.ts';
import { createCertificate } from './certificate.ts';
import { CheckpointCodec } from './checkpoint.ts';
import { type Clock, createClock } from './clock.ts';
import { serveControl } from './control.ts';
import type { PlannedFailure, PlannedFailures } from './failures.ts';
import { fetchFrom } from './in-process.ts';
import { signToken, tokenClaims } from './issue.ts';
import { createSigningKey, type KeySet, trustKey } from './keys.ts';
import { limitRate, type RateLimit } from './limiter.ts';
import { checkOptions, checkScopes } from './options.ts';
import { type RecordedRequest, RequestLog } from './requests.ts';
import { basePath } from './routes.ts';
import { type Client, conformingRules, type RulesOverride } from './rules.ts';
import { type ListeningFake, serveFake } from './server.ts';
import { createService, type Service } from './service.ts';
import { ownAudience, type State, seed } from './state.ts';
import { createTenant, dataSetOf, type LogEntry, type PhoneTemplates } from './tenant.ts';

export interface FakeOptions {
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: a free port. */
  readonly port?: number;
  /** True serves `https:` with a certificate for localhost that is created at the start. Default off. */
  readonly tls?: boolean;
  /** Serves the control protocol too, on its own port (a free one unless given). Default off. */
  readonly control?: boolean | { readonly port: number };
  /** Further keys whose tokens are accepted, in addition to the fake's own (JWKS; private parts are ignored). */
  readonly trustedKeys?: KeySet;
  /** Clients of the token endpoint. Default: one client with every scope and a random secret. */
  readonly clients?: readonly Client[];
  /** The tenant's data, which is copied; missing parts are empty. Default: `fixtures/tenant.json`. */
  readonly dataSet?: Partial<DataSet>;
  /** Default `public`. */
  readonly cloud?: Cloud;
  /** Milliseconds before each response. Default 0. */
  readonly latency?: number;
  /** The contract to serve. Default: the shipped one. */
  readonly contract?: Contract;
  /** Faults (or their names) and changes of the rules, applied in this order. */
  readonly rules?: RulesChange | readonly RulesChange[];
  /** Responds with 429 to requests beyond this rate, by the fake's clock. Default off. */
  readonly rateLimit?: RateLimit;
  /** `Date` follows `Date.now()`, and therefore fake timers; `own` (the default) is not affected by them. */
  readonly clock?: 'own' | 'Date';
  /** A further audience that is accepted in tokens and in token requests: `https://api.example/`. */
  readonly audience?: string;
}

/** A running fake. */
export interface Fake extends ListeningFake {
  /** The base URL: `http://127.0.0.1:4711/api/v2`, or `https://…` with the option `tls`. */
  readonly url: string;
  /** With the option `tls`, the certificate that a client must trust, in PEM. */
  readonly certificate: string | undefined;
  /** The URL of the control protocol, if it is served. */
  readonly controlUrl: string | undefined;
  /** The fake's own public key, as a JWKS. */
  readonly jwks: { readonly keys: readonly JWK[] };
  /** The private key that the fake signs with, so that a test can mint tokens. */
  readonly signingKey: JWK;
  readonly clients: readonly Client[];
  readonly clock: Clock;
  /** The tenant's log entries since the last seed, oldest first. */
  readonly logs: readonly LogEntry[];
  /** The last 1,000 requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** The tenant's current data. */
  readonly dataSet: DataSet;
  /**
   * Creates a token that is valid now. Default: all scopes that the contract's operations need, for 24 hours.
   * @throws TypeError for options that it does not have and scopes that the contract does not have
   */
  token(options?: TokenOptions): Promise<string>;
  /** Replaces all data, as `PUT /tenant` does. Missing parts are empty. @throws DataSetError */
  seed(dataSet: Partial<DataSet>): void;
  /**
   * Applies these faults or variants (or their names) or changes of the rules, in place of those of an earlier `use`.
   * Without arguments, only those of `startFake({ rules })` apply.
   * @throws TypeError for a name that no fault or variant has
   */
  use(...changes: readonly RulesChange[]): void;
  /** Makes the next requests fail. @throws TypeError for options that can't be used */
  failNext(failure?: PlannedFailure): void;
  /**
   * The first request, already recorded or still to come, for which the predicate is true.
   * Rejects after `timeout` milliseconds (default 5000).
   */
  waitForRequest(
    predicate: (request: RecordedRequest) => boolean,
    options?: { readonly timeout?: number },
  ): Promise<RecordedRequest>;
  /** Empties `requests`. */
  clear(): void;
  /** Resets data, logs, requests and clock, ends `use` and removes planned failures. Earlier checkpoints become invalid. */
  reset(): void;
  /**
   * `fetch` to the fake without sockets: a Request in, a Response out. The host of the URL does not matter; a relative URL
   * is resolved against the fake's origin. Rejects once the fake is closed.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A fault or a variant. */
export interface NamedOverride {
  readonly name?: string;
  readonly rules: RulesOverride;
}

/** A change of the rules: an override, a fault or a variant, or the name of one. */
export type RulesChange = RulesOverride | NamedOverride | string;

export interface TokenOptions {
  readonly scopes?: readonly string[];
  /** Lifetime in seconds; negative for an expired token. */
  readonly expiresIn?: number;
  /** Claims to add or override. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

const tenantFile = new URL('../../fixtures/tenant.json', import.meta.url);

/**
 * Starts a fake of the whole service.
 * @param catalogue the overrides that `use` knows by name
 * @param wrapped wraps the service that handles the requests
 * @throws TypeError for options that can't be used, DataSetError for a data set that it can't store
 */
export async function startFake(
  options: FakeOptions = {},
  catalogue: readonly NamedOverride[] = [],
  wrapped: (service: Service) => Service = (service) => service,
): Promise<Fake> {
  checkOptions('startFake()', options);
  const { host = '127.0.0.1', port = 0, tls = false, control = false, latency = 0 } = options;
  const contract = options.contract ?? (await loadContract());
  const secret = randomBytes(24).toString('base64url');
  const every = contract.scopes.map(({ name }) => name);
  const clients = options.clients ?? [{ client_id: 'fake-client', client_secret: secret, scopes: every }];
  for (const { scopes } of clients) checkScopes('startFake(): clients', scopes, contract);
  const dataSet: unknown = options.dataSet ?? JSON.parse(readFileSync(tenantFile, 'utf8'));
  const { cloud = 'public', audience, trustedKeys } = options;
  const signingKey = await createSigningKey();
  const defaultTemplates = messageDefaults(contract);
  const state: State = {
    contract,
    cloud,
    clock: createClock(options.clock),
    signingKey,
    keys: await Promise.all([signingKey.publicJwk, ...(trustedKeys?.keys ?? [])].map(trustKey)),
    clients,
    codec: new CheckpointCodec(),
    verified: new Map(),
    defaultTemplates,
    audiences: audience === undefined ? [] : [audience],
    tenant: createTenant(dataSet, 1, defaultTemplates),
    log: [],
    rules: conformingRules(contract),
  };
  const overridesOf = (changes: readonly RulesChange[]) => changes.map((each) => overrideOf(each, catalogue));
  const fixed = overridesOf([options.rules ?? []].flat());
  if (options.rateLimit) fixed.unshift(limitRate(options.rateLimit));
  const use: Fake['use'] = (...changes) => {
    state.rules = [...fixed, ...overridesOf(changes)].reduce(
      (rules, apply) => apply(rules),
      conformingRules(contract),
    );
    state.verified.clear();
  };
  use();

  const requests = new RequestLog();
  const failures: PlannedFailures = new Map();
  const endpoints = ['token', ...contract.operations.map(({ id }) => id)];
  const certificate = tls ? await createCertificate(host) : undefined;
  const service = wrapped(createService(state));
  const server = await serveFake(state, service, requests, failures, { host, port, latency }, certificate);
  const controller = control
    ? await serveControl(state, { host, port: control === true ? 0 : control.port }).catch(async (error) => {
        await server.close();
        throw error;
      })
    : undefined;
  const needed = [...new Set(contract.operations.flatMap(({ scopes }) => scopes.map(({ name }) => name)))];
  const { origin } = server;
  const close = async (): Promise<void> => {
    await Promise.all([server.close(), controller?.close()]);
  };
  return {
    ...server,
    url: `${origin}${basePath}`,
    certificate: certificate?.cert,
    controlUrl: controller?.origin,
    jwks: { keys: [signingKey.publicJwk] },
    signingKey: signingKey.privateJwk,
    clients,
    clock: state.clock,
    get logs() {
      return state.log;
    },
    get requests() {
      return requests.list();
    },
    get dataSet() {
      return dataSetOf(state.tenant);
    },
    async token(wanted = {}) {
      checkOptions('token()', wanted);
      const { scopes = needed, expiresIn = 86_400, claims } = wanted;
      checkScopes('token()', scopes, contract);
      const usual = tokenClaims('test', scopes, expiresIn, {
        now: state.clock.now(),
        origin,
        audience: ownAudience(contract),
      });
      return signToken({ ...usual, ...claims }, signingKey);
    },
    seed: (data) => seed(state, data),
    use,
    failNext(failure = {}) {
      checkOptions('failNext()', failure);
      const { operation } = failure;
      if (operation !== undefined && !endpoints.includes(operation))
        throw new TypeError(`failNext(): unknown operation ${operation}; known: ${endpoints.join(', ')}`);
      failures.set({ ...failure }, failure.times ?? 1);
    },
    async waitForRequest(predicate, wanted = {}) {
      checkOptions('waitForRequest()', wanted);
      if (typeof predicate !== 'function')
        throw new TypeError('waitForRequest(): the predicate must be a function');
      return requests.find(predicate, wanted.timeout ?? 5000);
    },
    clear: () => requests.clear(),
    reset() {
      seed(state, dataSet);
      state.clock.move(0);
      requests.clear();
      failures.clear();
      use();
    },
    fetch: fetchFrom(server.handle, origin),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function overrideOf(change: RulesChange, catalogue: readonly NamedOverride[]): RulesOverride {
  if (typeof change === 'function') return change;
  const found = typeof change === 'string' ? catalogue.find(({ name }) => name === change) : change;
  if (typeof found?.rules === 'function') return found.rules;
  throw new TypeError(`${JSON.stringify(change)} is not a fault, the name of one, or a change of the rules`);
}

/** The default messages (§2.1), by field. */
function messageDefaults(contract: Contract): PhoneTemplates {
  const properties = contract.component('TemplateMessages')?.properties ?? {};
  return mapValues(properties, (schema) => String(contract.resolve(schema).default ?? ''));
}
