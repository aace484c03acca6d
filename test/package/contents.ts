import { posix } from 'node:path';

/** A file of the tarball, as `npm pack --json` lists it. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

/** What is only for work on this project: tests and what they use, and sources that `dist` has compiled. */
const internal = /\.test\.|(^|\/)test\/|(?<!\.d)\.ts$/;

/** Bytes of the unpacked package, without its dependencies; half of it is the screenshots of the documentation. */
const maximumSize = 6_000_000;

/**
 * What is wrong with the package's contents, one line each. What belongs in it is said by `files` in package.json and by
 * tsconfig.build.json; that its entry points are there is checked by publint.
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
