import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { JWK } from 'jose';
import { loadContract } from '../contract/load.ts';
import type { Cloud, Contract } from '../contract/model.ts';
import { createCheckpointCodec } from './checkpoint.ts';
import { type Clock, createClock } from './clock.ts';
import { conformingRules } from './conforming.ts';
import type { DirectAnswer, DirectRequest } from './direct.ts';
import type { Listening } from './http.ts';
import { signToken, tokenClaims } from './issue.ts';
import { copyOf } from './json.ts';
import { createSigningKey, type KeySet, trustKey } from './keys.ts';
import { limitRate, type RateLimit } from './limiter.ts';
import type { LogEntry } from './log.ts';
import { pageChoice } from './pages.ts';
import { createRequestLog, type RecordedRequest } from './requests.ts';
import { basePath } from './routes.ts';
import type { Client, RulesOverride } from './rules.ts';
import { serveFake } from './server.ts';
import { type State, seed } from './state.ts';
import { createTenant, type DataSet, dataSetOf, type TenantDefaults } from './tenant.ts';
import { createTokenVerifier } from './verify.ts';

export interface FakeOptions {
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Serves the control protocol too, on a port of its own (free unless told). Default off. */
  readonly control?: boolean | { readonly port: number };
  /** Keys whose tokens are accepted beside the fake's own (JWKS; private parts are ignored). */
  readonly trustedKeys?: KeySet;
  /** Clients of the token endpoint. Default: one with every scope and a secret of its own. */
  readonly clients?: readonly Client[];
  /** What the tenant holds. Default: `fixtures/tenant.json`. Copied. */
  readonly dataSet?: DataSet;
  /** Default `public`. */
  readonly cloud?: Cloud;
  /** Milliseconds before each answer. Default 0. */
  readonly latency?: number;
  /** The contract that is served. Default: the shipped one. */
  readonly contract?: Contract;
  /** Changes of the rules, in this order. */
  readonly rules?: RulesOverride | readonly RulesOverride[];
  /** Answers 429 beyond this rate. Default off. */
  readonly rateLimit?: RateLimit;
}

/** A running fake. */
export interface Fake {
  /** The base URL: `http://127.0.0.1:4711/api/v2`. */
  readonly url: string;
  /** The tenant host: `http://127.0.0.1:4711`. */
  readonly origin: string;
  /** Where the control protocol is served, if it is. */
  readonly controlUrl: string | undefined;
  /** The fake's own public key, as a JWKS. */
  readonly jwks: { readonly keys: readonly JWK[] };
  /** The private key that the fake signs with, so that a test can mint. */
  readonly signingKey: JWK;
  readonly clients: readonly Client[];
  readonly clock: Clock;
  /** The tenant's log entries since the last seed, oldest first. */
  readonly logs: readonly LogEntry[];
  /** The last 1,000 requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** What the tenant holds now. */
  readonly dataSet: Required<DataSet>;
  /** A token that is valid now. Default: all scopes that the contract's operations need, for 24 hours. */
  token(options?: TokenOptions): Promise<string>;
  /** Replaces all data, as `PUT /tenant` does. @throws DataSetError */
  seed(dataSet: DataSet): void;
  /** From now on these changes of the rules hold, in place of all earlier ones; none puts the rules back. */
  use(...overrides: readonly RulesOverride[]): void;
  /**
   * A connection to it without a socket, for HTTP clients that let their connections be made: `fakeDispatcher` for undici
   * and `fetch`, `createConnection` for `node:http`. Throws once the fake is closed.
   */
  connect(): Duplex;
  /**
   * Answers one request without HTTP in between, for thousands of runs in one process; undefined where the connection would have
   * been closed without an answer. Rejects once the fake is closed.
   */
  handle(request: DirectRequest): Promise<DirectAnswer | undefined>;
  /** Ends every connection; no handle is left. */
  close(): Promise<void>;
}

