import { loadShared, runCase, type TestCase } from './cases.ts';

/** A process of the mutation test: it receives test cases, one at a time, and sends back their results. */
const shared = await loadShared();

process.on('message', (testCase: TestCase) => {
  runCase(testCase, shared).then(
    (result) => process.send?.({ result }),
    (error: unknown) =>
      process.send?.({
        error: `${testCase.kind} ${testCase.name}: ${error instanceof Error ? error.stack : String(error)}`,
      }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
