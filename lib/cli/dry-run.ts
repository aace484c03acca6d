import type { Exchange } from '../client/exchange.ts';
import { parseDataSet, type Resources, resourceKinds, resourcesOf } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import { type Client, type DataSet, type Fake, startFake } from '../fake/index.ts';
import { count } from '../report/text.ts';
import { connectTarget, type Target } from '../runner/connect.ts';
import { runSuite } from '../runner/runner.ts';
import { decodeJwt, permittedScopes } from '../tokens/jwt.ts';
import { createPlan, type Plan } from './plan.ts';
import { preflight } from './preflight.ts';
import type { ResolvedOptions } from './settings.ts';
import { suiteOptions } from './suite-options.ts';

/**
 * Prints every request that a run would send, with the target's address, and sends none, neither to the target nor to its control or
 * token endpoint: a fake in this process responds in their place. No token command is run.
 */
export async function dryRunCommand(resolved: ResolvedOptions): Promise<number> {
  const write = (text: string) => process.stdout.write(text);
  const plan = await createPlan(resolved);
  const { contract, ledger, suite } = plan;
  const { signingKey, cloud = 'public', resources = {} } = plan.target;
  const fake = await startFake({
    contract,
    cloud,
    control: true,
    ...(plan.target.baseUrl !== undefined && { clients: clientsOf(plan) }),
    ...(isObject(signingKey) && { trustedKeys: { keys: [signingKey] } }),
  });
  let printed = 0;
  try {
    fake.seed(withGivenIds(fake.dataSet, resources));
    const target = await connect(plan, fake, (request) => {
      printed += 1;
      write(printable(request));
    });
    try {
      if (plan.target.baseUrl !== undefined) await preflight(target, plan, 0);
      await runSuite(target, ledger, suite, suiteOptions(plan, target.capabilities.has('seed')));
    } finally {
      await target.close();
    }
    const { requests } = target.driver;
    write(
      `A run would send ${count(printed)} requests; none was sent. ${count(requests)} judge requirements; the other ${count(printed - requests)} go to the token and control endpoints or belong to the preflight.
Later requests depend on earlier responses; these come from a conforming fake with the shipped data set.
`,
    );
    return 0;
  } finally {
    await fake.close();
  }
}

/** The target of the run, whose requests all go to the fake. */
async function connect(
  plan: Plan,
  fake: Fake,
  onRequest: (request: Exchange['request']) => void,
): Promise<Target> {
  const { token, tokenCommand, rate: _rate, ...given } = { ...plan.target, ...embeddedAccess(plan, fake) };
  const baseUrl = given.baseUrl ?? fake.url;
  const rewrite = urlRewriter(plan, fake, baseUrl);
  // The fake's key signs what a token command would issue.
  const signingKey = given.signingKey ?? (tokenCommand === undefined ? undefined : fake.signingKey);
  const target = await connectTarget({
    ...given,
    baseUrl,
    environment: {},
    inProcess: fake,
    rewriteUrl: ({ wire, record }) => {
      onRequest(record);
      return rewrite(wire.origin + wire.path);
    },
    ...(signingKey !== undefined && { signingKey }),
    ...(token !== undefined && { token: await equivalentToken(token, fake) }),
  });
  if (given.signingKey !== undefined) return target;
  // Such tokens have chosen scopes, but not chosen claims.
  const capabilities = new Set([...target.capabilities].filter((each) => each !== 'mint'));
  return { ...target, capabilities, tokens: { ...target.tokens, minter: undefined } };
}

/** Connection settings of the embedded fake, for runs without a target. */
function embeddedAccess({ target }: Plan, { controlUrl, signingKey, clients: [client] }: Fake) {
  if (target.baseUrl !== undefined) return {};
  return {
    signingKey,
    ...(controlUrl !== undefined && { control: controlUrl }),
    ...(client && { clientId: client.client_id, clientSecret: client.client_secret }),
  };
}

/** The fake's URL for a URL of the target. */
function urlRewriter({ target, contract }: Plan, fake: Fake, baseUrl: string) {
  const { origin } = new URL(baseUrl);
  const tokenPath = contract.tokenEndpoint?.path ?? '/oauth/token/';
  const { controlUrl = fake.origin } = fake;
  const places: readonly (readonly [from: string, to: string])[] = [
    [target.control ?? controlUrl, controlUrl],
    [(target.tokenUrl ?? origin + tokenPath).replace(/\/$/, ''), fake.origin + tokenPath.replace(/\/$/, '')],
    [baseUrl, fake.url],
    [origin, fake.origin],
  ];
  return (url: string) => {
    const [from, to] = places.find(([start]) => url.startsWith(start)) ?? [url, `${fake.origin}/elsewhere`];
    const { origin, pathname } = new URL(to);
    return { origin, path: pathname.replace(/\/$/, '') + url.slice(from.length) || '/' };
  };
}

/** The run's clients for the fake, with every scope if theirs are unknown. */
function clientsOf({ target, contract }: Plan): Client[] {
  const every = contract.scopes.map(({ name }) => name);
  const { clientId: client_id, clientSecret: client_secret, clients = [] } = target;
  const own = client_id === undefined || client_secret === undefined ? [] : [{ client_id, client_secret }];
  return [...own, ...clients].map((client) => ({ scopes: every, ...client }));
}

/** A token of the fake that permits what the given one does. */
function equivalentToken(token: string, fake: Fake): Promise<string> {
  const decoded = decodeJwt(token);
  const scopes = decoded && permittedScopes(decoded.claims);
  return fake.token(scopes === undefined ? {} : { scopes: [...scopes] });
}

/** The data set with its first ids replaced by the given ones. */
function withGivenIds(data: DataSet, named: Partial<Resources>): DataSet {
  const owned = resourcesOf(data);
  let text = JSON.stringify(data);
  for (const kind of resourceKinds) {
    const own = owned[kind];
    for (const [index, id] of (named[kind] ?? []).entries())
      if (own[index] !== undefined && !own.includes(id))
        text = text.replaceAll(JSON.stringify(own[index]), () => JSON.stringify(id));
  }
  return parseDataSet(JSON.parse(text));
}

/** `GET https://…`, the header fields below it, and the size of the body. */
function printable({ method, url, headers, bodyBytes, chunked }: Exchange['request']): string {
  const size = `    (body of ${count(bodyBytes)} bytes${chunked ? ', in chunks' : ''})`;
  const fields = headers.map(([name, value]) => `    ${name}: ${value}`);
  return [`${method} ${url}`, ...fields, ...(bodyBytes === 0 ? [] : [size]), ''].join('\n');
}
