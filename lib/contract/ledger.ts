import { readDocument, shippedFile, shippedSchema } from './document.ts';
import { createParser } from './schema-parser.ts';
import type { Selector } from './select.ts';

/** `stated`: the specification says it. `inferred`: it follows from a convention or a neighboring sentence. */
export type Level = 'stated' | 'inferred';

/** What the suite records where the specification is silent. */
export interface ObservationRow {
  /** `4.2/take-maximum`: section, slash, slug. */
  readonly id: string;
  readonly section: string;
  /** One sentence. */
  readonly description: string;
  /** Operation ids, or a selector. Empty for a row about no operation under the base address. */
  readonly operations: Selector | readonly string[];
}

/** One testable clause. */
export interface RequirementRow extends ObservationRow {
  readonly level: Level;
  /** Where the specification says it: section and paragraph, list item or table row. */
  readonly source: string;
  /** How the sentence is interpreted, and why, if it needs an interpretation. */
  readonly reading?: string;
  /** Ids of requirements without which this one cannot pass. If one of them fails too, it is the cause of this failure. */
  readonly dependsOn: readonly string[];
}

/** A sentence that no black-box test can judge. */
interface ExcludedRow extends Omit<ObservationRow, 'operations'> {
  readonly reason: string;
}

/** The ledger: a row for every binding sentence of the specification, and the observations. */
export interface Ledger {
  /** Titles of the sections that are not about a single operation. */
  readonly sections: Readonly<Record<string, string>>;
  readonly requirements: readonly RequirementRow[];
  readonly observations: readonly ObservationRow[];
  readonly excluded: readonly ExcludedRow[];
  /** Ids of the operations that some row names by id. These have requirements of their own. */
  readonly specific: ReadonlySet<string>;
}

interface RawLedger extends Pick<Ledger, 'sections'> {
  requirements: (Omit<RequirementRow, 'dependsOn'> & { dependsOn?: 'any' | readonly string[] })[];
  observations: ObservationRow[];
  excluded: ExcludedRow[];
}

const file = 'fixtures/requirements.yaml';
const parseRows = createParser<RawLedger>(
  'the ledger',
  () => shippedSchema('fixtures/requirements.schema.json'),
  (problem) => new Error(`${file}: ${problem}`),
);

let ledger: Ledger | undefined;

/** The ledger in `fixtures/requirements.yaml`, which is read once per process. @throws Error if a row is invalid */
export function loadLedger(): Ledger {
  ledger ??= readLedger();
  return ledger;
}

function readLedger(): Ledger {
  const raw = parseRows(readDocument(shippedFile(file)));
  const rows = [...raw.requirements, ...raw.observations];
  const others = raw.requirements.filter(({ dependsOn }) => dependsOn !== 'any').map(({ id }) => id);
  return {
    ...raw,
    requirements: raw.requirements.map(({ dependsOn = [], ...row }) => ({
      ...row,
      dependsOn: dependsOn === 'any' ? others : dependsOn,
    })),
    specific: new Set(rows.flatMap((row) => (typeof row.operations === 'string' ? [] : row.operations))),
  };
}
