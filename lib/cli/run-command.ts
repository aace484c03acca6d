import { startProgress } from '../report/progress.ts';
import type { Report } from '../report/report.ts';
import { exitCode } from '../report/summary.ts';
import { withoutWorkflowCommands } from '../report/text.ts';
import { watchInterrupts } from './interrupts.ts';
import type { Settings } from './options.ts';
import { renderPreflight } from './preflight-screen.ts';
import { publish } from './publish.ts';
import { defaultReportDir, lockReportDir } from './report-dir.ts';
import { judge } from './run.ts';
import { type ResolvedOptions, readSettings, suspiciousVariables } from './settings.ts';

/** Seconds that a run in CI may take by default: a pipeline must end. */
const ciMaxTime = 1800;

/** `npm test -- …`: tests a target, writes the reports, prints the summary. Returns the exit code. */
export async function runCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const given = readSettings(flags, process.env);
  for (const line of suspiciousVariables(process.env)) process.stderr.write(`warning: ${line}\n`);
  const resolved = given.settings.failed ? await onlyFailed(given) : given;
  const { settings } = resolved;
  if (settings.failed && settings.only?.length === 0) {
    process.stderr.write(`nothing failed in the report in ${settings.reportDir ?? defaultReportDir}\n`);
    return 3;
  }
  if (settings.list) {
    const { listCommand } = await import('./list.ts');
    return listCommand(resolved, (text) => process.stdout.write(text));
  }
  if (settings.dryRun) {
    const { dryRunCommand } = await import('./dry-run.ts');
    // A closed pipe (`| head`) makes the rest pointless.
    process.stdout.once('error', () => process.exit(0));
    return dryRunCommand(resolved, (text) => process.stdout.write(text));
  }
  const unlock = lockReportDir(settings.reportDir ?? defaultReportDir);
  try {
    return await run({ ...resolved, settings: withDefaults(settings) });
  } finally {
    unlock();
  }
}

async function onlyFailed(resolved: ResolvedOptions): Promise<ResolvedOptions> {
  const { failedIds } = await import('./failed.ts');
  return { ...resolved, settings: { ...resolved.settings, only: failedIds(resolved.settings) } };
}

function withDefaults(settings: Settings): Settings {
  return {
    reportDir: defaultReportDir,
    ...(process.env.CI === 'true' && { maxTime: ciMaxTime }),
    ...settings,
  };
}

async function run(resolved: ResolvedOptions): Promise<number> {
  const { settings } = resolved;
  const interrupts = watchInterrupts();
  // In a pipeline --quiet is silent until the end.
  const isQuiet = settings.quiet === true && process.stderr.isTTY !== true;
  const progress = isQuiet ? undefined : startProgress(process.stderr);
  const say = (text: string) => {
    progress?.clear();
    process.stderr.write(withoutWorkflowCommands(text));
  };
  try {
    const report = await judge(resolved, {
      signal: interrupts.signal,
      onProgress: ({ done, total, requests, estimated, current }) =>
        progress?.update({
          done,
          total,
          requests,
          running: [current],
          ...(estimated !== undefined && { expectedRequests: estimated }),
        }),
      onPreflight: (found) => {
        if (settings.quiet !== true || found.fatal !== undefined)
          say(renderPreflight(settings.baseUrl ?? '', found, process.stderr.columns));
      },
      onTrouble: (message) => say(`warning: ${message}\n`),
    });
    progress?.end();
    const settled = await withBaseline(report, settings).catch(async (error: unknown) => {
      // What was found is not lost with the baseline.
      await publish(report, settings);
      throw error;
    });
    const isWritten = await publish(settled, settings);
    if (interrupts.interrupted()) return 130;
    const code = exitCode(settled, settings);
    return isWritten || code !== 0 ? code : 3;
  } finally {
    progress?.end();
    interrupts.end();
  }
}

/** The report, once its failures are written to the baseline if that was asked for. */
async function withBaseline(report: Report, { baseline, updateBaseline }: Settings): Promise<Report> {
  if (!updateBaseline || baseline === undefined) return report;
  const { saveBaseline } = await import('./baseline-file.ts');
  return saveBaseline(report, baseline);
}
