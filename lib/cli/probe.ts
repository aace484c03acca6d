import { canCall, minimalInput } from '../arbitraries/input.ts';
import type { Authorization, Failure } from '../client/exchange.ts';
import type { ReceivedResponse } from '../client/received-response.ts';
import { type Operation, safeMethods } from '../contract/model.ts';
import { targetOf } from '../runner/call.ts';
import type { ConnectedTarget } from '../runner/connect.ts';

/** A request before the run, which is neither counted nor recorded. */
export interface Probe {
  readonly operation: Operation | undefined;
  readonly url: string;
  readonly response: ReceivedResponse | undefined;
  readonly failure: Failure | undefined;
}

/** Operations to read: enough that one odd endpoint decides nothing. */
const triedOperations = 3;

/** Operations to read before the run; those without path parameters first, as they need no known IDs. */
export function probedOperations(target: ConnectedTarget): readonly Operation[] {
  const pathNames = (operation: Operation) =>
    operation.parameters.filter((each) => each.in === 'path').length;
  return target.contract.operations
    .filter((each) => safeMethods.has(each.method) && each.authenticated && canCall(target.contract, each))
    .sort((one, other) => pathNames(one) - pathNames(other))
    .slice(0, triedOperations);
}

/** Sends the operation's smallest valid request, or a GET of the base URL itself. @param baseUrl by default the target's */
export async function probe(
  { resources, contract, driver, ...target }: ConnectedTarget,
  operation?: Operation,
  authorization?: Authorization,
  baseUrl: string = target.baseUrl,
): Promise<Probe> {
  const ids = Object.fromEntries(
    Object.entries({
      action: resources.actions[0],
      rate_limit_policy: resources.rateLimitPolicies[0],
      self_service_profile: resources.selfServiceProfiles[0],
    }).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
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
