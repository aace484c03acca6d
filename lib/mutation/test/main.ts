import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { select } from '../../contract/select.ts';
import { faults } from '../faults/index.ts';
import {
  coverageOfCases,
  flakeCheckCases,
  loadShared,
  type TestCase,
  type TestResult,
  testCases,
  variantsOf,
} from './cases.ts';
import { caseOf, faultCoverage, type MutantPlan, mutantReport, planMutants } from './mutants.ts';
import { accusationsOf, buildReport, markdown } from './report.ts';

/**
 * `npm run mutation -- [--seed N]… [--all] [--workers N] [PATTERN…]` runs the suite against every fault, every variant and
 * the plain server, and writes the mutation report to `reports/`. A pattern is a part of a fault's or variant's name or of
 * a requirement's id. Each fault is run only against the requirements that it covers (coverage.ts), with `--all` against
 * all of them. `--mutants` runs mutants of the faults instead (mutants.ts): `--level 1`, a fault under one condition, or `2`, under
 * a pair; `--sample N` of them at random. `--flake-check N` runs N seeds against the conforming fake instead, at several concurrencies and latencies.
 * Exit code 1 if a fault survives, a conforming server is accused or a requirement has no fault.
 */
const { values, positionals: patterns } = parseArgs({
  options: {
    seed: { type: 'string', multiple: true, default: ['1'] },
    all: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    level: { type: 'string', default: '1' },
    sample: { type: 'string' },
    'flake-check': { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism() + 1) },
  },
  allowPositionals: true,
});

/** Examples per property in the runs that only find out which mutants are possible. */
const moreRuns = 120;

const start = performance.now();
const flakeCheck = values['flake-check'];
const matches = (name: string) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern));
const seeds = values.seed.map(Number);
const shared = await loadShared();
const level = values.level === '2' ? 2 : 1;
const plan = values.mutants ? await mutantPlan() : undefined;
const cases = plan
  ? plan.mutants.filter(({ equivalent }) => !equivalent).map((each) => caseOf(each, seeds[0] ?? 1))
  : flakeCheck === undefined
    ? seeds.flatMap((seed) => testCases(seed, matches, values.all, shared))
    : flakeCheckCases(Number(flakeCheck));
const changes = values.all ? [] : cases.filter(({ kind }) => kind === 'fault' || kind === 'variant');
/** Determined while the workers run the first cases. */
const coverage = new Map(seeds.map((seed) => [seed, coverageOfCases(seed, changes, shared)]));

/** Plans the mutants that some request reaches, in the judged run or in runs with more examples and other seeds. */
async function mutantPlan(): Promise<MutantPlan> {
  const [seed = 1] = seeds;
  const chosen = faults.filter(({ name, requirement }) => matches(name) || matches(requirement));
  const run = { ...shared.own, seed };
  const judged = await faultCoverage(chosen, run);
  const others: Awaited<ReturnType<typeof faultCoverage>>[] = [];
  for (const other of [seed + 1, seed + 2])
    others.push(await faultCoverage(chosen, { ...run, seed: other, runs: moreRuns }));
  const sample = values.sample ?? (level === 2 ? '2000' : undefined);
  return planMutants(chosen, judged, others, {
    level,
    seed,
    ...(sample !== undefined && { sample: Number(sample) }),
  });
}

async function withCoverage(testCase: TestCase): Promise<TestCase> {
  if (!changes.includes(testCase)) return testCase;
  const covered = (await coverage.get(testCase.seed))?.get(testCase.name);
  return covered === undefined ? testCase : { ...testCase, covered };
}

const queue = [...cases];
const results: TestResult[] = [];

/** Starts a process that runs test cases until none are left. */
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
      const tried = result?.kind === 'variant' ? variantsOf(result.name) : [];
      // Variants that conform may break a sentence together: each has to be accused alone.
      if (result !== undefined && tried.length > 1 && accusationsOf(result).length > 0)
        queue.unshift(...tried.map(({ name }) => ({ ...result, name })));
      else if (result !== undefined) results.push(result);
      if (process.stdout.isTTY) process.stdout.write(`\r${results.length} of ${cases.length} `);
      next();
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}

await Promise.all(Array.from({ length: Math.max(1, Number(values.workers)) }, startWorker));
mkdirSync('reports', { recursive: true });
if (plan !== undefined) {
  const { summary, markdown } = mutantReport(plan, results, `Level ${level}, seed ${seeds[0]}`);
  writeFileSync('reports/mutation.md', markdown);
  console.log(
    `${summary}; ${((performance.now() - start) / 1000).toFixed(1)} s; details in reports/mutation.md`,
  );
  process.exit();
}
const { ledger } = shared.own;
const applicable = [shared.own, shared.generic].flatMap(({ contract }) =>
  ledger.requirements.filter(
    ({ operations }) => operations.length === 0 || select(contract, operations, ledger.specific).length > 0,
  ),
);
const report = buildReport(results, ledger, new Set(applicable.map(({ id }) => id)), {
  complete: patterns.length === 0 && flakeCheck === undefined,
  duration_ms: performance.now() - start,
});
writeFileSync('reports/mutation.json', `${JSON.stringify(report, null, 2)}\n`);
writeFileSync('reports/mutation.md', markdown(report));
if (process.stdout.isTTY) process.stdout.write('\r');
for (const each of report.problems) console.log(`✗ ${each}`);
console.log(`${report.summary}; ${(report.duration_ms / 1000).toFixed(1)} s; details in reports/mutation.md`);
process.exitCode = report.problems.length === 0 ? 0 : 1;
