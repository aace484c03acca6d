import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run, start } from './command.ts';
import { contentProblems, type PackedFile } from './contents.ts';
import { runDockerfile } from './dockerfile.ts';
import { runnerPackages, useRunners } from './runners.ts';
import { runVitestSuite } from './vitest-suite.ts';

/** `npm run pack:test [-- --node 20,22,24]`: packs, installs into an empty project, and uses the package as users do. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({ options: { node: { type: 'string', default: '' } } });
/** Not exported: constants that public types are derived from. */
const derivedFrom = ['table', 'Values', 'methods'];
const versions = values.node.split(',').filter(Boolean);
const folder = mkdtempSync(join(tmpdir(), 'package-'));
const project = join(folder, 'project');

try {
  // The image needs nothing of the package.
  await Promise.all([usePackage(), useImage()]);
  say('the package works');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function usePackage(): Promise<void> {
  const tarball = await pack();
  await Promise.all([lint(tarball), checkApi(), useInstalled(tarball)]);
}

async function useInstalled(tarball: string): Promise<void> {
  await install(tarball);
  const nodes = versions.length === 0 ? [process.execPath] : await Promise.all(versions.map(nodeOf));
  // First what needs only the package, before anything else is installed.
  for (const node of nodes) await useBinary(node);
  await run(project, 'npx', '--no-install', 'tenant-admin-conformance', '--only', '4.5', '--quiet');
  await compileExamples();
  for (const node of nodes) await useLibrary(node);
}

async function pack(): Promise<string> {
  const { stdout } = await run(root, 'npm', 'pack', '--json', '--silent', '--pack-destination', folder);
  // The build prints first; npm's JSON is an array of packages.
  const listed: unknown = JSON.parse(stdout.slice(stdout.search(/^\[/m)));
  const [packed] = Array.isArray(listed) ? listed : [];
  const files: readonly PackedFile[] = packed.files;
  const problems = contentProblems(files, (path) => readFileSync(join(root, path), 'utf8'));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  say(`${files.length} files, ${packed.unpackedSize} bytes unpacked`);
  return join(folder, packed.filename);
}

async function lint(tarball: string): Promise<void> {
  await run(root, 'npx', '--no-install', 'publint', 'run', tarball, '--strict');
  // This package is ESM only; the profile ignores resolutions that do not support ESM.
  await run(root, 'npx', '--no-install', 'attw', tarball, '--profile', 'esm-only');
  say('publint and attw (profile esm-only) are clean');
}

/** Checks that the public types match the API report, and that every type in a signature is exported. */
async function checkApi(): Promise<void> {
  await run(root, 'npx', '--no-install', 'api-extractor', 'run').catch((error: unknown) => {
    throw new Error(`${error}\nAfter an intended change of the public API: npm run api, and commit etc/`);
  });
  const report = readFileSync(join(root, 'etc/tenant-admin-conformance.api.md'), 'utf8');
  const notExported = [...report.matchAll(/ae-forgotten-export\) The symbol "(\w+)"/g)].map(
    ([, name = '']) => name,
  );
  const unexpected = notExported.filter((name) => !derivedFrom.includes(name));
  if (unexpected.length > 0) throw new Error(`lib/index.ts does not export ${unexpected.join(', ')}`);
  say('the public API is that of its report');
}

async function install(tarball: string): Promise<void> {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
}

/** The executable of another version of Node. */
async function nodeOf(version: string): Promise<string> {
  const { stdout } = await run(
    folder,
    'npx',
    '-y',
    '-p',
    `node@${version}`,
    'node',
    '-p',
    'process.execPath',
  );
  return stdout.trim();
}

/** Judges the embedded fake, for which every stated requirement must be judged, and tokens by a fake in another process. */
async function useBinary(node: string): Promise<void> {
  const main = 'node_modules/tenant-admin-conformance/dist/lib/cli/main.js';
  const judge = ['--runs', '3', '--seed', '1', '--quiet'];
  const embedded = await run(project, node, main, ...judge, '--strict', '--complete');
  await run(project, node, main, 'keys', '--out', 'key.jwk', '--jwks', 'jwks.json', '--force');
  const client = ['--client-id', 'tester', '--client-secret', 'a-secret-of-the-test'];
  const trust = ['--control-port', '0', '--trusted-jwks', 'jwks.json', ...client];
  const fake = start(project, node, main, 'fake', ...trust);
  const startMessage = await fake.until('Ctrl-C stops it.');
  const address = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(startMessage)?.[1] ?? '';
  const target = ['--base-url', address('base URL'), '--control', address('control'), ...client];
  const tokens = ['--signing-key', 'key.jwk', '--only', '5'];
  const other = await run(project, node, main, ...target, ...tokens, ...judge);
  fake.child.kill('SIGINT');
  await fake.ended;
  const { stdout } = await run(project, node, '--version');
  for (const { printed } of [embedded, other]) say(`${stdout.trim()}: ${/[✓○].*/.exec(printed)?.[0]}`);
}

/** Type-checks the examples against the package's types, as a user would. */
async function compileExamples(): Promise<void> {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const needed = ['vitest', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);
  await run(
    project,
    'npm',
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '-D',
    ...needed,
    ...runnerPackages,
  );
  cpSync(join(root, 'examples'), join(project, 'sources'), {
    recursive: true,
    // Without the test that runs them here, and without the servers, which do not use the package.
    filter: (path) => !path.endsWith('examples.test.ts') && !path.endsWith('examples/servers'),
  });
  cpSync(join(root, 'test/package/runners'), join(project, 'sources/runners'), { recursive: true });
  const options = {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    rewriteRelativeImportExtensions: true,
    rootDir: 'sources',
    outDir: 'examples',
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['sources'] }),
  );
  await run(project, process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json');
  rmSync(join(project, 'sources'), { recursive: true });
  say("the examples compile with the package's types");
}

async function useLibrary(node: string): Promise<void> {
  const files = ['client', 'conformance'].map((name) => `examples/node-test/${name}.js`);
  await run(project, node, '--test', ...files);
  await run(project, node, 'node_modules/vitest/vitest.mjs', 'run');
  const { stdout } = await run(project, node, '--version');
  say(`${stdout.trim()}: the examples pass under node:test and vitest`);
  const [suite, runners] = await Promise.all([
    runVitestSuite(project, node),
    useRunners(project, join(project, 'examples/runners'), node),
  ]);
  say(`${stdout.trim()}: the suite in vitest: ${suite}`);
  say(`${stdout.trim()}: the fake serves tests under ${runners.join('; ')}`);
}

/** Runs the steps of the Dockerfile and the command that they install. */
async function useImage(): Promise<void> {
  const image = join(folder, 'image');
  const command = await runDockerfile(root, image);
  const { printed } = await run(join(image, 'work'), command, '--only', '4.5', '--quiet');
  say(`image: ${/[✓○].*/.exec(printed)?.[0]}`);
  // Its packages take seconds to remove.
  await rm(image, { recursive: true });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
