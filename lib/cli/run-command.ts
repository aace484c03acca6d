import { startProgress } from '../report/progress.ts';
import { exitCode } from '../report/summary.ts';
import { saveBaseline } from './baseline-file.ts';
import { failedNames, withEarlierFailures } from './failed.ts';
import { watchInterrupts } from './interrupts.ts';
import { lockReportDir } from './lock.ts';
import { defaultReportDir, type Flags } from './options.ts';
import { printError } from './output.ts';
import { publish } from './report-dir.ts';
import { runWithOptions } from './run.ts';
import { type ResolvedOptions, readSettings, suspiciousVariables } from './settings.ts';

/** Seconds that a run in CI may take by default: a pipeline must end. */
const ciMaxTime = 1800;

/** `npm test -- …`: tests a target, writes the reports, prints the summary. Returns the exit code. */
export async function runCommand(flags: Flags): Promise<number> {
  const given = readSettings(flags, process.env);
  for (const line of suspiciousVariables(process.env)) printError(`warning: ${line}\n`);
  const { reportDir = defaultReportDir, failed, only } = given.settings;
  const settings = { ...given.settings, ...(failed && { only: failedNames(given.settings) }) };
  if (failed && settings.only?.length === 0) {
    const what = only === undefined ? 'nothing' : 'nothing that --only selects';
    printError(`${what} failed in the report in ${reportDir}\n`);
    return 3;
  }
  const resolved = { ...given, settings };
  if (settings.list) {
    const { listCommand } = await import('./list.ts');
    return listCommand(resolved);
  }
  if (settings.dryRun) {
    const { dryRunCommand } = await import('./dry-run.ts');
    // A closed pipe (`| head`) makes the rest pointless.
    process.stdout.once('error', () => process.exit(0));
    return dryRunCommand(resolved);
  }
  if (settings.watch) return (await import('./watch.ts')).watchCommand(resolved);
  const release = lockReportDir(reportDir);
  const maxTime = process.env.CI === 'true' ? { maxTime: ciMaxTime } : {};
  try {
    return await run({ ...resolved, settings: { ...maxTime, ...settings, reportDir } });
  } finally {
    release();
  }
}

async function run(resolved: ResolvedOptions): Promise<number> {
  const { settings } = resolved;
  const interrupts = watchInterrupts();
  const progress = startProgress(process.stderr);
  const print = (text: string) => {
    progress.clear();
    printError(text);
  };
  let code = 3;
  try {
    const found = await runWithOptions(resolved, {
      signal: interrupts.signal,
      onProgress: (state) => progress.update(state),
      onPreflight: (screen, isFatal) => {
        if (settings.quiet !== true || isFatal) print(screen);
      },
      onTrouble: (message) => print(`warning: ${message}\n`),
    });
    progress.clear();
    const report = withEarlierFailures(found, settings.reportDir ?? defaultReportDir);
    let withBaseline = report;
    try {
      if (settings.updateBaseline && settings.baseline !== undefined)
        withBaseline = saveBaseline(report, settings.baseline);
    } finally {
      // Even if the baseline can't be written, so that the results are not lost.
      code = await publish(withBaseline, settings, exitCode(withBaseline, settings));
    }
    return interrupts.interrupted() ? 130 : code;
  } finally {
    progress.clear();
    interrupts.end();
  }
}
