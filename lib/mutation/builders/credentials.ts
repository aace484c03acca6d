import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Scope } from '../../contract/model.ts';
import type { Call } from '../../fake/call.ts';
import type { TrustedKey } from '../../fake/keys.ts';
import type { RulesOverride, SignedToken } from '../../fake/rules.ts';
import { compose, type RuleOverrides } from '../rule-overrides.ts';

/** Overrides of how bearer tokens are read and verified. */
export class TokenBuilder {
  private readonly overrides: RuleOverrides;

  constructor(overrides: RuleOverrides) {
    this.overrides = overrides;
  }

  /** Requests are served whatever their credentials. */
  isNotRequired(): RulesOverride {
    return (rules) =>
      compose(
        this.overrides.replace('token.sent', () => undefined),
        this.overrides.replace('token.anonymous', (call) => {
          const scopes = call.operation ? rules.scopes.required(call.operation, call) : [];
          return {
            sub: 'anonymous',
            exp: Math.floor(call.now / 1000) + 86_400,
            scopes: Object.fromEntries(scopes.map(({ resource, verb }) => [resource, { actions: [verb] }])),
          };
        }),
      )(rules);
  }

  /** Where the header carries no token it is read from somewhere else. */
  isReadFrom(read: (call: Call) => string | undefined): RulesOverride {
    return this.overrides.after('token.sent', (usual, call) => usual ?? read(call));
  }

  /** Such tokens are accepted whoever signed them. */
  isUnverified(condition: (token: SignedToken, keys: readonly TrustedKey[]) => boolean): RulesOverride {
    return (rules) => {
      let trusted: readonly TrustedKey[] = [];
      return compose(
        this.overrides.replace('token.candidates', (_header, keys) => {
          trusted = keys;
          return keys;
        }),
        this.overrides.around('token.verifiesSignature', async (usual, token, key, call) => {
          if (condition(token, trusted)) return true;
          const candidates = rules.token.candidates(token.header, trusted, call);
          return candidates.some((each) => each === key) && usual(token, key, call);
        }),
      )(rules);
    };
  }
}

/** The grants of a token's `scopes` claim, read correctly. */
export interface Grants {
  /** The names of the resources, in the token's order. */
  readonly resources: readonly string[];
  /** `update:guardian_factors`, in the token's order. */
  readonly names: readonly string[];
  /** The actions of a resource. */
  actions(resource: string): readonly string[];
  has(verb: string, resource: string): boolean;
  /** True where the verb is granted on any resource. */
  hasAnywhere(verb: string): boolean;
}

/** Overrides of what the scopes of a token permit. */
export class ScopeBuilder {
  private readonly overrides: RuleOverrides;

  constructor(overrides: RuleOverrides) {
    this.overrides = overrides;
  }

  /** Requests are permitted by more than the required scope. */
  allow(condition: (grants: Grants, scope: Scope) => boolean): RulesOverride {
    return this.allowClaim((claim, scope) => condition(grantsOf(claim), scope));
  }

  /** Requests are permitted by whatever stands in the `scopes` claim or another one. */
  allowClaim(condition: (claim: unknown, scope: Scope, claims: JsonObject) => boolean): RulesOverride {
    return this.overrides.after(
      'scopes.permits',
      (usual, claim, scope, claims) => usual || condition(claim, scope, claims),
    );
  }

  /** Requests with the required scope are denied. */
  deny(condition: (grants: Grants, scope: Scope, claims: JsonObject) => boolean): RulesOverride {
    return this.overrides.after(
      'scopes.permits',
      (usual, claim, scope, claims) => usual && !condition(grantsOf(claim), scope, claims),
    );
  }
}

function grantsOf(claim: unknown): Grants {
  const map = isObject(claim) ? claim : {};
  const actions = (resource: string): readonly string[] => {
    const entry = Object.hasOwn(map, resource) ? map[resource] : undefined;
    return isObject(entry) && Array.isArray(entry.actions) ? entry.actions.map(String) : [];
  };
  const resources = Object.keys(map);
  return {
    resources,
    names: resources.flatMap((resource) => actions(resource).map((verb) => `${verb}:${resource}`)),
    actions,
    has: (verb, resource) => actions(resource).includes(verb),
    hasAnywhere: (verb) =>
      resources.some((each) => /^[a-z_]{3,}$/.test(each) && actions(each).includes(verb)),
  };
}
