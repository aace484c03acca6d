import { posix } from 'node:path';

/** A file of the tarball, as `npm pack --json` lists it. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

/** Files only for work on this project: tests, their support files, and sources that `dist` contains compiled. */
const internal = /\.test\.|(^|\/)test\/|(?<!\.d)\.ts$/;

/** Maximum bytes of the unpacked package without its dependencies. Half of it is the documentation's screenshots. */
const maximumSize = 6_000_000;

/**
 * Problems of the package's contents, one line each. `files` in package.json and tsconfig.build.json determine the
 * contents; publint checks that the entry points exist.
 */
export function contentProblems(
  files: readonly PackedFile[],
  readText: (path: string) => string,
): readonly string[] {
  const paths = new Set(files.map(({ path }) => path));
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const pages = ['README.md', ...[...paths].filter((path) => path.endsWith('.md') && path !== 'README.md')];
  return [
    ...[...paths]
      .filter((path) => internal.test(path))
      .map((path) => `${path} does not belong in the package`),
    ...pages.flatMap((page) =>
      linksOf(readText(page))
        .filter((link) => !paths.has(posix.join(posix.dirname(page), link)))
        .map((link) => `${page} links to ${link}, which is not in the package`),
    ),
    ...(size > maximumSize ? [`${size} bytes unpacked are more than ${maximumSize}`] : []),
  ];
}

/** Relative links and images of a Markdown page, without fragments. */
function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
}
