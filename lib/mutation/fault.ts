import type { Cloud } from '../contract/model.ts';
import type { RulesOverride } from '../fake/rules.ts';

/** A named, deliberate defect that breaks one requirement. */
export interface Fault {
  /** Kebab-case, unique among faults and variants. */
  readonly name: string;
  /** Id of the requirement that it breaks: `4.2/take-maximum`. */
  readonly requirement: string;
  readonly rules: RulesOverride;
}

/** Faults by the id of the requirement that they break, then by name: `{ '4.2/take-maximum': { 'take-maximum-51': … } }`. */
export function faultsOf(
  table: Readonly<Record<string, Readonly<Record<string, RulesOverride>>>>,
): readonly Fault[] {
  return Object.entries(table).flatMap(([requirement, faults]) =>
    Object.entries(faults).map(([name, rules]) => ({ name, requirement, rules })),
  );
}

/** A conforming behavior that differs from the fake's where the specification is silent. */
export interface Variant extends Omit<Fault, 'requirement'> {
  /** Ids of the inferred requirements that may warn about it. */
  readonly warns: readonly string[];
  /** The kind of cloud that the tenant is on. */
  readonly cloud: Cloud;
}
