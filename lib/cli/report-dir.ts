import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine } from '../contract/one-line.ts';
import { parseReportText } from '../report/parse.ts';
import type { Report } from '../report/report.ts';
import { renderTerminal, wantsColor } from '../report/terminal.ts';
import { writeReports } from '../report/write.ts';
import { labelErrors } from './files.ts';
import { defaultReportDir, type Settings } from './options.ts';
import { printError } from './output.ts';
import { UsageError } from './usage.ts';

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

/**
 * Writes the reports and prints the summary.
 * @param code the exit code that the report calls for
 * @returns this exit code; 3 in place of 0 if the reports could not be written, such as on a full disk
 */
export async function publish(report: Report, settings: Settings, code: number): Promise<number> {
  const { reportDir = defaultReportDir, har, quiet = false } = settings;
  const failure: unknown = await writeReports(report, reportDir, har).catch((error: unknown) => error);
  const { columns } = process.stdout;
  process.stdout.write(
    renderTerminal(report, { color: wantsColor(process.stdout), columns, quiet, reportDir }),
  );
  if (failure !== undefined)
    printError(`error: the reports could not be written to ${reportDir}: ${oneLine(failure)}\n`);
  else if (!quiet)
    process.stdout.write(`reports in ${reportDir}: index.html, report.json, junit.xml, summary.md\n`);
  return failure === undefined || code !== 0 ? code : 3;
}
