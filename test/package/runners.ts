import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';

/** What is installed in addition to the package; jest and the DOMs are not needed by the project itself. */
export const runnerPackages = ['jest@30', 'happy-dom@21'];

const replaced = "['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval']";

const vitestFile = `import { test, vi } from 'vitest';
import { cells } from '../cells.js';
const timers = {
  replace: () => vi.useFakeTimers({ now: 0, toFake: ${replaced} }),
  restore: () => vi.useRealTimers(),
};
for (const [name, cell] of Object.entries(cells)) test(name, () => cell(timers));
`;

const jestTimers = `const timers = {
  replace: () => jest.useFakeTimers({ now: 0, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }),
  restore: () => jest.useRealTimers(),
};
`;

/** A test file for each runner. */
const files: Readonly<Record<string, string>> = {
  'vitest/cells.test.mjs': vitestFile,
  'vitest/happy-dom.config.mjs': `const settings = { fetch: { disableSameOriginPolicy: true } };
export default { test: { environment: 'happy-dom', environmentOptions: { happyDOM: { settings } } } };
`,
  'jest/cells.test.mjs': `import { jest, test } from '@jest/globals';
import { cells } from '../cells.js';
${jestTimers}for (const [name, cell] of Object.entries(cells)) test(name, () => cell(timers));
`,
  'jest/import.test.cjs': `${jestTimers}for (const name of ['by URL', 'in process', 'with fake timers', 'with failures'])
  test(name, async () => (await import('../cells.js')).cells[name](timers));
`,
  'jest/require.test.cjs': `const { cells } = require('../cells.js');
${jestTimers}for (const [name, cell] of Object.entries(cells)) test(name, () => cell(timers));
`,
  'node-test/cells.mjs': `import { mock, test } from 'node:test';
import { cells } from '../cells.js';
const timers = {
  replace: () => mock.timers.enable({ now: 0, apis: ['Date', 'setTimeout', 'setInterval'] }),
  restore: () => mock.timers.reset(),
};
for (const [name, cell] of Object.entries(cells)) test(name, () => cell(timers));
`,
};

/**
 * Runs the cells under every runner that docs/fake.md names, with this executable of Node.
 * @param compiled the folder that contains `cells.js`
 * @returns the runners
 */
export async function useRunners(project: string, compiled: string, node: string): Promise<string[]> {
  const folder = join(project, 'runners');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  cpSync(join(compiled, 'cells.js'), join(folder, 'cells.js'));

  const vitest = (...args: string[]) => [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--root',
    'runners/vitest',
    '--testTimeout=60000',
    ...args,
  ];
  const jest = (file: string) => [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--rootDir',
    'runners/jest',
    '--testTimeout=60000',
    '--testMatch',
    `**/${file}`,
  ];
  const { stdout } = await run(project, node, '-p', 'process.versions.node');
  const [major = 0, minor = 0] = stdout.split('.').map(Number);
  const commands: Readonly<Record<string, readonly string[]>> = {
    'vitest threads': vitest('--pool', 'threads'),
    'vitest forks': vitest('--pool', 'forks'),
    'vitest vmThreads': vitest('--pool', 'vmThreads'),
    'vitest happy-dom': vitest('--config', 'happy-dom.config.mjs'),
    'jest ESM': jest('cells.test.mjs'),
    'jest CommonJS, import()': jest('import.test.cjs'),
    // jest itself needs this version to require ES modules.
    ...((major > 24 || (major === 24 && minor >= 9)) && {
      'jest CommonJS, require()': jest('require.test.cjs'),
    }),
    'node:test': ['--test', 'runners/node-test/cells.mjs'],
  };
  for (const args of Object.values(commands)) await run(project, node, ...args);
  return Object.keys(commands);
}
