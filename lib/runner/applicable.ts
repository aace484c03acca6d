import type { Ledger, ObservationRow, RequirementRow } from '../contract/ledger.ts';
import type { Cloud, Contract, Operation } from '../contract/model.ts';
import { select } from '../contract/select.ts';
import type { Check, ExchangeCheck, Observation, RequirementCheck } from './requirement.ts';

/** A row of the ledger with its code and the operations of a contract that it is judged on. */
interface ApplicableRow<Row, Code> {
  readonly id: string;
  readonly row: Row;
  readonly check: Code;
  /** Empty where it concerns no operation under the base address. */
  readonly operations: readonly Operation[];
}

export type ApplicableRequirement = ApplicableRow<RequirementRow, RequirementCheck | ExchangeCheck>;
/** What is only recorded. */
export type ApplicableObservation = ApplicableRow<ObservationRow, Observation>;

export type Applicable = ApplicableRequirement | ApplicableObservation;

/** What of the suite is about this contract and kind of cloud, in the rows' order. */
export function applicable(ledger: Ledger, suite: readonly Check[], contract: Contract, cloud: Cloud) {
  const concerning = <Row extends ObservationRow, Code extends Check>(
    rows: readonly Row[],
    checks: ReadonlyMap<string, Code>,
  ): ApplicableRow<Row, Code>[] =>
    rows.flatMap((row) => {
      const check = checks.get(row.id);
      const operations = select(contract, row.operations, ledger.specific);
      const general = typeof row.operations !== 'string' && row.operations.length === 0;
      if (check === undefined || (operations.length === 0 && !general)) return [];
      if (check.kind !== 'exchange' && check.cloud !== undefined && check.cloud !== cloud) return [];
      return [{ id: row.id, row, check, operations }];
    });
  const requirements = suite.filter((check) => check.kind !== 'observation');
  const observations = suite.filter((check) => check.kind === 'observation');
  return {
    requirements: concerning(ledger.requirements, new Map(requirements.map((check) => [check.id, check]))),
    observations: concerning(ledger.observations, new Map(observations.map((check) => [check.id, check]))),
  };
}

/** The rows with these ids first, in their order. */
export function inOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  order: readonly string[] = [],
): readonly Row[] {
  const ranks = new Map(order.map((id, index) => [id, index]));
  const rankOf = ({ id }: Row) => ranks.get(id) ?? order.length;
  return rows.toSorted((one, other) => rankOf(one) - rankOf(other));
}
