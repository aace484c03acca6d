import { safeMethods } from '../contract/model.ts';
import { plural } from '../report/text.ts';
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
    const restored = capabilities.has('inspect')
      ? 'during the run and restored afterwards'
      : 'and not restored';
    changes.push(`the tenant's data is replaced ${restored}`);
  }
  if (capabilities.has('clock'))
    changes.push("the target's clock is moved during the run and reset afterwards");
  if (!capabilities.has('seed') && writes.some(({ method }) => method === 'DELETE')) {
    const ids = resources.rateLimitPolicies;
    if (ids.length > 0) changes.push(`these rate limit policies may be deleted: ${ids.join(', ')}`);
  }
  for (const { id, method, path } of writes) {
    if (method === 'DELETE' || capabilities.has('seed')) continue;
    const back = id === 'put_factor_phone_templates' && extras.phone_templates;
    changes.push(
      back
        ? `the phone templates are overwritten, and restored as given in the profile`
        : `${method} ${path} overwrites values, which are not restored`,
    );
  }
  return changes;
}

/** What will not be judged, by what is missing and the flags that would provide it: the largest group first. */
export function unmetRequirements(target: ConnectedTarget, plan: Plan): string[] {
  const counts = new Map<string, number>();
  for (const { check } of plan.chosen) {
    // A requirement with several unmet needs counts with each of them: all of them must be met.
    for (const need of check.needs) {
      const unmet = unmetNeeds(target, [need]);
      if (unmet === undefined) continue;
      const text = `${unmet.reason} (${unmet.requiredFlags.join(', ')})`;
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([text, count]) => `${plural(count, 'requirement')}: ${text}`);
}
