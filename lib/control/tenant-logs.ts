import type { Driver } from '../client/driver.ts';
import { isObject } from '../contract/json.ts';
import type { Contract } from '../contract/model.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { Logs } from './control.ts';

/** A tenant's own endpoint for logs, for targets without the control protocol. */
export interface LogEndpoint {
  readonly url: string;
  /** Path to the array of entries in the response, separated by dots; empty if the response is the array. */
  readonly items?: string;
  /** Path to the correlation ID within an entry. */
  readonly correlation_id: string;
  /** Query of the request. `{prefix}` is replaced with the prefix of the wanted IDs. */
  readonly query?: string;
}

/** Thrown if the tenant's logs cannot be read. The message is one line. */
export class LogError extends Error {
  override readonly name = 'LogError';
}

/** The scope that such an endpoint usually requires, if the contract's catalogue has it. */
const usualScope = 'read:logs';

/** Reads the logs from the tenant's own endpoint, with a token. */
export function tenantLogs(
  endpoint: LogEndpoint,
  { driver, tokens, contract }: { driver: Driver; tokens: Tokens; contract: Contract },
): Logs {
  const place = new URL(endpoint.url).origin + new URL(endpoint.url).pathname;
  const wanted = contract.scopes.filter(({ name }) => name === usualScope);
  return {
    async correlationIds(prefix) {
      const query = endpoint.query?.replaceAll('{prefix}', encodeURIComponent(prefix));
      const join = endpoint.url.includes('?') ? '&' : '?';
      const authorization = (await tokens.permitting(wanted)) ?? (await tokens.permitting([]));
      const { response, failure } = await driver.call({
        operation: undefined,
        method: 'GET',
        target: '',
        url: query === undefined ? endpoint.url : `${endpoint.url}${join}${query}`,
        headers: [['accept', 'application/json']],
        ...(authorization && { authorization }),
      });
      if (response === undefined) throw new LogError(`tenant logs: GET ${place}: ${failure?.message}`);
      if (response.status !== 200)
        throw new LogError(`tenant logs: GET ${place} answered ${response.status}`);
      const entries = at(response.json, endpoint.items ?? '');
      if (!Array.isArray(entries))
        throw new LogError(`tenant logs: GET ${place} answered without a list at '${endpoint.items ?? ''}'`);
      return entries
        .map((entry) => at(entry, endpoint.correlation_id))
        .filter((id) => typeof id === 'string')
        .filter((id) => id.startsWith(prefix));
    },
  };
}

/** The value at a path of member names. */
function at(value: unknown, path: string): unknown {
  const names = path === '' ? [] : path.split('.');
  return names.reduce((found, name) => (isObject(found) ? found[name] : undefined), value);
}
