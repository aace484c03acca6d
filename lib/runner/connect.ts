import { Driver, type DriverOptions, type SendOptions } from '../client/driver.ts';
import type { Exchange, Request } from '../client/exchange.ts';
import { type Resources, resourceKinds, resourcesOf } from '../contract/data-set.ts';
import { type Cloud, type Contract, safeMethods } from '../contract/model.ts';
import { type Control, connectControl, type Logs } from '../control/control.ts';
import { type LogEndpoint, tenantLogs } from '../control/tenant-logs.ts';
import { withoutLastSlash } from '../tokens/client-credentials.ts';
import { Clock } from '../tokens/clock.ts';
import type { KnownClient, TokensOptions } from '../tokens/token-source.ts';
import { createTokens, type Tokens } from '../tokens/tokens.ts';
import { type Capability, capabilities } from './capabilities.ts';

/** How to reach a target. Certificates and keys are PEM texts, not file names. */
export interface TargetOptions
  extends DriverOptions,
    Omit<TokensOptions, 'driver' | 'clock' | 'clients' | 'audience'> {
  readonly contract: Contract;
  /** Default: public. */
  readonly cloud?: Cloud;
  /** URL of the control protocol; for a server in the same process, a function that makes its replacement. */
  readonly control?: string | ((clock: Clock) => Control);
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Default: the contract's token endpoint on the base URL's host. */
  readonly tokenUrl?: string;
  /** Further clients, with the scopes that they are known to have. */
  readonly clients?: readonly Pick<KnownClient, 'client_id' | 'client_secret' | 'scopes'>[];
  /** Default: the contract's, else `/api/v2/`. */
  readonly audience?: string;
  /** The endpoint of the tenant's own logs. */
  readonly logs?: LogEndpoint;
  /** True if checkpoints of an earlier run are available. */
  readonly hasSavedCheckpoints?: boolean;
  /** Ids from flags or the profile. */
  readonly resources?: Partial<Resources>;
  readonly readOnly?: boolean;
}

/** The server under test, and everything needed to reach it. */
export type Target = Awaited<ReturnType<typeof connectTarget>>;

/**
 * Prepares requests to the target. Sends requests only to the control endpoint, if there is one.
 * @throws TypeError for invalid options, ControlError if the control endpoint does not follow its protocol
 */
export async function connectTarget(options: TargetOptions) {
  const { contract } = options;
  const readOnly = options.readOnly ?? false;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const clock = new Clock();
  const driver = new Driver({ ...options, baseUrl });
  try {
    const audience = options.audience ?? contract.tokenEndpoint?.audience ?? '/api/v2/';
    const clients = knownClients(options, baseUrl, audience);
    // Default `iss` claim of minted tokens: the origin of the target.
    const issuer = options.issuer ?? `${new URL(baseUrl).origin}/`;
    const tokens = await createTokens({ ...options, issuer, clients, audience, driver, clock });
    const given = options.control;
    const control =
      typeof given === 'string' ? await connectControl(given, { driver, clock }, readOnly) : given?.(clock);
    const resources = await findResources(options.resources ?? {}, control);
    const tokenUrls = new Set(clients.flatMap(({ tokenUrl }) => [tokenUrl, withoutLastSlash(tokenUrl)]));
    const cloud: Cloud = options.cloud ?? 'public';
    const ownLogs: Logs | undefined = options.logs && tenantLogs(options.logs, { driver, tokens, contract });
    return {
      contract,
      /** Without a trailing slash. */
      baseUrl,
      cloud,
      capabilities: findCapabilities(options, control, resources, tokens),
      tokens,
      /** The client whose credentials the token requirements use. */
      client: clients[0],
      control,
      /** The tenant's logs, from the control protocol, which exists for this purpose, or the tenant's own endpoint. */
      logs: control?.supports.has('logs') ? control : ownLogs,
      resources,
      /** Sends requests out of band, and knows the secrets of the run. */
      driver,
      /** The target's time, which moves with `control.moveClock`. */
      clock,
      /**
       * Sends one request. Never throws because of the target: a broken connection is an exchange with a `failure`. Rejects once
       * the signal is aborted.
       */
      async send(request: Request, sending?: SendOptions): Promise<Exchange> {
        const harmless = safeMethods.has(request.method) || tokenUrls.has(request.url ?? '');
        if (readOnly && !harmless)
          throw new Error(`${request.method} ${request.target} is not sent with --read-only`);
        return driver.send(request, sending);
      },
      /** Closes all sockets. */
      close: () => driver.close(),
    };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** The client from the flags, then those from the profile. */
function knownClients(options: TargetOptions, baseUrl: string, audience: string): KnownClient[] {
  const path = options.contract.tokenEndpoint?.path;
  const tokenUrl = options.tokenUrl ?? (path === undefined ? undefined : new URL(baseUrl).origin + path);
  const { clientId, clientSecret, clients = [] } = options;
  const own =
    clientId !== undefined && clientSecret !== undefined
      ? [{ client_id: clientId, client_secret: clientSecret }]
      : [];
  return [...own, ...clients].map((client) => {
    if (tokenUrl !== undefined) return { ...client, tokenUrl, audience };
    throw new TypeError('the contract names no token endpoint, so a client needs --token-url');
  });
}

/**
 * The ids of each kind that requests may name: the given ones, else those in the tenant if it can be inspected. A policy
 * that no option names may only be deleted if the data can be restored. Throws ControlError.
 */
async function findResources(given: Partial<Resources>, control: Control | undefined): Promise<Resources> {
  const { action = [], rate_limit_policy = [], self_service_profile = [] } = given;
  const named = { action, rate_limit_policy, self_service_profile };
  if (resourceKinds.every((kind) => named[kind].length > 0) || !control?.supports.has('inspect'))
    return named;
  const found = resourcesOf(await control.inspect());
  const restorable = control.supports.has('seed');
  const known = (kind: keyof Resources) => (named[kind].length > 0 ? named[kind] : found[kind]);
  return {
    action: known('action'),
    rate_limit_policy: restorable ? known('rate_limit_policy') : rate_limit_policy,
    self_service_profile: known('self_service_profile'),
  };
}

function findCapabilities(
  options: TargetOptions,
  control: Control | undefined,
  resources: Resources,
  tokens: Tokens,
): ReadonlySet<Capability> {
  const tokenCapabilities: ReadonlySet<string> = tokens.capabilities;
  const write = options.readOnly !== true;
  const seed = write && control?.supports.has('seed') === true;
  const clock = write && control?.supports.has('clock') === true;
  const has: Readonly<Partial<Record<Capability, boolean>>> = {
    seed,
    inspect: control?.supports.has('inspect') === true,
    data: seed || control?.supports.has('inspect') === true,
    clock,
    checkpoint_age: clock || options.hasSavedCheckpoints === true,
    logs: control?.supports.has('logs') === true || options.logs !== undefined,
    write,
    action: seed || resources.action.length > 0,
    rate_limit_policy: write && (seed || resources.rate_limit_policy.length > 0),
    self_service_profile: seed || resources.self_service_profile.length > 0,
  };
  return new Set(capabilities.filter((name) => has[name] || tokenCapabilities.has(name)));
}
