import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { select } from '../../contract/select.ts';
import { faults } from '../faults/index.ts';
import { flakeCheckCases, loadShared, type TestResult, testCases, variantsOf } from './cases.ts';
import { caseOf, faultCoverage, type Mutant, mutantReport, planMutants, sampleOf } from './mutants.ts';
import { accusationsOf, buildReport, markdown } from './report.ts';

/**
 * Runs the suite against every fault, every variant and the plain server, and writes the mutation report to `reports/`. Each fault
 * is run only against the requirement that it violates. Mutants: mutants.ts.
 * Exit code 1 if a fault survives, a conforming server is accused or a requirement has no fault; with `--mutants`, if too many survive.
 */
const program = new Command('npm run mutation --')
  .argument('[pattern...]', "parts of names of faults or variants, or of requirements' ids (default: all)")
  .addOption(new Option('--seed <n>', 'seed of the runs; repeatable (default: 1)').argParser(numbers))
  .option('--all', 'run each fault against all requirements, and each variant alone with all examples')
  .option('--mutants', 'run mutants of the faults: faults that show only under a condition')
  .addOption(
    new Option('--level <n>', 'conditions of a mutant; of level 2 a sample').choices(['1', '2']).default('1'),
  )
  .option('--flake-check <n>', 'run this many seeds against the conforming fake instead', number)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const patterns = program.args;
const values = program.opts<{
  seed?: readonly number[];
  all?: true;
  mutants?: true;
  level: '1' | '2';
  flakeCheck?: number;
}>();

function number(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is not a number.');
  return Number(text);
}

function numbers(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, number(text)];
}

/** Examples per property in the runs that only find out which mutants are possible. */
const moreRuns = 120;

/** The number of mutants of level 2 that are run, at random. */
const sampledPairs = 2_000;

/** The fraction of a level's mutants of stated requirements that the suite has to catch. */
const leastCaught = { 1: 0.99, 2: 0.97 };

const start = performance.now();
const { flakeCheck, seed: seeds = [1] } = values;
const matches = (name: string) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern));
const shared = await loadShared();
const level = values.level === '2' ? 2 : 1;
const mutants = values.mutants ? await mutantsToRun() : undefined;
const cases = mutants
  ? mutants.filter(({ equivalent }) => !equivalent).map((each) => caseOf(each, seeds[0] ?? 1))
  : flakeCheck === undefined
    ? seeds.flatMap((seed) => testCases(seed, matches, values.all === true, shared))
    : flakeCheckCases(flakeCheck);
if (cases.length === 0)
  program.error(`error: no fault, variant or requirement matches ${patterns.join(' ')}`, { exitCode: 2 });

/** The mutants that some request reaches, in the judged run or in runs with more examples and other seeds. */
async function mutantsToRun(): Promise<readonly Mutant[]> {
  const [seed = 1] = seeds;
  const chosen = faults.filter(({ name, requirement }) => matches(name) || matches(requirement));
  const run = { ...shared.own, seed };
  const judged = await faultCoverage(chosen, run);
  const others: Awaited<ReturnType<typeof faultCoverage>>[] = [];
  for (const other of [seed + 1, seed + 2])
    others.push(await faultCoverage(chosen, { ...run, seed: other, runs: moreRuns }));
  const all = planMutants(chosen, judged, others, level);
  return level === 2 ? sampleOf(all, sampledPairs, seed) : all;
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
      else child.send(testCase);
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

await Promise.all(Array.from({ length: availableParallelism() + 1 }, startWorker));
mkdirSync('reports', { recursive: true });
if (mutants !== undefined) {
  const { requirements } = shared.own.ledger;
  const stated = new Set(requirements.flatMap(({ id, level }) => (level === 'stated' ? id : [])));
  const title = `Level ${level}, seed ${seeds[0]}`;
  const { summary, markdown, caughtOfStated } = mutantReport(mutants, results, stated, title);
  writeFileSync('reports/mutation.md', markdown);
  console.log(
    `${summary}; ${((performance.now() - start) / 1000).toFixed(1)} s; details in reports/mutation.md`,
  );
  process.exit(caughtOfStated < leastCaught[level] ? 1 : 0);
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
