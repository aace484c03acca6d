import { pathNames } from '../contract/build.ts';
import { escapeRegExp } from '../contract/escape-regexp.ts';
import type { Contract, Operation } from '../contract/model.ts';

/** The prefix of all operations' paths (section 9). */
export const basePath = '/api/v2';

/** A parameter in a path template. */
const parameter = /\{[^}]+\}/g;

/** The operation that a path matches. */
export interface Place {
  readonly operation: Operation;
  /** The path parameters as received, still percent-encoded. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Matches a path that is still percent-encoded; undefined if no operation matches. If two operations match, the one with
 * the more specific path wins.
 */
export function routerOf({ operations }: Contract): (method: string, path: string) => Place | undefined {
  const rank = ({ path }: Operation): string => path.replace(parameter, '\uffff');
  const routes = operations
    .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
    .map((operation) => {
      const literals = operation.path.split(parameter).map(escapeRegExp);
      return { operation, pattern: new RegExp(`^${basePath}${literals.join('([^/]+?)')}$`) };
    });
  return (method, path) => {
    for (const { operation, pattern } of routes) {
      const found = operation.method === method ? pattern.exec(path) : null;
      if (found === null) continue;
      const texts = pathNames(operation.path).map((name, at) => [name, found[at + 1] ?? '']);
      return { operation, texts: Object.fromEntries(texts) };
    }
    return undefined;
  };
}

/** The names of the endpoints that are not operations of the contract, by method and path. */
export function fixedEndpoints({ tokenEndpoint }: Contract): ReadonlyMap<string, string> {
  // Clients use it with and without the trailing slash.
  const tokenPath = (tokenEndpoint?.path ?? '/oauth/token/').replace(/\/$/, '');
  return new Map([
    [`POST ${tokenPath}`, 'token'],
    [`POST ${tokenPath}/`, 'token'],
    ['GET /.well-known/jwks.json', 'jwks'],
  ]);
}
