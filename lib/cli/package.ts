import { readFileSync } from 'node:fs';
import { shippedFile } from '../contract/document.ts';
import { isObject } from '../contract/json.ts';

/** The suite's own name. */
export const suiteName = 'tenant-admin-conformance';

/** The suite's version, from the package.json above this file, both in the sources and in the package. */
export function suiteVersion(): string {
  const found: unknown = JSON.parse(readFileSync(shippedFile('package.json'), 'utf8'));
  return isObject(found) ? String(found.version) : '';
}

/** The command that starts this program: `npm test --` in a clone, `npx …` if the package is installed. */
export function programName(script: string = process.argv[1] ?? ''): string {
  return /lib[\\/]cli[\\/]main\.ts$/.test(script) ? 'npm test --' : `npx ${suiteName}`;
}

/** The same for commands whose output a script reads: `npm test` prints more than the program does. */
export function pipedProgramName(): string {
  return programName() === 'npm test --' ? 'npx tsx lib/cli/main.ts' : programName();
}
