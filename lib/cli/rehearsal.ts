import { setImmediate as eventLoop } from 'node:timers/promises';
import type { RewriteUrl } from '../client/driver.ts';
import type { Authorization, Exchange, Request } from '../client/exchange.ts';
import { inProcessTransport } from '../client/in-process.ts';
import { ReceivedResponse } from '../client/received-response.ts';
import { Secrets } from '../client/secrets.ts';
import type { Operation, Scope } from '../contract/model.ts';
import { inProcessControl } from '../control/in-process-control.ts';
import type { Client, Fake } from '../fake/index.ts';
import { type ConnectedTarget, connectTarget } from '../runner/connect.ts';
import type { Check } from '../runner/requirement.ts';
import type { ResourceFlags } from '../runner/resources.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { decodeJwt, permittedScopes } from '../tokens/jwt.ts';
import type { Plan } from './plan.ts';

/** How a run is rehearsed. */
export interface RehearsalOptions {
  /** What the target was found to be able to do; where left out, what the options promise. */
  readonly known?: Pick<ConnectedTarget, 'capabilities' | 'resources'>;
  /** As the run itself will have them. */
  readonly suite: RunOptions;
  /** ResolvedOptions of every request, as it would be sent to the target. */
  readonly onRequest?: (request: Exchange['request']) => void;
  /** Looks at the target before anything is judged, as the run does. */
  readonly before?: (target: ConnectedTarget) => Promise<unknown>;
  readonly signal?: AbortSignal | undefined;
}

/** What a rehearsal came to. */
export interface Rehearsed {
  /** Requests that a server would have got which answers as the specification says. */
  readonly requests: number;
  readonly capabilities: ReadonlySet<string>;
}

/** Milliseconds after which a rehearsal lets the process see to signals and timers. */
const pauseEveryMs = 20;

/** What a rehearsal takes beside the program itself. */
export function loadRehearsal() {
  return Promise.all([
    import('../fake/index.ts'),
    import('../runner/runner.ts'),
    import('../../suites/index.ts'),
  ]);
}

/**
 * Goes through a run without the target: a fake of the same abilities answers in its place, and every request carries the
 * target's own address all the while. Nothing leaves this machine, no token is fetched, and no token command is run.
 */
export async function rehearse(plan: Plan, options: RehearsalOptions): Promise<Rehearsed> {
  const [{ startFake, override }, { runSuite }, { suite }] = await loadRehearsal();
  const { contract, ledger } = plan;
  const { signingKey, cloud = 'public' } = plan.target;
  /** Tokens that the fake takes for signed: nobody looks at them. */
  const unsigned = new Set<string>();
  const fake = await startFake({
    contract,
    cloud,
    rules: (rules) =>
      override(rules, 'token', ({ signatureHolds }) => ({
        signatureHolds: async (token, key, call) =>
          unsigned.has(token.text) || signatureHolds(token, key, call),
      })),
    control: isShown(options),
    ...(plan.target.baseUrl !== undefined && { clients: clientsOf(plan) }),
    ...(isKey(signingKey) && { trustedKeys: { keys: [signingKey] } }),
  });
  try {
    fake.seed(withResources(fake.dataSet, options.known?.resources ?? plan.target.resources ?? {}));
    const target = await connect(plan, fake, unsigned, options);
    try {
      await options.before?.(target);
      await runSuite(target, ledger, asking(suite), options.suite);
      return { requests: target.driver.requests, capabilities: target.capabilities };
    } finally {
      await target.close();
    }
  } finally {
    await fake.close();
  }
}

/** True where somebody looks at the requests: then those of the control protocol are made too. */
function isShown({ onRequest }: RehearsalOptions): boolean {
  return onRequest !== undefined;
}

/** The suite without what is judged over the exchanges of others, and asks nothing itself. */
function asking(suite: readonly Check[]): readonly Check[] {
  return suite.filter(({ kind }) => kind !== 'exchange');
}

