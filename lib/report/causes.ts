import type { RequirementResult } from './report.ts';
import { isBroken, operationsShown } from './summary.ts';

/** The ids of the requirements that each requirement depends on, as rows of the ledger have them. */
export type Dependencies = readonly { readonly id: string; readonly dependsOn: readonly string[] }[];

/** The results, with `caused_by` in each broken one that depends on others that are broken on the same operations. */
export function withCauses(
  results: readonly RequirementResult[],
  dependencies: Dependencies,
): RequirementResult[] {
  const needed = new Map(dependencies.map(({ id, dependsOn }) => [id, dependsOn]));
  const broken = new Map(results.filter(isBroken).map((result) => [result.id, result]));
  return results.map(({ caused_by: _, ...result }) => {
    if (!isBroken(result)) return result;
    const here = operationsShown(result);
    const causes = (needed.get(result.id) ?? []).flatMap((id) => {
      const cause = broken.get(id);
      if (cause === undefined) return [];
      const there = operationsShown(cause);
      // A requirement that concerns no operation may break all of them.
      const on = there.length === 0 ? here : here.filter((operation) => there.includes(operation));
      return on.length > 0 || here.length === 0 ? [{ id, on }] : [];
    });
    // On another operation it has a cause of its own.
    const isCaused = here.every((operation) => causes.some(({ on }) => on.includes(operation)));
    return causes.length > 0 && isCaused ? { ...result, caused_by: causes.map(({ id }) => id) } : result;
  });
}
