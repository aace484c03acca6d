import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** Reads a YAML or JSON file. @throws Error if it cannot be read or parsed, or its aliases expand to too much */
export function readDocument(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  // The parser of YAML reads JSON too, but takes minutes for a few megabytes.
  return /^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: 10_000 });
}

/** Path of a YAML file in `fixtures/`. */
export function fixtureFile(name: 'openapi' | 'requirements'): string {
  return fileURLToPath(new URL(`../../fixtures/${name}.yaml`, import.meta.url));
}
