import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from './report.ts';

/** The directory of the scripts that repeat failures, and of their data sets. */
export function scriptDirectory(reportDir: string): string {
  return `${reportDir}/repeat`;
}

/** `4.2-take-maximum.sh` */
export function scriptName(id: string): string {
  return `${id.replaceAll('/', '-')}.sh`;
}

/** The scripts that repeat failures, and their data sets. */
export async function writeScripts(
  { requirements, data_sets = {} }: Report,
  reportDir: string,
): Promise<void> {
  const directory = scriptDirectory(reportDir);
  await rm(directory, { recursive: true, force: true });
  const scripts = requirements.flatMap(({ id, reproduce, exchanges }) =>
    reproduce === undefined || exchanges.length === 0 ? [] : [[scriptName(id), `${reproduce}\n`] as const],
  );
  if (scripts.length === 0) return;
  await mkdir(directory, { recursive: true });
  // They name files, and the suite itself in a clone, by relative paths.
  const first = '# Run it in the directory in which the suite ran.\n';
  for (const [name, text] of scripts) await writeFile(join(directory, name), first + text);
  for (const [name, dataSet] of Object.entries(data_sets))
    await writeFile(join(directory, `${name}.json`), JSON.stringify(dataSet));
}
