import type { RequirementResult } from './report.ts';
import { isBroken } from './summary.ts';

/** The ids of the requirements that each requirement depends on, as rows of the ledger have them. */
export type Dependencies = readonly { readonly id: string; readonly dependsOn: readonly string[] }[];

/** The results, with `caused_by` in each broken one that depends on others that are broken on the same operation. */
export function withCauses(
  results: readonly RequirementResult[],
  dependencies: Dependencies,
): RequirementResult[] {
  const needed = new Map(dependencies.map(({ id, dependsOn }) => [id, dependsOn]));
  const broken = new Map(results.filter(isBroken).map((result) => [result.id, result]));
  return results.map(({ caused_by: _, ...result }) => {
    if (!isBroken(result)) return result;
    const causes = (needed.get(result.id) ?? []).filter((id) => {
      const cause = broken.get(id);
      return cause !== undefined && shareOperation(result, cause);
    });
    return causes.length > 0 ? { ...result, caused_by: causes } : result;
  });
}

/** True where both are broken on one operation, or one of them is about no operation. */
function shareOperation(one: RequirementResult, other: RequirementResult): boolean {
  const { failed_on: here = [] } = one;
  const { failed_on: there = [] } = other;
  return here.length === 0 || there.length === 0 || here.some((operation) => there.includes(operation));
}
