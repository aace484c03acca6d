import type { ScopeRow } from './report.ts';

/** The usual order of verbs; others come after them. */
const verbOrder = ['create', 'read', 'update', 'delete'];

/** Where each scope of the rows is in the matrix: resources from left to right, verbs from top to bottom. */
export function gridOf(rows: readonly ScopeRow[]) {
  const scopes = [...new Set(rows.flatMap((row) => Object.keys(row.cells)))].map((scope) => {
    const colon = scope.indexOf(':');
    return { scope, verb: scope.slice(0, Math.max(0, colon)), resource: scope.slice(colon + 1) };
  });
  const resources = [...new Set(scopes.map(({ resource }) => resource))].sort();
  const place = (verb: string) => (verbOrder.includes(verb) ? verbOrder.indexOf(verb) : verbOrder.length);
  const verbs = [...new Set(scopes.map(({ verb }) => verb))].sort((a, b) => place(a) - place(b));
  const columns = new Map(resources.map((resource, index) => [resource, index]));
  const cells = scopes.map(({ scope, verb, resource }) => ({
    scope,
    x: columns.get(resource) ?? 0,
    y: verbs.indexOf(verb),
  }));
  return { resources, verbs, cells };
}

export type Grid = ReturnType<typeof gridOf>;
