import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { select } from '../../contract/select.ts';
import { variants } from '../variants/index.ts';
import {
  coverageOfCases,
  flakeCheckCases,
  loadShared,
  type TestCase,
  type TestResult,
  testCases,
} from './cases.ts';
import { buildReport, markdown } from './report.ts';

/**
 * `npm run mutation -- [--seed N]… [--all] [--workers N] [PATTERN…]` runs the suite against every fault, every variant and
 * the plain server, and writes the mutation report to `reports/`. A pattern is a part of a fault's or variant's name or of
 * a requirement's id. Each fault is run only against the requirements that it covers (coverage.ts), with `--all` against
 * all of them. `--flake-check N` runs N seeds against the conforming fake instead, at several concurrencies and latencies.
 * Exit code 1 where a fault survives, a conforming server is accused or a requirement has no fault.
 */
const { values, positionals: patterns } = parseArgs({
  options: {
    seed: { type: 'string', multiple: true, default: ['1'] },
    all: { type: 'boolean', default: false },
    'flake-check': { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism() + 1) },
  },
  allowPositionals: true,
});

const start = performance.now();
const flakeCheck = values['flake-check'];
const matches = (name: string) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern));
const seeds = values.seed.map(Number);
const cases =
  flakeCheck === undefined
    ? seeds.flatMap((seed) => testCases(seed, matches, values.all))
    : flakeCheckCases(Number(flakeCheck));
const shared = await loadShared();
const changes = values.all ? [] : cases.filter(({ kind }) => kind === 'fault' || kind === 'variant');
/** Determined while the workers run the first cases. */
const coverage = new Map(seeds.map((seed) => [seed, coverageOfCases(seed, changes, shared)]));

async function withCoverage(testCase: TestCase): Promise<TestCase> {
  if (!changes.includes(testCase)) return testCase;
  const covered = (await coverage.get(testCase.seed))?.get(testCase.name);
  return covered === undefined ? testCase : { ...testCase, covered };
}

const queue = [...cases];
const results: TestResult[] = [];

/** Starts a process that runs cases until none is left. */
function startWorker(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)));
    const next = (): void => {
      const testCase = queue.shift();
      if (testCase === undefined) child.disconnect();
      else withCoverage(testCase).then((each) => child.send(each), reject);
    };
    child.on('message', ({ result, error }: { result?: TestResult; error?: string }) => {
      if (error !== undefined) {
        child.kill();
        reject(new Error(error));
        return;
      }
      if (result !== undefined) results.push(result);
      if (process.stdout.isTTY) process.stdout.write(`\r${results.length} of ${cases.length} `);
      next();
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}

await Promise.all(Array.from({ length: Math.max(1, Number(values.workers)) }, startWorker));
const { ledger } = shared.own;
const applicable = [shared.own, shared.generic].flatMap(({ contract }) =>
  ledger.requirements.filter(
    ({ operations }) => operations.length === 0 || select(contract, operations, ledger.specific).length > 0,
  ),
);
const report = buildReport(results, variants, ledger, new Set(applicable.map(({ id }) => id)), {
  complete: patterns.length === 0 && flakeCheck === undefined,
  duration_ms: performance.now() - start,
});
mkdirSync('reports', { recursive: true });
writeFileSync('reports/mutation.json', `${JSON.stringify(report, null, 2)}\n`);
writeFileSync('reports/mutation.md', markdown(report));
if (process.stdout.isTTY) process.stdout.write('\r');
for (const each of report.problems) console.log(`✗ ${each}`);
console.log(`${report.summary}; ${(report.duration_ms / 1000).toFixed(1)} s; details in reports/mutation.md`);
process.exitCode = report.problems.length === 0 ? 0 : 1;
