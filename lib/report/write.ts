import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writableReport } from './bounds.ts';
import { type FormatOptions, formats } from './formats.ts';
import { annotations, appendStepSummary } from './github.ts';
import type { Report } from './report.ts';

export interface WriteOptions extends FormatOptions {
  /** Takes the run's secrets out of a text; applied once to everything that is written. Default: nothing is taken out. */
  readonly scrub?: (text: string) => string;
  /** Environment in which GitHub Actions is looked for. Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where annotations for GitHub Actions are printed. Default: standard output. */
  readonly print?: (text: string) => void;
}

/**
 * Writes every format of the report into the directory, which is made where it is missing. Each file is written beside its
 * place and then moved, so that a reader never sees half of one.
 * @returns the paths written
 * @throws the first error, once everything else has been written
 */
export async function writeReports(
  report: Report,
  directory: string,
  options: WriteOptions = {},
): Promise<string[]> {
  const { env = process.env, print = (text: string) => process.stdout.write(text) } = options;
  const writable = writableReport(report, options.scrub);
  await mkdir(directory, { recursive: true });
  const written: string[] = [];
  const errors: unknown[] = [];
  for (const { file, render } of formats) {
    const path = join(directory, file);
    try {
      const text = render(writable, options);
      if (text === undefined) await rm(path, { force: true });
      else {
        await writeAtomically(path, text);
        written.push(path);
      }
    } catch (error) {
      errors.push(error);
    }
  }
  const commands = annotations(writable, env);
  if (commands !== '') print(commands);
  await appendStepSummary(writable, env);
  if (errors.length > 0) throw errors[0];
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
