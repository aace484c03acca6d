import { readFileSync, writeFileSync } from 'node:fs';
import type { Ledger } from '../contract/ledger.ts';
import { applyBaseline } from '../report/baseline.ts';
import { BaselineError, checkBaselineIds, parseBaseline, updateBaseline } from '../report/baseline-text.ts';
import type { BaselineRow, Report } from '../report/report.ts';
import { oneLine, UsageError } from './usage.ts';

/**
 * The known failures that a file lists.
 * @param mayBeMissing true if the file is about to be written
 * @throws UsageError for a file that can't be read or names an unknown requirement
 */
export function readBaseline(file: string, ledger: Ledger, mayBeMissing = false): readonly BaselineRow[] {
  try {
    const rows = parseBaseline(readText(file, mayBeMissing));
    checkBaselineIds(rows, new Set(ledger.requirements.map(({ id }) => id)));
    return rows;
  } catch (error) {
    if (error instanceof BaselineError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Writes the report's failures to the file. Returns the report, compared with the new baseline. */
export function saveBaseline(report: Report, file: string): Report {
  const text = updateBaseline(readText(file, true), report);
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`--baseline: ${oneLine(error)}`);
  }
  return { ...report, baseline: applyBaseline(parseBaseline(text), report) };
}

function readText(file: string, mayBeMissing: boolean): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (missing && mayBeMissing) return '';
    throw new UsageError(
      missing
        ? `--baseline: there is no file ${file}; --update-baseline creates it`
        : `--baseline: ${oneLine(error)}`,
    );
  }
}
