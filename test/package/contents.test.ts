import { expect, test } from 'vitest';
import { contentTroubles } from './contents.ts';

const whole = [
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'dist/lib/index.js',
  'dist/lib/index.d.ts',
  'dist/lib/cli/main.js',
  'dist/suites/index.js',
  'dist/fixtures/openapi.yaml',
  'dist/fixtures/requirements.yaml',
  'dist/fixtures/tenant.json',
  'dist/fixtures/profile.schema.json',
  'dist/reports/report.schema.json',
].map((path) => ({ path, size: 1000 }));

test('a package that holds what it should', () => {
  expect(contentTroubles(whole)).toEqual([]);
});

test.each([
  'dist/lib/fake/fake.test.js',
  'dist/bench/main.js',
  'lib/index.ts',
  'vitest.config.ts',
  'reports/index.html',
])('%s is found', (path) => {
  expect(contentTroubles([...whole, { path, size: 1 }])).toEqual([
    `${path} does not belong into the package`,
  ]);
});

test('a missing file and too many bytes are found', () => {
  expect(contentTroubles(whole.slice(1))).toEqual(['package.json is missing']);
  expect(contentTroubles([...whole.slice(1), { path: 'package.json', size: 4_000_000 }])).toHaveLength(1);
});
