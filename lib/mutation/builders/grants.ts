import { isObject } from '../../contract/json.ts';

/** The verbs of the catalogue (section 5, item 5). */
export const verbs = ['create', 'read', 'update', 'delete'];

/** What the `scopes` claim of a token grants: the actions of each resource, in the token's order. */
export type Grants = ReadonlyMap<string, readonly string[]>;

/** The grants of a `scopes` claim, read correctly. */
export function grantsOf(claim: unknown): Grants {
  const actions = (entry: unknown): readonly string[] =>
    isObject(entry) && Array.isArray(entry.actions) ? entry.actions.map(String) : [];
  return new Map(Object.entries(isObject(claim) ? claim : {}).map(([name, entry]) => [name, actions(entry)]));
}

/** True if the grants contain this scope. */
export function has(grants: Grants, verb: string, resource: string): boolean {
  return grants.get(resource)?.includes(verb) ?? false;
}

/** True if the verb is granted on any resource. */
export function hasAnywhere(grants: Grants, verb: string): boolean {
  return [...grants].some(([resource, actions]) => /^[a-z_]{3,}$/.test(resource) && actions.includes(verb));
}
