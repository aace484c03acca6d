import type { RequirementResult } from './report.ts';

/** The ids of the requirements that each requirement presumes, as rows of the ledger have them. */
export type Presumptions = readonly { readonly id: string; readonly presumes: readonly string[] }[];

/** The results, with `follows_from` in each broken one that presumes others that are broken too. */
export function withConsequences(
  results: readonly RequirementResult[],
  presumptions: Presumptions,
): RequirementResult[] {
  const presumedBy = new Map(presumptions.map(({ id, presumes }) => [id, presumes]));
  const broken = new Set(results.filter(isBroken).map(({ id }) => id));
  return results.map(({ follows_from: _, ...result }) => {
    const presumed = (presumedBy.get(result.id) ?? []).filter((id) => broken.has(id));
    return broken.has(result.id) && presumed.length > 0 ? { ...result, follows_from: presumed } : result;
  });
}

/** What may be mended first comes first: what follows from others, after all that does not. */
export function rootsFirst(results: readonly RequirementResult[]): RequirementResult[] {
  const follows = ({ follows_from }: RequirementResult) => follows_from !== undefined;
  return [...results.filter((each) => !follows(each)), ...results.filter(follows)];
}

/** True for what breaks a sentence, or seems to. */
function isBroken({ verdict }: RequirementResult): boolean {
  return verdict === 'failed' || verdict === 'warned';
}
