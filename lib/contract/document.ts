import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** Reads a YAML or JSON file. @throws Error if it cannot be read or parsed */
export function readDocument(file: string): unknown {
  return parse(readFileSync(file, 'utf8'), { maxAliasCount: -1 });
}

/** Path of a YAML file in `fixtures/`. */
export function fixtureFile(name: 'openapi' | 'requirements'): string {
  return fileURLToPath(new URL(`../../fixtures/${name}.yaml`, import.meta.url));
}
