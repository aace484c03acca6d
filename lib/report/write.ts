import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderBadge } from './badge.ts';
import { reportText, writableReport } from './bounds.ts';
import { renderCtrf } from './ctrf.ts';
import { annotations, renderMarkdown } from './github.ts';
import { type HarMode, renderHar } from './har.ts';
import { renderHtml } from './html/page.ts';
import { renderJunit } from './junit.ts';
import type { Report } from './report.ts';
import { writeScripts } from './scripts.ts';
import { jsonText } from './text.ts';

/** All files that are made from a report. The report comes first, so that it exists even if another file cannot be written. */
const formats: readonly (readonly [
  file: string,
  render: (report: Report, har: HarMode) => string | undefined,
])[] = [
  ['report.json', reportText],
  ['junit.xml', renderJunit],
  ['ctrf.json', (report) => jsonText(renderCtrf(report))],
  ['summary.md', renderMarkdown],
  ['index.html', renderHtml],
  ['badge.svg', renderBadge],
  ['exchanges.har', (report, har) => (har === 'none' ? undefined : jsonText(renderHar(report, har)))],
];

/**
 * Writes every format of the report into the directory, which is made if it is missing. Each file is written next to its
 * place and then moved, so that a reader never sees half of one.
 * @param har which exchanges `exchanges.har` contains; `none` writes no such file, and removes one from an earlier run
 * @param env where GitHub Actions is looked for, which gets annotations and a summary too
 * @throws the first error, once everything else has been written
 */
export async function writeReports(
  report: Report,
  directory: string,
  har: HarMode = 'failures',
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const writable = writableReport(report);
  await mkdir(directory, { recursive: true });
  const errors: unknown[] = [];
  for (const [file, render] of formats) {
    const path = join(directory, file);
    try {
      const text = render(writable, har);
      if (text === undefined) await rm(path, { force: true });
      else await writeAtomically(path, text);
    } catch (error) {
      errors.push(error);
    }
  }
  await writeScripts(writable, directory).catch((error: unknown) => errors.push(error));
  if (env.GITHUB_ACTIONS === 'true') process.stdout.write(annotations(writable));
  if (env.GITHUB_STEP_SUMMARY) await appendFile(env.GITHUB_STEP_SUMMARY, renderMarkdown(writable));
  if (errors.length > 0) throw errors[0];
}

async function writeAtomically(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