export interface TokenOptions {
  readonly scopes?: readonly string[];
  /** Seconds; negative for a token that has expired. */
  readonly expiresIn?: number;
  /** Claims that go over the usual ones. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

const tenantFile = fileURLToPath(new URL('../../fixtures/tenant.json', import.meta.url));

/**
 * The shipped contract, read once for all fakes of the process: it is never changed. Read with the module, because that
 * takes longer than all the rest of a start.
 */
const shippedContract = loadContract();
// A contract that can't be read is told to whoever starts a fake with it.
shippedContract.catch(() => {});

/** The key of the process's first fake, made meanwhile: the first key of a process takes ten times as long as the others. */
const spareKeys = [createSigningKey()];
for (const key of spareKeys) key.catch(() => {});

/**
 * Starts a fake of the whole service.
 * @throws DataSetError for a data set that it can't hold
 */
export async function startFake(options: FakeOptions = {}): Promise<Fake> {
  const { host = '127.0.0.1', port = 0, control = false, cloud = 'public', latency = 0 } = options;
  const contract = options.contract ?? (await shippedContract);
  const state = await createState(contract, cloud, options);
  const fixed = options.rateLimit ? [limitRate(options.rateLimit)] : [];
  const use = (...overrides: readonly RulesOverride[]): void => {
    state.rules = [...fixed, ...overrides].reduce(
      (rules, change) => change(rules),
      conformingRules(contract),
    );
    state.verifier.forget();
  };
  use(...[options.rules ?? []].flat());

  const requests = createRequestLog();
  const server = await serveFake(state, requests, { host, port, latency });
  const controller = control === false ? undefined : await startControl(state, host, control);
  const needed = contract.operations.flatMap(({ scopes }) => scopes.map(({ name }) => name));
  return {
    url: `${server.origin}${basePath}`,
    origin: server.origin,
    controlUrl: controller?.origin,
    jwks: { keys: [state.signingKey.publicJwk] },
    signingKey: state.signingKey.privateJwk,
    clients: state.clients,
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
    token({ scopes = [...new Set(needed)], expiresIn = 86_400, claims } = {}) {
      const audience = contract.tokenEndpoint?.audience ?? `${basePath}/`;
      const usual = tokenClaims('test', scopes, expiresIn, {
        now: state.clock.now(),
        origin: server.origin,
        audience,
      });
      return signToken({ ...usual, ...claims }, state.signingKey);
    },
    seed: (dataSet) => seed(state, copyOf(dataSet)),
    use,
    connect: () => server.connect(),
    handle: (request) => server.handle(request),
    async close() {
      await Promise.all([server.close(), controller?.close()]);
    },
  };
}

/** The control protocol, with the framework that serves it, is loaded only where somebody asks for it. */
async function startControl(
  state: State,
  host: string,
  control: true | { port: number },
): Promise<Listening> {
  const { serveControl } = await import('./control.ts');
  return serveControl(state, { host, port: control === true ? 0 : control.port });
}

async function createState(contract: Contract, cloud: Cloud, options: FakeOptions): Promise<State> {
  const signingKey = await (spareKeys.pop() ?? createSigningKey());
  const trusted = [signingKey.publicJwk, ...(options.trustedKeys?.keys ?? [])];
  const keys = await Promise.all(trusted.map(trustKey));
  const defaults = tenantDefaults(contract);
  const dataSet: unknown = options.dataSet
    ? copyOf(options.dataSet)
    : JSON.parse(readFileSync(tenantFile, 'utf8'));
  return {
    contract,
    cloud,
    clock: createClock(),
    signingKey,
    keys,
    clients: options.clients ?? [ownClient(contract)],
    codec: createCheckpointCodec(),
    verifier: createTokenVerifier(keys),
    defaults,
    tenant: createTenant(dataSet, 1, defaults),
    log: [],
    rules: conformingRules(contract),
  };
}

function ownClient({ scopes }: Contract): Client {
  return {
    client_id: 'fake-client',
    client_secret: randomBytes(24).toString('base64url'),
    scopes: scopes.map(({ name }) => name),
  };
}

/** What the contract says of the data that a tenant starts with. */
function tenantDefaults(contract: Contract): TenantDefaults {
  const properties = contract.component('TemplateMessages')?.properties ?? {};
  const templates = Object.entries(properties).map(([name, schema]): [string, string] => [
    name,
    String(contract.resolve(schema).default ?? ''),
  ]);
  const listing = contract.operations.find(({ id }) => id === 'listExperiments');
  const status = listing?.parameters.find(({ name }) => name === 'status');
  return {
    templates: Object.fromEntries(templates),
    statuses: status?.schema.enum ?? [],
    filters: listing?.parameters.map(({ name }) => name).filter((name) => !pageChoice.includes(name)) ?? [],
  };
}
