import { canCall, minimalInput } from '../arbitraries/input.ts';
import type { Authorization } from '../client/exchange.ts';
import { present } from '../contract/json.ts';
import { type Operation, safeMethods } from '../contract/model.ts';
import { TerminalText } from '../report/terminal-text.ts';
import { count, visible } from '../report/text.ts';
import { targetOf } from '../runner/call.ts';
import type { ConnectedTarget } from '../runner/connect.ts';
import { unmetNeeds } from '../runner/needs.ts';
import {
  explainFailure,
  explainIntermediary,
  explainOutage,
  explainSkew,
  isForeign,
  notFound,
  type Probe,
} from './diagnosis.ts';
import type { Plan } from './plan.ts';
import { oneLine } from './usage.ts';

/**
 * Looks at the target before the run: does it answer, does it accept the credentials, is it the service at all? Only reads; its
 * requests are neither counted nor recorded.
 * @param requests about how many the run will send
 * @returns the screen that is printed before the run; fatal: why nothing can be judged, with the remedy
 */
export async function preflight(target: ConnectedTarget, plan: Plan, requests: number) {
  const page = new TerminalText({ columns: process.stderr.columns });
  const fact = (what: string, text: string) =>
    page.hang(`  ${what.padEnd(12)} `, visible(target.scrub(text)));
  page.heading(`target ${target.baseUrl}`);
  const obstacle = await findObstacle(target, plan, fact);
  const fatal = obstacle && target.scrub(obstacle);
  if (fatal === undefined) {
    fact('requests', `about ${count(requests)}`);
    const changes = plannedChanges(target, plan);
    if (changes.length > 0) page.heading('  This run will change the target:');
    for (const change of changes) page.hang('  - ', visible(change));
  } else {
    page.line();
    page.hang('', visible(fatal));
  }
  return { screen: page.text(), fatal };
}

/** Why nothing can be judged, with the remedy: one paragraph. @param fact prints a row of the screen */
async function findObstacle(
  target: ConnectedTarget,
  plan: Plan,
  fact: (what: string, text: string) => void,
): Promise<string | undefined> {
  const operations = probedOperations(target);
  const [listing, ...others] = operations;
  const first = await probe(target, listing);
  if (first.response === undefined) return explainFailure(first);
  fact('reachable', `yes (${first.response.status} without a token)`);
  const credentials = await tryCredentials(target, operations);
  fact('credentials', credentials.result);
  const skew = explainSkew(first);
  if (skew !== undefined) fact('warning', skew);
  if (credentials.fatal !== undefined) return `${credentials.fatal} ${skew ?? ''}`.trim();
  const probes =
    credentials.probes.length > 0
      ? credentials.probes
      : [first, ...(await Promise.all(others.map((operation) => probe(target, operation))))];
  const answers = probes.filter(({ response }) => response !== undefined);
  const [reason] = answers.map(explainIntermediary);
  if (reason !== undefined && answers.every((each) => explainIntermediary(each) !== undefined)) return reason;
  const nothingWorks = explainOutage(answers) ?? (await explainPlace(target, answers));
  if (nothingWorks === undefined) return undefined;
  // Who tests other operations than those that were read, may do so.
  const chosen = new Set(plan.chosen.flatMap((each) => each.operations.map(({ id }) => id)));
  if (operations.length === 0 || operations.some(({ id }) => chosen.has(id))) return nothingWorks;
  fact('warning', nothingWorks);
  return undefined;
}

/** Operations to read: enough that one odd endpoint decides nothing. */
const triedOperations = 3;

/** Operations to read before the run; those without path parameters first, as they need no known IDs. */
function probedOperations(target: ConnectedTarget): readonly Operation[] {
  const pathNames = (operation: Operation) =>
    operation.parameters.filter((each) => each.in === 'path').length;
  return target.contract.operations
    .filter((each) => safeMethods.has(each.method) && each.authenticated && canCall(target.contract, each))
    .sort((one, other) => pathNames(one) - pathNames(other))
    .slice(0, triedOperations);
}

/** Sends the operation's smallest valid request, or a GET of the base URL itself. @param baseUrl by default the target's */
async function probe(
  { resources, contract, driver, ...target }: ConnectedTarget,
  operation?: Operation,
  authorization?: Authorization,
  baseUrl: string = target.baseUrl,
): Promise<Probe> {
  const ids = present({
    action: resources.action[0],
    rate_limit_policy: resources.rate_limit_policy[0],
    self_service_profile: resources.self_service_profile[0],
  });
  const path = operation === undefined ? '' : targetOf(operation, minimalInput(contract, operation, ids), {});
  const url = `${baseUrl}${path}`;
  const { response, failure } = await driver.call({
    operation,
    method: operation?.method ?? 'GET',
    target: '',
    url,
    ...(authorization && { authorization }),
  });
  return { operation, url, response, failure };
}

interface Credentials {
  /** A row of the screen. */
  readonly result: string;
  readonly probes: readonly Probe[];
  readonly fatal?: string;
}

