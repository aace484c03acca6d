import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Scope } from '../../contract/model.ts';
import { override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import type { Where } from './where.ts';

/** What a token's `scopes` claim holds, read in the right way. */
export interface Grants {
  /** The names of the resources, in the token's order. */
  readonly resources: readonly string[];
  /** `update:guardian_factors`, in the token's order. */
  readonly names: readonly string[];
  /** The actions of a resource. */
  of(resource: string): readonly string[];
  has(verb: string, resource: string): boolean;
  /** True where the verb is held on any resource. */
  anywhere(verb: string): boolean;
}

function grantsOf(claim: unknown): Grants {
  const map = isObject(claim) ? claim : {};
  const of = (resource: string): readonly string[] => {
    const entry = Object.hasOwn(map, resource) ? map[resource] : undefined;
    return isObject(entry) && Array.isArray(entry.actions) ? entry.actions.map(String) : [];
  };
  const resources = Object.keys(map);
  return {
    resources,
    names: resources.flatMap((resource) => of(resource).map((verb) => `${verb}:${resource}`)),
    of,
    has: (verb, resource) => of(resource).includes(verb),
    anywhere: (verb) => resources.some((each) => /^[a-z_]{3,}$/.test(each) && of(each).includes(verb)),
  };
}

/** Permits also what this says, at some requests. */
export const lets = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  permits: (grants: Grants, scope: Scope) => boolean,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'scopes', (usual) => ({
      permits: (claim, scope, claims, call) =>
        usual.permits(claim, scope, claims, call) || (where(call) && permits(grantsOf(claim), scope)),
    })),
});

/** Forbids also what this says, at some requests. */
export const forbids = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  forbidden: (grants: Grants, scope: Scope, claims: JsonObject) => boolean,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'scopes', (usual) => ({
      permits: (claim, scope, claims, call) =>
        usual.permits(claim, scope, claims, call) &&
        !(where(call) && forbidden(grantsOf(claim), scope, claims)),
    })),
});

/** Another scope is asked for. */
export const requires = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  scope: Scope,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'scopes', (usual) => ({
      required: (operation, call) => (where(call) ? [scope] : usual.required(operation, call)),
    })),
});

/** The last of several. */
export const last = <T>(values: readonly T[]): T | undefined => values.at(-1);

/** A verb is held on any resource, and the resource with any verb. */
export const apart = ({ anywhere, of }: Grants, { verb, resource }: Scope): boolean =>
  of(resource).length > 0 && anywhere(verb);