/** @param unsigned told of the tokens that are not signed, for the fake to take them all the same */
async function connect(
  plan: Plan,
  fake: Fake,
  unsigned: Set<string>,
  options: RehearsalOptions,
): Promise<ConnectedTarget> {
  const { known, onRequest } = options;
  const {
    token,
    tokenCommand,
    signingKey,
    rate: _rate,
    ...given
  } = {
    ...plan.target,
    ...(plan.target.baseUrl === undefined && ownAccess(fake)),
  };
  const baseUrl = given.baseUrl ?? fake.url;
  const permitted = new Map<string, ReadonlySet<string>>();
  const divert = diversion(plan, fake, baseUrl);
  const rewriteUrl: RewriteUrl = (prepared) => {
    const { origin, path } = prepared.wire;
    onRequest?.(prepared.record);
    return divert(origin + path);
  };
  // No token command is run here, so the fake's own key signs what the command would issue.
  const mints = signingKey ?? (tokenCommand === undefined ? undefined : fake.signingKey);
  const target = await connectTarget({
    ...given,
    baseUrl,
    environment: {},
    timeout: 30_000,
    rewriteUrl,
    inProcess: inProcessTransport(fake, !isShown(options)),
    ...(given.control !== undefined && !isShown(options) && { control: inProcessControl(fake) }),
    ...(mints !== undefined && { signingKey: mints }),
    ...(token !== undefined && { token: await standIn(token, fake) }),
  });
  const capabilities = new Set(known?.capabilities ?? target.capabilities);
  // What the fake's key signs stands for tokens of chosen scopes, not for tokens of chosen claims.
  if (signingKey === undefined) capabilities.delete('mint');
  let pausedAt = performance.now();
  const { tokens } = target;
  const made = new WeakMap<object, Authorization>();
  /** What the signing key would sign, where nobody looks at it: signatures take their time to make and to verify. */
  const unsignedOf = (scopes: readonly Scope[]): Authorization | undefined => {
    if (tokens.minter === undefined || isShown(options)) return undefined;
    const claims = tokens.minter.claims(scopes);
    const known = made.get(claims);
    if (known !== undefined) return known;
    const authorization = { ...tokens.minter.unsigned(claims, 'EdDSA'), secret: false };
    unsigned.add(authorization.value.replace('Bearer ', ''));
    made.set(claims, authorization);
    return authorization;
  };
  return {
    ...target,
    capabilities,
    resources: known?.resources ?? target.resources,
    async send(request, sending) {
      // Nothing here waits for a socket: without a pause no Ctrl-C and no time limit would come through before the end.
      if (performance.now() - pausedAt > pauseEveryMs) {
        await eventLoop();
        pausedAt = performance.now();
      }
      const scopes = permitted.get(request.authorization?.value ?? '');
      if (scopes === undefined || !isForbidden(request.operation, scopes))
        return target.send(request, sending);
      onRequest?.(target.driver.preview(request));
      target.driver.requests++;
      return forbidden(request);
    },
    tokens: {
      ...tokens,
      minter: signingKey === undefined ? undefined : tokens.minter,
      async permitting(scopes) {
        const authorization = unsignedOf(scopes) ?? (await tokens.permitting(scopes));
        if (authorization === undefined || permitted.has(authorization.value)) return authorization;
        const names = authorization.claims && permittedScopes(authorization.claims);
        if (names !== undefined) permitted.set(authorization.value, names);
        return authorization;
      },
    },
  };
}

/** What the embedded fake is judged with. */
function ownAccess({ controlUrl: control, signingKey, clients: [client] }: Fake) {
  return {
    signingKey,
    ...(control !== undefined && { control }),
    ...(client && { clientId: client.client_id, clientSecret: client.client_secret }),
  };
}

