import { pathNames } from '../contract/build.ts';
import { escapeRegExp } from '../contract/escape-regexp.ts';
import type { Contract, Operation } from '../contract/model.ts';

/** The prefix under which all operations stand (section 9). */
export const basePath = '/api/v2';

/** A parameter in a path template. */
const parameter = /\{[^}]+\}/g;

/** Where a path leads. */
export interface Place {
  readonly operation: Operation;
  /** The path parameters as they stand in the path, still percent-encoded. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Finds the place of a path in which nothing is decoded yet; undefined where no operation stands. Of two operations that fit
 * one path, it is the one whose path says more.
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

/** The names of the endpoints besides the contract's operations, by method and path. */
export function fixedEndpoints({ tokenEndpoint }: Contract): ReadonlyMap<string, string> {
  // Clients know it both with the final slash and without.
  const tokenPath = (tokenEndpoint?.path ?? '/oauth/token/').replace(/\/$/, '');
  return new Map([
    [`POST ${tokenPath}`, 'token'],
    [`POST ${tokenPath}/`, 'token'],
    ['GET /.well-known/jwks.json', 'jwks'],
  ]);
}
