import type { Resources } from '../contract/data-set.ts';
import { resourcesOf } from '../contract/data-set.ts';
import type { Control } from '../control/control.ts';

/** Ids by flags or profile. */
export interface ResourceFlags {
  readonly actions?: readonly string[];
  /** Each may be deleted. */
  readonly rateLimitPolicies?: readonly string[];
  readonly selfServiceProfiles?: readonly string[];
}

/**
 * The ids that the run knows of: by kind the given ones, else what the tenant contains, where it can be looked into. A
 * policy that no option names may only be deleted where the data can be put back. Throws ControlError.
 */
export async function findResources(flags: ResourceFlags, control: Control | undefined): Promise<Resources> {
  const { actions = [], rateLimitPolicies = [], selfServiceProfiles = [] } = flags;
  const complete = actions.length > 0 && rateLimitPolicies.length > 0 && selfServiceProfiles.length > 0;
  if (complete || !control?.supports.has('inspect'))
    return { actions, rateLimitPolicies, selfServiceProfiles };
  const found = resourcesOf(await control.inspect());
  const restorable = control.supports.has('seed');
  return {
    actions: actions.length > 0 ? actions : found.actions,
    rateLimitPolicies:
      rateLimitPolicies.length > 0 || !restorable ? rateLimitPolicies : found.rateLimitPolicies,
    selfServiceProfiles: selfServiceProfiles.length > 0 ? selfServiceProfiles : found.selfServiceProfiles,
  };
}
