import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that replace the timers or sockets of their process, which other tests in it have used before. */
const isolated = ['lib/fake/client-libraries.test.ts', 'lib/fake/testing.test.ts'];

/** Run first: the test that makes the sample reports, for which others would wait, and those that take longest. */
const first = ['lib/report/html/browser', 'lib/cli/hostile', 'examples/servers/servers'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const wanted = first.flatMap((name) =>
      sorted.filter(({ moduleId }) => moduleId.endsWith(`/${name}.test.ts`)),
    );
    return [...wanted, ...sorted.filter((file) => !wanted.includes(file))];
  }
}

const source = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export default defineConfig({
  // The examples name the package as their readers do.
  resolve: {
    alias: {
      'tenant-admin-conformance/vitest': source('./lib/vitest/index.ts'),
      'tenant-admin-conformance/test': source('./lib/vitest/conformance.ts'),
      'tenant-admin-conformance': source('./lib/index.ts'),
    },
  },
  test: {
    // Many tests wait for processes and time limits.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Only for tests that hang. Some tests are whole runs of the suite, which take long on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    globalSetup: 'test/temporary-folder.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{lib,suites,bench,test,examples,docs}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...isolated],
          // Unit tests share nothing but the machine, and need no isolation.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
      { extends: true, test: { name: 'conformance', include: ['test/conformance.ts'] } },
    ],
  },
});
