import type { Contract, Operation } from '../contract/model.ts';

/** The prefix under which all operations stand (section 9). */
export const basePath = '/api/v2';

/** A parameter in a path template. */
const parameter = /\{[^}]+\}/g;

/** An operation with the paths that lead to it. */
interface Route {
  readonly operation: Operation;
  readonly pattern: RegExp;
  /** Names of the path parameters, as the pattern finds them. */
  readonly names: readonly string[];
}

/** The routes of a contract's operations, in the order in which they are looked through. */
export type Routes = readonly Route[];

/** Where a path leads. */
export interface Place {
  readonly operation: Operation;
  /** The path parameters as they stand in the path, still percent-encoded. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The routes of a contract. Of two that fit one path, the one that says more comes first. */
export function routesOf({ operations }: Contract): Routes {
  const rank = ({ path }: Operation): string => path.replace(parameter, '\uffff');
  return operations
    .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
    .map((operation) => {
      const literals = operation.path
        .split(parameter)
        .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      const names = operation.path.match(parameter) ?? [];
      return {
        operation,
        pattern: new RegExp(`^${basePath}${literals.join('([^/]+?)')}$`),
        names: names.map((name) => name.slice(1, -1)),
      };
    });
}

/** The place of a path in which nothing is decoded yet; undefined where no operation stands. */
export function placeOf(routes: Routes, method: string, path: string): Place | undefined {
  for (const { operation, pattern, names } of routes) {
    const found = operation.method === method ? pattern.exec(path) : null;
    if (found === null) continue;
    const texts = Object.fromEntries(names.map((name, at) => [name, found[at + 1] ?? '']));
    return { operation, texts };
  }
  return undefined;
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
