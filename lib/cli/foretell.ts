import { safeMethods } from '../contract/model.ts';
import type { ConnectedTarget } from '../runner/connect.ts';
import { unmetNeeds } from '../runner/needs.ts';
import type { Plan } from './plan.ts';
import type { ResolvedOptions } from './settings.ts';

/** What a run will change on the target, one line each; empty if it changes nothing. */
export function plannedChanges(target: ConnectedTarget, plan: Plan, { extras }: ResolvedOptions): string[] {
  const { capabilities, resources } = target;
  if (target.readOnly) return [];
  const judgeable = plan.chosen.filter(({ check }) => unmetNeeds(target, check.needs) === undefined);
  const touched = new Set(judgeable.flatMap(({ operations }) => operations.map(({ id }) => id)));
  const writes = plan.contract.operations.filter(
    // Without a token these are sent only to be refused.
    ({ id, method }) => capabilities.has('token') && touched.has(id) && !safeMethods.has(method),
  );
  const changes: string[] = [];
  if (capabilities.has('seed')) {
    const after = capabilities.has('inspect')
      ? ' during the run and restored afterwards'
      : ' and not restored';
    changes.push(`the tenant's data is replaced${after}`);
  }
  if (capabilities.has('clock'))
    changes.push("the target's clock is moved during the run and reset afterwards");
  if (!capabilities.has('seed') && writes.some(({ method }) => method === 'DELETE')) {
    const ids = resources.rateLimitPolicies;
    if (ids.length > 0) changes.push(`these rate limit policies may be deleted: ${ids.join(', ')}`);
  }
  for (const { id, method, path } of writes) {
    if (method === 'DELETE' || capabilities.has('seed')) continue;
    const back = id === 'put_factor_phone_templates' && extras.phoneTemplates;
    changes.push(
      back
        ? `the phone templates are overwritten, and restored as given in the profile`
        : `${method} ${path} overwrites values, which are not restored`,
    );
  }
  return changes;
}

/** What will not be judged, by what it lacks and what would unlock that: the largest group first. */
export function unlockable(target: ConnectedTarget, plan: Plan): string[] {
  const lacks = new Map<string, number>();
  for (const { check } of plan.chosen) {
    // A requirement that lacks several things counts with each of them: every one of them must be unlocked.
    for (const need of check.needs) {
      const lack = unmetNeeds(target, [need]);
      if (lack === undefined) continue;
      const text = `${lack.reason} (${lack.requiredFlags.join(', ')})`;
      lacks.set(text, (lacks.get(text) ?? 0) + 1);
    }
  }
  return [...lacks]
    .sort(([, one], [, other]) => other - one)
    .map(([text, count]) => `${count} ${count === 1 ? 'requirement' : 'requirements'}: ${text}`);
}