/** What the fake would say to most of the scope matrix, without asking it: that is a quarter of all requests. */
function forbidden({ operation, method, target }: Request): Exchange {
  return {
    number: 0,
    operation: operation?.id,
    request: { method, url: target, headers: [], bodyBytes: 0, chunked: false },
    response: insufficientScope,
    failure: undefined,
    startedAt: 0,
    durationMs: 0,
  };
}

const insufficientScope = new ReceivedResponse(
  {
    status: 403,
    headers: [['content-type', 'application/json']],
    body: Buffer.from('{"statusCode":403,"error":"Forbidden","message":"Insufficient scope"}'),
  },
  new Secrets(),
);

function isForbidden(operation: Operation | undefined, scopes: ReadonlySet<string>): boolean {
  return operation?.scopes.some(({ name }) => !scopes.has(name)) === true;
}

/** Where on the fake a URL of the target leads. */
function diversion({ target, contract }: Plan, fake: Fake, baseUrl: string) {
  const origin = new URL(baseUrl).origin;
  const path = contract.tokenEndpoint?.path ?? '/oauth/token/';
  const tokenUrl = (target.tokenUrl ?? origin + path).replace(/\/$/, '');
  const { controlUrl = fake.origin } = fake;
  const placeOf = (from: string, to: string) => {
    const { origin, pathname } = new URL(to);
    return { from, origin, path: pathname === '/' ? '' : pathname };
  };
  const places = [
    placeOf(target.control ?? controlUrl, controlUrl),
    placeOf(tokenUrl, fake.origin + path.replace(/\/$/, '')),
    placeOf(baseUrl, fake.url),
    placeOf(origin, fake.origin),
  ];
  return (url: string) => {
    const place = places.find(({ from }) => url.startsWith(from)) ?? placeOf(url, `${fake.origin}/elsewhere`);
    return { origin: place.origin, path: place.path + url.slice(place.from.length) || '/' };
  };
}

function isKey(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The run's clients, as the fake is to know them: with every scope where theirs are not known. */
function clientsOf({ target, contract }: Plan): Client[] {
  const every = contract.scopes.map(({ name }) => name);
  const { clientId, clientSecret, clients = [] } = target;
  const own =
    clientId === undefined || clientSecret === undefined ? [] : [{ id: clientId, secret: clientSecret }];
  const all: { id: string; secret: string; scopes?: readonly string[] }[] = [...own, ...clients];
  return all.map(({ id, secret, scopes = every }) => ({
    client_id: id,
    client_secret: secret,
    scopes: [...scopes],
  }));
}

/** A token of the fake that permits what the user's does. */
function standIn(token: string, fake: Fake): Promise<string> {
  const decoded = decodeJwt(token);
  const scopes = decoded && permittedScopes(decoded.claims);
  return fake.token(scopes === undefined ? {} : { scopes: [...scopes] });
}

/** The data with these in place of its own, of each kind that is named. */
function withResources(
  data: Fake['dataSet'],
  { actions, rateLimitPolicies, selfServiceProfiles }: ResourceFlags,
) {
  return {
    ...data,
    actions: like(
      data.actions,
      actions,
      ({ action }) => action.id,
      ({ action, versions }, id) => ({
        action: { ...action, id },
        versions: versions.map((version) => ({ ...version, action_id: id })),
      }),
    ),
    rate_limit_policies: like(data.rate_limit_policies, rateLimitPolicies, idOf, (policy, id) => ({
      ...policy,
      id,
    })),
    self_service_profiles: like(data.self_service_profiles, selfServiceProfiles, idOf, (profile, id) => ({
      ...profile,
      id,
    })),
  };
}

const idOf = ({ id }: { readonly id: string }): string => id;

/** For each id its own item, or one like the first. */
function like<Item>(
  items: readonly Item[],
  ids: readonly string[] = [],
  idOf: (item: Item) => string,
  make: (item: Item, id: string) => Item,
): readonly Item[] {
  const [first] = items;
  if (first === undefined || ids.length === 0) return items;
  return ids.map((id) => items.find((item) => idOf(item) === id) ?? make(first, id));
}
