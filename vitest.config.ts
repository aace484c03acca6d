import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['lib/**/*.test.ts', 'suites/**/*.test.ts', 'examples/**/*.test.ts'],
    // Unit tests share nothing but the machine, so one worker a core without isolation is enough.
    isolate: false,
    testTimeout: 30_000,
  },
});
