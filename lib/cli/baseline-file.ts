import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Ledger, RequirementRow } from '../contract/ledger.ts';
import { applyBaseline, checkBaselineIds, parseBaseline, updateBaseline } from '../report/baseline.ts';
import type { BaselineRow, Report } from '../report/report.ts';
import { labelErrors } from './files.ts';
import { UsageError } from './usage.ts';

/**
 * The known failures that a file lists.
 * @param operationsOf ids of the operations to which a requirement applies
 * @param mayBeMissing true if the file is about to be written
 * @throws UsageError for a file that can't be read or names a requirement or an operation that it can't fail on
 */
export function readBaseline(
  file: string,
  ledger: Ledger,
  operationsOf: (row: RequirementRow) => readonly string[],
  mayBeMissing = false,
): readonly BaselineRow[] {
  const text = readText(file, mayBeMissing);
  return labelErrors(file, () => {
    const rows = parseBaseline(text);
    checkBaselineIds(rows, new Map(ledger.requirements.map((row) => [row.id, operationsOf(row)])));
    return rows;
  });
}

/** Writes the report's failures to the file. Returns the report, compared with the new baseline. */
export function saveBaseline(report: Report, file: string): Report {
  const text = updateBaseline(readText(file, true), report);
  labelErrors('--baseline', () => writeFileSync(file, text));
  return { ...report, baseline: applyBaseline(parseBaseline(text), report) };
}

function readText(file: string, mayBeMissing: boolean): string {
  if (existsSync(file)) return labelErrors('--baseline', () => readFileSync(file, 'utf8'));
  if (mayBeMissing) return '';
  throw new UsageError(`--baseline: there is no file ${file}; --update-baseline creates it`);
}
