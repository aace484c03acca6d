import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseReportText } from '../report/parse.ts';
import type { Report } from '../report/report.ts';
import { labelErrors } from './files.ts';
import { UsageError } from './usage.ts';

/** Where reports go by default. */
export const defaultReportDir = 'reports';

/**
 * The report in a file, or in a directory's `report.json`.
 * @throws UsageError
 */
export function readReport(place: string): Report {
  const isDirectory = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isDirectory ? join(place, 'report.json') : place;
  if (!existsSync(file)) throw new UsageError(`there is no report at ${place}`);
  return labelErrors(place, () => parseReportText(readFileSync(file, 'utf8')));
}
