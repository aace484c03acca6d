import type { Cloud } from '../contract/model.ts';
import type { RulesOverride } from '../fake/rules.ts';

/** A deliberate break of one requirement. */
export interface Fault {
  /** Kebab-case, unique among faults and variants. */
  readonly name: string;
  /** Id of the requirement that it breaks: `4.2/take-maximum`. */
  readonly breaks: string;
  /** What the broken service does, in one sentence. */
  readonly says: string;
  readonly rules: RulesOverride;
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
