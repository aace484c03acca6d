import { canCall, minimalInput } from '../arbitraries/input.ts';
import type { Authorization } from '../client/exchange.ts';
import { type Operation, safeMethods } from '../contract/model.ts';
import { oneLine } from '../contract/one-line.ts';
import { TerminalText } from '../report/terminal-text.ts';
import { count, visible } from '../report/text.ts';
import { requestTarget } from '../runner/call.ts';
import type { Target } from '../runner/connect.ts';
import { unmetNeeds } from '../runner/needs.ts';
import { messageUpdate } from '../runner/restore-messages.ts';
import { TokenError } from '../tokens/token-source.ts';
import {
  explainBlocked,
  explainFailure,
  explainResponses,
  fatal,
  type Obstacle,
  type Probe,
} from './diagnosis.ts';
import type { Plan } from './plan.ts';

/**
 * Checks before the run that the target responds, is the service, and accepts the credentials. Only reads; its requests are
 * neither counted nor recorded.
 * @param requests about how many the run will send
 * @returns the screen that is printed before the run, and why nothing (`isFatal`) or little can be judged
 */
export async function preflight(target: Target, plan: Plan, requests: number) {
  const page = new TerminalText({ columns: process.stderr.columns });
  page.heading(`target ${target.baseUrl}`);
  const obstacle = await findObstacle(target, plan);
  const explanation = obstacle && target.driver.secrets.scrub(obstacle.explanation);
  if (explanation === undefined || !obstacle?.isFatal) {
    page.line(`  about ${count(requests)} requests`);
    const changes = plannedChanges(target, plan);
    if (changes.length > 0) page.heading('  This run will change the target:');
    for (const change of changes) page.hangingIndent('  - ', visible(change));
  } else {
    page.line();
    page.hangingIndent('', visible(explanation));
  }
  return { screen: page.text(), explanation, isFatal: obstacle?.isFatal ?? false };
}

/** @throws Error if the target does not respond: one paragraph with the remedy */
export async function assertResponds(target: Target): Promise<void> {
  const first = await probe(target, probedOperations(target)[0]);
  if (first.response === undefined) throw new Error(explainFailure(first));
}

async function findObstacle(target: Target, plan: Plan): Promise<Obstacle | undefined> {
  const operations = probedOperations(target);
  const first = await probe(target, operations[0]);
  if (first.response === undefined) return fatal(explainFailure(first));
  const permitted: [Operation, Authorization][] = [];
  for (const operation of target.capabilities.has('token') ? operations : []) {
    try {
      const authorization = await target.tokens.permitting(operation.scopes);
      if (authorization !== undefined) permitted.push([operation, authorization]);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      return fatal(`The suite could not get a token: ${oneLine(error)}. ${error.remedy}`);
    }
  }
  const answered = await Promise.all(permitted.map((each) => probe(target, ...each)));
  if (answered.length > 0 && answered.every(({ response }) => response?.status === 401))
    return fatal(
      'The target refuses the credentials: it responded with 401 to every request that had a token. Have they expired? Does it trust the key that signs the tokens, and expect their --issuer and --audience?',
    );
  // A run that tests none of the operations that were read continues.
  const chosen = new Set(plan.chosen.flatMap((each) => each.operations.map(({ id }) => id)));
  if (operations.length > 0 && !operations.some(({ id }) => chosen.has(id))) return undefined;
  const probes =
    answered.length > 0
      ? answered
      : [first, ...(await Promise.all(operations.slice(1).map((operation) => probe(target, operation))))];
  return explainBlocked(target, [first, ...probes]) ?? explainResponses(target, probes);
}

/** Operations to read: enough that one odd endpoint decides nothing. */
const triedOperations = 3;

/** Operations to read before the run; those without path parameters first, as they need no known IDs. */
function probedOperations(target: Target): readonly Operation[] {
  const pathNames = (operation: Operation) =>
    operation.parameters.filter((each) => each.in === 'path').length;
  return target.contract.operations
    .filter((each) => safeMethods.has(each.method) && each.authenticated && canCall(target.contract, each))
    .sort((one, other) => pathNames(one) - pathNames(other))
    .slice(0, triedOperations);
}

/** Sends the operation's smallest valid request, or a GET of the base URL itself. */
async function probe(
  { resources, contract, driver, baseUrl }: Target,
  operation?: Operation,
  authorization?: Authorization,
): Promise<Probe> {
  const ids = Object.fromEntries(
    Object.entries(resources).flatMap(([kind, [first]]) => (first === undefined ? [] : [[kind, first]])),
  );
  const path = operation ? requestTarget(operation, minimalInput(contract, operation, ids)) : '';
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

/** What a run will change on the target, one line each; empty if it changes nothing. */
function plannedChanges(target: Target, plan: Plan): string[] {
  if (!target.capabilities.has('write')) return [];
  const { capabilities } = target;
  const changes: string[] = [];
  if (capabilities.has('seed')) {
    const restored = capabilities.has('inspect')
      ? 'during the run and restored afterwards'
      : 'and not restored';
    changes.push(`the tenant's data is replaced ${restored}`);
  }
  if (capabilities.has('clock'))
    changes.push("the target's clock is moved during the run and reset afterwards");
  // Without a token requests are sent only to be refused.
  if (capabilities.has('seed') || !capabilities.has('token')) return changes;
  const judgeable = plan.chosen.filter(({ check }) => unmetNeeds(target, check.needs) === undefined);
  const touched = new Set(judgeable.flatMap(({ operations }) => operations.map(({ id }) => id)));
  const writes = plan.contract.operations.filter(
    ({ id, method }) => touched.has(id) && !safeMethods.has(method),
  );
  const ids = target.resources.rate_limit_policy;
  if (ids.length > 0 && writes.some(({ method }) => method === 'DELETE'))
    changes.push(`these rate limit policies may be deleted: ${ids.join(', ')}`);
  const afterwards = plan.resolved.extras.phone_templates
    ? 'restored as given in the profile'
    : 'set to their defaults afterwards; to restore them, add phone_templates to a profile';
  for (const { id, method, path } of writes.filter((each) => each.method !== 'DELETE'))
    changes.push(
      id === messageUpdate(plan.contract)?.id
        ? `the phone messages are overwritten, and ${afterwards}`
        : `${method} ${path} overwrites values, which are not restored`,
    );
  return changes;
}
