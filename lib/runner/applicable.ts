import type { Ledger, ObservationRow, RequirementRow } from '../contract/ledger.ts';
import type { Cloud, Contract, Operation } from '../contract/model.ts';
import { select } from '../contract/select.ts';
import type { Check, ExchangeCheck, ObservationCheck, RequirementCheck } from './requirement.ts';

/** A row of the ledger with its check and the operations that it applies to. */
interface ApplicableRow<Row, Code extends Check> {
  readonly id: string;
  readonly row: Row;
  readonly check: Code;
  /** Empty if the row concerns no operation under the base URL. */
  readonly operations: readonly Operation[];
}

export type ApplicableRequirement = ApplicableRow<RequirementRow, RequirementCheck | ExchangeCheck>;
export type ApplicableObservation = ApplicableRow<ObservationRow, ObservationCheck>;

export type Applicable = ApplicableRequirement | ApplicableObservation;

/** The requirements and observations that apply to this contract and kind of cloud, in the order of their rows. */
export function applicable(ledger: Ledger, suite: readonly Check[], contract: Contract, cloud: Cloud) {
  const rowsOf = <Row extends ObservationRow, Code extends Check>(
    rows: readonly Row[],
    checks: ReadonlyMap<string, Code>,
  ): ApplicableRow<Row, Code>[] =>
    rows.flatMap((row) => {
      const check = checks.get(row.id);
      const operations = select(contract, row.operations, ledger.specific);
      const isGeneral = typeof row.operations !== 'string' && row.operations.length === 0;
      if (check === undefined || (operations.length === 0 && !isGeneral)) return [];
      if (check.kind !== 'exchange' && check.cloud !== undefined && check.cloud !== cloud) return [];
      return [{ id: row.id, row, check, operations }];
    });
  const requirements = suite.filter((check) => check.kind !== 'observation');
  const observations = suite.filter((check) => check.kind === 'observation');
  return {
    requirements: rowsOf(ledger.requirements, new Map(requirements.map((check) => [check.id, check]))),
    observations: rowsOf(ledger.observations, new Map(observations.map((check) => [check.id, check]))),
  };
}

/** The operations that a row is judged on, one after another; only undefined if it concerns none. */
export function judgedOn<Each>(operations: readonly Each[]): readonly (Each | undefined)[] {
  return operations.length === 0 ? [undefined] : operations;
}

/** Sorts the rows with these ids first, in the order of the ids. All others keep their order. */
export function inOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  order: readonly string[] = [],
): readonly Row[] {
  const ranks = new Map(order.map((id, index) => [id, index]));
  const rankOf = ({ id }: Row) => ranks.get(id) ?? order.length;
  return rows.toSorted((one, other) => rankOf(one) - rankOf(other));
}
