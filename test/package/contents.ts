/** A file of the tarball, as `npm pack --json` lists it. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

/** Everything that the package may hold: what is built, its types, fixtures and schemas, and what people read. */
const allowed = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/(lib|suites)\/.+\.(js|d\.ts)$/,
  /^dist\/fixtures\/[a-z.]+\.(yaml|json)$/,
  /^dist\/reports\/report\.schema\.json$/,
];

/** What is built from here is for this project's own use. */
const ours = /\.test\./;

const wanted = [
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
];

/** Bytes that the package may have once it is unpacked, without its dependencies. */
const largest = 3_000_000;

/** What is wrong with the package's contents, one line each. */
export function contentTroubles(files: readonly PackedFile[]): string[] {
  const paths = files.map(({ path }) => path);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return [
    ...paths
      .filter((path) => ours.test(path) || !allowed.some((pattern) => pattern.test(path)))
      .map((path) => `${path} does not belong into the package`),
    ...wanted.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`),
    ...(bytes > largest ? [`${bytes} bytes unpacked are more than ${largest}`] : []),
  ];
}
