import type { Cloud } from '../contract/model.ts';
import type { RulesOverride } from '../fake/rules.ts';
import { compose } from './rule-overrides.ts';

/** A named, deliberate defect that breaks one requirement. */
export interface Fault {
  /** Kebab-case, unique among faults and variants. */
  readonly name: string;
  /** Id of the requirement that it breaks: `4.2/take-maximum`. */
  readonly requirement: string;
  /** What the broken service does, in one sentence. */
  readonly description: string;
  readonly rules: RulesOverride;
}

/** A fault without its requirement. */
type Defect = Omit<Fault, 'requirement'>;

/** A fault for `faultsOf`: `fault(name, description).by(overrides)`; overrides are applied one after the other. */
export function fault(
  name: string,
  description: string,
): { readonly by: (...overrides: readonly RulesOverride[]) => Defect } {
  return { by: (...overrides) => ({ name, description, rules: compose(...overrides) }) };
}

/** Faults by the id of the requirement that they break: `{ '4.2/take-maximum': fault(…).by(…) }`. */
export function faultsOf(table: Readonly<Record<string, Defect | readonly Defect[]>>): readonly Fault[] {
  return Object.entries(table).flatMap(([requirement, defects]) =>
    [defects].flat().map((each) => ({ ...each, requirement })),
  );
}

/** A conforming behaviour that differs where the specification is silent. */
export interface Variant {
  readonly name: string;
  /** What the service does, in one sentence. */
  readonly description: string;
  /** Ids of the inferred requirements that may warn about it. */
  readonly warns?: readonly string[];
  /** The kind of cloud that the tenant is on. Default: `public`. */
  readonly cloud?: Cloud;
  readonly rules: RulesOverride;
}
