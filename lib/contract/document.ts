import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Reads a YAML or JSON file. @throws Error if it cannot be read or parsed, or its aliases expand too far */
export function readDocument(file: string | URL): unknown {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  // The YAML parser reads JSON too, but takes minutes for a few megabytes.
  return /^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: 10_000 });
}

/** A file of this package, by its path from the package's root. @throws Error if it is missing */
export function shippedFile(path: string): URL {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    // Searches upwards, because the compiled code is one folder deeper than the sources.
    const file = new URL(path, folder);
    if (existsSync(file)) return file;
    if (folder.pathname === '/') throw new Error(`${path} is missing from this installation`);
  }
}

/** A JSON Schema of this package, by its path from the package's root. */
export function shippedSchema(path: string): object {
  return JSON.parse(readFileSync(shippedFile(path), 'utf8'));
}
