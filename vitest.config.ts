import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The examples name the package as their readers do.
  resolve: {
    alias: { 'tenant-admin-conformance': fileURLToPath(new URL('./lib/index.ts', import.meta.url)) },
  },
  test: {
    include: ['{lib,suites,bench,test,examples,docs}/**/*.test.ts'],
    // Unit tests share nothing but the machine, so one worker a core without isolation is enough.
    isolate: false,
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
