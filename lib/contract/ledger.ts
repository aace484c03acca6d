import { Ajv2020 } from 'ajv/dist/2020.js';
import { fixtureFile, readDocument } from './document.ts';
import type { Cloud } from './model.ts';
import { isSelector, type Selector } from './select.ts';

/** `stated`: the specification says it. `inferred`: it follows from a convention or a neighbouring sentence. */
export type Level = 'stated' | 'inferred';

/** What stands in every row of the ledger. */
interface Row {
  /** `4.2/take-maximum`: section, slash, slug. */
  readonly id: string;
  readonly section: string;
  /** One sentence. */
  readonly says: string;
}

/** A row that is judged or observed. */
interface JudgedRow extends Row {
  /** Operation ids, or a selector. Empty: it concerns no operation under the base address. */
  readonly operations: Selector | readonly string[];
  /** Capabilities that judging it takes. */
  readonly needs: readonly string[];
  /** The kind of data that judging it deletes. */
  readonly consumes: string | undefined;
}

/** One testable clause. */
export interface RequirementRow extends JudgedRow {
  readonly level: Level;
  /** Nothing else may run meanwhile; `operation`: nothing else on the same operation. */
  readonly alone: boolean | 'operation';
  /** Judged by many requests one after another, a walk with small pages above all: begun first, so that the run need not wait for it. */
  readonly long: boolean;
  /** Holds whatever data the tenant holds, even while it is filled anew: judged beside what seeds, where no path names any data. */
  readonly anyData: boolean;
  /** Judged over all exchanges of the run. */
  readonly passive: boolean;
  /** The kind of cloud on which the specification has one reading of it; undefined: on both. */
  readonly cloud: Cloud | undefined;
  /** Ids of requirements without which it cannot hold: where one of them is broken, that it is broken too says nothing new. */
  readonly presumes: readonly string[];
}

/** What the suite records where the specification is silent. */
export interface ObservationRow extends JudgedRow {}

/** A sentence that no black box can judge. */
export interface ExcludedRow extends Row {
  readonly reason: string;
}

/** The ledger: every sentence of the specification that binds a server, and what is recorded beside. */
export interface Ledger {
  readonly requirements: readonly RequirementRow[];
  readonly observations: readonly ObservationRow[];
  readonly excluded: readonly ExcludedRow[];
  /** Ids of the operations that some row names by id: the ones with requirements of their own. */
  readonly specific: ReadonlySet<string>;
}

interface RawRow {
  id: string;
  section: string;
  says: string;
  operations: string | string[];
  needs: string[];
  consumes?: string;
}
interface RawLedger {
  requirements: (RawRow & {
    level: Level;
    alone?: boolean | 'operation';
    long?: boolean;
    any_data?: boolean;
    passive?: boolean;
    cloud?: Cloud;
    presumes?: 'any' | string[];
  })[];
  observations: RawRow[];
  excluded: { id: string; section: string; says: string; reason: string }[];
}

const text = { type: 'string', minLength: 1 } as const;
const id = { type: 'string', pattern: '^[0-9.]+/[a-z0-9-]+$' } as const;
const judged = {
  id,
  section: text,
  says: text,
  operations: { anyOf: [text, { type: 'array', items: text }] },
  needs: { type: 'array', items: text },
  consumes: { ...text, nullable: true },
} as const;
const judgedRequired = ['id', 'section', 'says', 'operations', 'needs'] as const;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['requirements', 'observations', 'excluded'],
  properties: {
    requirements: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: [...judgedRequired, 'level'],
        properties: {
          ...judged,
          level: { enum: ['stated', 'inferred'] },
          alone: { enum: [true, 'operation'] },
          long: { const: true },
          any_data: { const: true },
          passive: { type: 'boolean' },
          cloud: { enum: ['public', 'private'] },
          presumes: { anyOf: [{ const: 'any' }, { type: 'array', items: id, minItems: 1 }] },
        },
      },
    },
    observations: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, required: judgedRequired, properties: judged },
    },
    excluded: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'section', 'says', 'reason'],
        properties: { id, section: text, says: text, reason: text },
      },
    },
  },
};

const ledgerFile = fixtureFile('requirements');

/**
 * Reads `fixtures/requirements.yaml`.
 * @throws Error where a row does not hold, an id stands twice, or a selector is not known
 */
export function loadLedger(file: string = ledgerFile): Ledger {
  const raw = readRows(file);
  const seen = new Set<string>();
  for (const row of [...raw.requirements, ...raw.excluded]) {
    if (seen.has(row.id)) throw new Error(`${file}: ${row.id} stands twice`);
    seen.add(row.id);
  }
  const rows = [...raw.requirements, ...raw.observations];
  const others = raw.requirements.filter(({ presumes }) => presumes !== 'any').map((row) => row.id);
  for (const { id, presumes = [] } of raw.requirements) {
    const unknown = [presumes].flat().find((each) => each !== 'any' && !others.includes(each));
    if (unknown !== undefined) throw new Error(`${file}: ${id} presumes ${unknown}, which is no requirement`);
  }
  return {
    requirements: raw.requirements.map((row) => ({
      ...judgedRow(row),
      level: row.level,
      alone: row.needs.includes('seed') || row.needs.includes('clock') || (row.alone ?? false),
      long: row.long === true,
      anyData: row.any_data === true,
      passive: row.passive === true,
      cloud: row.cloud,
      presumes: row.presumes === 'any' ? others : (row.presumes ?? []),
    })),
    observations: raw.observations.map(judgedRow),
    excluded: raw.excluded,
    specific: new Set(rows.flatMap((row) => (typeof row.operations === 'string' ? [] : row.operations))),
  };
}

function readRows(file: string): RawLedger {
  const validate = new Ajv2020({ strict: false, validateSchema: false }).compile<RawLedger>(schema);
  const raw = readDocument(file);
  if (validate(raw)) return raw;
  const [first] = validate.errors ?? [];
  throw new Error(`${file}: ${first?.instancePath ?? ''} ${first?.message ?? 'is invalid'}`);
}

function judgedRow(row: RawRow): JudgedRow {
  const { operations } = row;
  if (typeof operations === 'string' && !isSelector(operations)) {
    throw new Error(`${row.id}: ${operations} is no selector`);
  }
  return {
    id: row.id,
    section: row.section,
    says: row.says,
    operations,
    needs: row.needs,
    consumes: row.consumes,
  };
}
