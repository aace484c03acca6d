import type { Contract, Operation } from '../contract/model.ts';

/** The prefix under which all operations stand (section 9). */
export const basePath = '/api/v2';

/** An operation's place among the paths of the host. */
export interface Route {
  readonly operation: Operation;
  /** The path in the router's words: `/api/v2/rate-limit-policies/:p0`. */
  readonly url: string;
  /** The path parameters as they stand in a path, still percent-encoded; undefined for another path. */
  texts(path: string): Record<string, string> | undefined;
}

/** The routes of a contract's operations. */
export function routesOf(contract: Contract): Route[] {
  return contract.operations.map((operation) => {
    const names = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
    const literals = operation.path.split(/\{[^}]+\}/);
    const url = literals
      .map((literal) => literal.replaceAll(':', '::'))
      .reduce((path, literal, index) => {
        return `${path}:p${index - 1}${literal}`;
      });
    const pattern = new RegExp(`^${basePath}${literals.map(escapePattern).join('([^/]+?)')}$`);
    return {
      operation,
      url: `${basePath}${url}`,
      texts(path) {
        const found = pattern.exec(path);
        return found ? Object.fromEntries(names.map((name, at) => [name, found[at + 1] ?? ''])) : undefined;
      },
    };
  });
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
