import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The YAML library, loaded by whoever needs it first: most runs of a build need none. */
export const yaml = (): typeof import('yaml') => require('yaml');

/** What a YAML or JSON file holds. @throws Error where it can't be read or is neither */
export function readDocument(file: string): unknown {
  return yaml().parse(readFileSync(file, 'utf8'), { maxAliasCount: -1 });
}

/** Where a YAML file of `fixtures/` stands. */
export function fixtureFile(name: 'openapi' | 'requirements'): string {
  return fileURLToPath(new URL(`../../fixtures/${name}.yaml`, import.meta.url));
}

/** True in a build, which has the same as JSON beside it: that is read in a tenth of the time. */
export function isBuilt(name: 'openapi' | 'requirements'): boolean {
  return existsSync(builtFile(name));
}

/** What it holds. */
export function readFixture(name: 'openapi' | 'requirements'): unknown {
  return isBuilt(name) ? JSON.parse(readFileSync(builtFile(name), 'utf8')) : readDocument(fixtureFile(name));
}

function builtFile(name: 'openapi' | 'requirements'): string {
  return fixtureFile(name).replace(/yaml$/, 'json');
}
