import type { Ledger, ObservationRow, RequirementRow } from '../contract/ledger.ts';
import type { Cloud, Contract, Operation } from '../contract/model.ts';
import { select } from '../contract/select.ts';
import type { Check } from './requirement.ts';

/** A row of the ledger with its check and the operations that it applies to. */
export interface ApplicableRow<Row> {
  readonly id: string;
  readonly row: Row;
  readonly check: Check;
  /** Empty if the row concerns no operation under the base URL. */
  readonly operations: readonly Operation[];
}

export type ApplicableRequirement = ApplicableRow<RequirementRow>;
export type ApplicableObservation = ApplicableRow<ObservationRow>;

export type Applicable = ApplicableRequirement | ApplicableObservation;

/** The requirements and observations that apply to this contract and kind of cloud, in the order of their rows. */
export function applicable(ledger: Ledger, suite: readonly Check[], contract: Contract, cloud: Cloud) {
  const checks = new Map(suite.map((check) => [check.id, check]));
  const rowsOf = <Row extends ObservationRow>(rows: readonly Row[]): ApplicableRow<Row>[] =>
    rows.flatMap((row) => {
      const check = checks.get(row.id);
      const operations = select(contract, row.operations, ledger.specific);
      const isGeneral = typeof row.operations !== 'string' && row.operations.length === 0;
      if (check === undefined || (operations.length === 0 && !isGeneral)) return [];
      if (check.kind !== 'exchange' && check.cloud !== undefined && check.cloud !== cloud) return [];
      return [{ id: row.id, row, check, operations }];
    });
  return { requirements: rowsOf(ledger.requirements), observations: rowsOf(ledger.observations) };
}

/** The operations that a row is judged on, one after another; `[undefined]` if it concerns no operation. */
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
