import { existsSync, readFileSync } from 'node:fs';

/** The suite's own name. */
export const suiteName = 'tenant-admin-conformance';

/** The suite's version, from the package.json above this file, in the sources and in the package alike. */
export function suiteVersion(): string {
  const file = shippedFile('package.json');
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const version =
    typeof found === 'object' && found !== null && 'version' in found ? found.version : undefined;
  return typeof version === 'string' ? version : '0.0.0';
}

/** The command that starts this program: `npm test --` in a clone, `npx …` where the package is installed. */
export function programName(script: string = process.argv[1] ?? ''): string {
  return /lib[\\/]cli[\\/]main\.ts$/.test(script) ? 'npm test --' : `npx ${suiteName}`;
}

/** A file of this package, by its path from the package's root. Throws where the installation lacks it. */
export function shippedFile(path: string): URL {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    // Beside the sources, or beside the compiled code, which stands a folder deeper.
    const file = new URL(path, folder);
    if (existsSync(file)) return file;
    if (folder.pathname === '/') throw new Error(`${path} is missing from this installation`);
  }
}