/** Reads some operations with valid tokens. Fatal if all get 401, or if there is no token. */
async function tryCredentials(
  target: ConnectedTarget,
  operations: readonly Operation[],
): Promise<Credentials> {
  if (!target.capabilities.has('token')) return { result: 'none given', probes: [] };
  const permitted: [Operation, Authorization][] = [];
  const without: string[] = [];
  for (const operation of operations) {
    let authorization: Authorization | undefined;
    try {
      authorization = await target.tokens.permitting(operation.scopes);
    } catch (error) {
      return { result: 'refused', probes: [], fatal: noToken(target, oneLine(error)) };
    }
    if (authorization === undefined) without.push(...operation.scopes.map(({ name }) => name));
    else permitted.push([operation, authorization]);
  }
  const probes = await Promise.all(permitted.map((each) => probe(target, ...each)));
  const statuses = [...new Set(probes.flatMap(({ response }) => response?.status ?? []))];
  if (statuses.length > 0 && statuses.every((status) => status === 401))
    return { result: 'refused (401)', probes, fatal: refused(target) };
  const missing = without.length === 0 ? '' : `; no token for ${without.join(', ')}`;
  return { result: `${acceptance(statuses)}${missing}`, probes };
}

/** What the statuses of requests with a valid token say of it. */
function acceptance(statuses: readonly number[]): string {
  if (statuses.length === 0) return 'not tried';
  if (statuses.some((status) => status >= 200 && status < 300)) return 'accepted';
  if (statuses.every((status) => status === 403)) return 'accepted, but without permission (403)';
  return `unknown (${statuses.join(', ')})`;
}

function noToken(target: ConnectedTarget, why: string): string {
  const flags =
    target.client === undefined
      ? '--token-command'
      : '--client-id, --client-secret, --token-url and --audience';
  return `The suite could not get a token: ${why}. Check ${flags}.`;
}

function refused(target: ConnectedTarget): string {
  const general = 'The target refuses the credentials: it answered every request with a token with 401.';
  if (target.tokens.minter !== undefined)
    return `${general} Does it trust the signing key (its public half in the target's JWKS), and does it expect this --issuer and --audience?`;
  if (target.client !== undefined)
    return `${general} Are this client's tokens meant for this target (--audience, --token-url)?`;
  return `${general} Has the token expired? Was it issued for this target?`;
}

/** Why what answers is not the service: another path of the host is, or a page for people. */
async function explainPlace(target: ConnectedTarget, answers: readonly Probe[]): Promise<string | undefined> {
  const isElsewhere = (each: Probe) => each.response?.status === 404 || isForeign(each);
  if (answers.length === 0 || !answers.every(isElsewhere)) return undefined;
  const { origin, pathname } = new URL(target.baseUrl);
  const operation = answers[0]?.operation;
  const candidates = new Set([`${origin}${pathname.replace(/\/+$/, '')}/api/v2`, `${origin}/api/v2`]);
  candidates.delete(target.baseUrl);
  // A server may answer 401 to every path, known or not.
  const hasToken = operation !== undefined && target.capabilities.has('token');
  const authorization = hasToken ? await target.tokens.permitting(operation.scopes) : undefined;
  for (const candidate of candidates) {
    if (operation === undefined) break;
    const there = await probe(target, operation, authorization, candidate);
    if (there.response !== undefined && !isElsewhere(there))
      return `The service is not at ${target.baseUrl} (404), but at ${candidate}: use that as --base-url.`;
  }
  if (answers.every(isForeign)) {
    return `${target.baseUrl} answers with ${answers[0]?.response?.status} and a body that is not JSON: this is a page for people, such as a login, or a gateway, not the service. Check host and path of --base-url (https://<tenant domain>/api/v2).`;
  }
  // A tenant that was not filled yet may not be there.
  return target.capabilities.has('seed') ? undefined : notFound(target, answers);
}

/** What a run will change on the target, one line each; empty if it changes nothing. */
function plannedChanges(target: ConnectedTarget, plan: Plan): string[] {
  const { capabilities, resources } = target;
  if (target.readOnly) return [];
  const judgeable = plan.chosen.filter(({ check }) => unmetNeeds(target, check.needs) === undefined);
  const touched = new Set(judgeable.flatMap(({ operations }) => operations.map(({ id }) => id)));
  const writes = plan.contract.operations.filter(
    // Without a token these are sent only to be refused.
    ({ id, method }) => capabilities.has('token') && touched.has(id) && !safeMethods.has(method),
  );
  const changes: string[] = [];
  if (capabilities.has('seed')) {
    const restored = capabilities.has('inspect')
      ? 'during the run and restored afterwards'
      : 'and not restored';
    changes.push(`the tenant's data is replaced ${restored}`);
  }
  if (capabilities.has('clock'))
    changes.push("the target's clock is moved during the run and reset afterwards");
  if (!capabilities.has('seed') && writes.some(({ method }) => method === 'DELETE')) {
    const ids = resources.rate_limit_policy;
    if (ids.length > 0) changes.push(`these rate limit policies may be deleted: ${ids.join(', ')}`);
  }
  for (const { id, method, path } of writes) {
    if (method === 'DELETE' || capabilities.has('seed')) continue;
    const back = id === 'put_factor_phone_templates' && plan.resolved.extras.phone_templates;
    changes.push(
      back
        ? `the phone templates are overwritten, and restored as given in the profile`
        : `${method} ${path} overwrites values, which are not restored`,
    );
  }
  return changes;
}
