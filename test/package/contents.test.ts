import { expect, test } from 'vitest';
import { contentProblems } from './contents.ts';

const texts: Readonly<Record<string, string>> = {
  'README.md': '[a](docs/a.md#part), ![p](docs/p.png), [site](https://a.example/), [here](#here)',
  'docs/a.md': '[b](../README.md)',
};
const paths = ['README.md', 'docs/a.md', 'docs/p.png', 'dist/lib/index.js', 'dist/lib/index.d.ts'];
const problems = (...more: readonly string[]) =>
  contentProblems(
    [...paths, ...more].map((path) => ({ path, size: 1000 })),
    (path) => texts[path] ?? '',
  );

test('a package without problems', () => {
  expect(problems()).toEqual([]);
});

test.each(['dist/lib/fake/fake.test.js', 'dist/lib/mutation/test/main.js', 'lib/index.ts', 'docs/docs.ts'])(
  '%s is refused',
  (path) => {
    expect(problems(path)).toEqual([`${path} does not belong in the package`]);
  },
);

test('a broken link and too many bytes are found', () => {
  const found = contentProblems([{ path: 'README.md', size: 7_000_000 }], () => '[a](docs/a.md)');
  expect(found).toEqual([
    'README.md links to docs/a.md, which is not in the package',
    '7000000 bytes unpacked are more than 6000000',
  ]);
});
