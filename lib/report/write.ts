import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderBadge } from './badge.ts';
import { annotations, appendStepSummary } from './github.ts';
import { type HarMode, renderHar } from './har.ts';
import { renderHtml } from './html/page.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import type { Report } from './report.ts';
import { jsonText } from './text.ts';

export interface WriteOptions {
  /** Which exchanges `exchanges.har` holds; `none` writes no such file. Default `failures`. */
  readonly har?: HarMode;
  /** Environment in which GitHub Actions is looked for. Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where annotations for GitHub Actions are printed. Default: standard output. */
  readonly print?: (text: string) => void;
}

/**
 * Writes the report and everything that is made from it into the directory, which is made where it is missing. Each file is
 * written beside its place and then moved, so that a reader never sees half of one. Returns the paths written.
 */
export async function writeReports(
  report: Report,
  directory: string,
  options: WriteOptions = {},
): Promise<string[]> {
  const env = options.env ?? process.env;
  const har = options.har ?? 'failures';
  await mkdir(directory, { recursive: true });
  // The report first: should one of the others be impossible, it is there.
  const files: readonly (readonly [name: string, render: () => string])[] = [
    ['report.json', () => jsonText(report)],
    ['junit.xml', () => renderJunit(report)],
    ['summary.md', () => renderMarkdown(report)],
    ['index.html', () => renderHtml(report)],
    ['badge.svg', () => renderBadge(report)],
    ...(har === 'none' ? [] : [['exchanges.har', () => jsonText(renderHar(report, har))] as const]),
  ];
  const written: string[] = [];
  for (const [name, render] of files) {
    const path = join(directory, name);
    await writeAtomically(path, render());
    written.push(path);
  }
  // An archive of an earlier run beside this report would be taken for this one's.
  if (har === 'none') await rm(join(directory, 'exchanges.har'), { force: true });
  const commands = annotations(report, env);
  if (commands !== '') (options.print ?? ((text) => process.stdout.write(text)))(commands);
  await appendStepSummary(report, env);
  return written;
}

/** Writes the file beside its place, then moves it there. */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
