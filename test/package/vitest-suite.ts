import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';

/** A user's file: the suite as vitest tests, with a fake as the server, which records its requests. */
const file = `import { writeFileSync } from 'node:fs';
import { faults, startFake } from 'tenant-admin-conformance';
import { conformance } from 'tenant-admin-conformance/vitest';

conformance(async () => {
  const client = { client_id: 'tester', client_secret: 'a-secret-of-the-test', scopes: ['read:actions'] };
  const fake = await startFake({ control: true, clients: [client] });
  const fault = faults.find(({ requirement }) => requirement === 'BROKEN');
  if (fault) fake.use(fault);
  const close = async () => {
    writeFileSync('own/requests.json', JSON.stringify(fake.requests.map(({ target }) => target)));
    await fake.close();
  };
  const credentials = { signingKey: fake.signingKey, clientId: 'tester', clientSecret: client.client_secret };
  return { baseUrl: fake.url, control: fake.controlUrl, ...credentials, seed: 1, runs: 3, close };
});
`;

interface VitestResult {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/**
 * Runs the suite as vitest tests in a project that has installed the package: all pass, a filter sends only what it needs, and a
 * fault makes exactly its own tests fail. Returns what was found in one line; throws if this is not so.
 */
export async function runVitestSuite(project: string, node: string): Promise<string> {
  const folder = join(project, 'own');
  mkdirSync(folder, { recursive: true });
  const runSuite = async (broken: string, ...args: readonly string[]) => {
    writeFileSync(join(folder, 'conformance.test.js'), file.replace('BROKEN', broken));
    const output = ['--reporter=json', '--outputFile=own/result.json'];
    const ended = run(project, node, 'node_modules/vitest/vitest.mjs', 'run', 'own', ...output, ...args);
    const failure = await ended.then(
      () => '',
      (error: unknown) => String(error),
    );
    const result: VitestResult = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
    const requests: readonly string[] = JSON.parse(readFileSync(join(folder, 'requests.json'), 'utf8'));
    const tests = result.testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = tests.filter(({ status }) => status === 'failed').map(({ title }) => title);
    return { result, requests, failed, failure };
  };
  const whole = await runSuite('');
  const { numTotalTests, numPassedTests } = whole.result;
  if (numPassedTests !== numTotalTests) throw new Error(`not all tests passed: ${whole.failure}`);
  const filtered = await runSuite('', '-t', '4.2/');
  const others = filtered.requests.filter(
    (target) => !target.startsWith('/api/v2/experimentation/experiments'),
  );
  if (filtered.requests.length === 0 || others.length > 0)
    throw new Error(`-t 4.2/ sent ${others.slice(0, 3).join(', ') || 'nothing'}`);
  const id = '4.2/take-maximum';
  const { failed } = await runSuite(id);
  if (failed.length === 0 || !failed.every((title) => title.startsWith(`${id}:`)))
    throw new Error(`a fault of ${id} makes these tests fail: ${failed.join('; ')}`);
  return `${numTotalTests} tests pass; -t 4.2/ sends ${filtered.requests.length} requests`;
}
