import { afterAll, beforeAll, describe, test } from 'vitest';
import { conformance as define, type StartedServer, type TestOptions } from './conformance.ts';

export type { StartedServer, TestOptions } from './conformance.ts';

/**
 * Defines a vitest test for each requirement and operation; see `conformance` of `tenant-admin-conformance/test`. vitest's
 * `maxConcurrency` sets how many requirements run in parallel.
 * @param start starts the server to test, once before all tests; default: the server at `baseUrl`, else the embedded fake
 * @throws UsageError for options that can't be used
 */
export function conformance(
  start?: () => StartedServer | Promise<StartedServer>,
  options: Omit<TestOptions, 'start'> = {},
): void {
  // Requirements wait for servers and for each other; the driver limits their time.
  const timeout = 0;
  const functions = {
    describe,
    concurrent: describe.concurrent,
    test: (title: string, run: () => Promise<void>) => test(title, { timeout }, run),
    before: (run: () => Promise<void>) => beforeAll(run, timeout),
    after: (run: () => Promise<void>) => afterAll(run, timeout),
  };
  define(functions, { ...options, ...(start && { start }) });
}
