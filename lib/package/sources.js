import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which sources a build was made of. Plain JavaScript, like the two that use it: they run before there is anything that knows types.
 */

/** What is built, or copied as it is. */
const built = [
  'lib',
  'suites',
  'fixtures',
  'reports/report.schema.json',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Says what the build in `dist` was made of. It is written last. */
export const recordFile = join('dist', '.sources.json');

/**
 * Every source with its size in bytes and the time of its last change, as one text.
 * @param {string} root the project's folder
 */
export function sourcesOf(root) {
  /** @type {(path: string) => string[]} */
  const under = (path) => {
    const found = statSync(join(root, path));
    if (!found.isDirectory()) return [`${path} ${found.size} ${found.mtimeMs}`];
    return readdirSync(join(root, path))
      .sort()
      .flatMap((name) => under(`${path}/${name}`));
  };
  return JSON.stringify(built.flatMap(under), null, 1);
}

/**
 * True where `dist` was built of exactly the sources that stand beside it.
 * @param {string} root
 */
export function isBuilt(root) {
  try {
    return readFileSync(join(root, recordFile), 'utf8') === sourcesOf(root);
  } catch {
    return false;
  }
}
