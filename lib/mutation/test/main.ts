import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { select } from '../../contract/select.ts';
import { variants } from '../variants/index.ts';
import { drawUp } from './matrix.ts';
import { markdown, summary } from './show.ts';
import {
  type Finding,
  loadShared,
  reachOfSubjects,
  type Subject,
  steadySubjects,
  subjects,
} from './subject.ts';

/**
 * `npm run prove -- [--seed N]… [--all] [--workers N] [PATTERN…]`: runs the suite against every fault, every variant, and the
 * plain server, conforming and broken by hand; writes the kill matrix to `reports/`. Of the requirements a fault meets those
 * that it reaches (lib/prove/reach.ts), with `--all` every one, reached or not. `--steady N` looks for flakes instead: N seeds
 * against the fake as it is, at several concurrencies, each with and without latency. Exit 1 where a fault survives, a variant
 * is accused or a requirement has no fault.
 */
const { values, positionals: patterns } = parseArgs({
  options: {
    seed: { type: 'string', multiple: true, default: ['1'] },
    all: { type: 'boolean', default: false },
    steady: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism() + 1) },
  },
  allowPositionals: true,
});

const began = performance.now();
const matches = (name: string) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern));
const seeds = values.seed.map(Number);
const queue = [
  ...(values.steady !== undefined
    ? steadySubjects(Number(values.steady))
    : seeds.flatMap((seed) => subjects(seed, matches, values.all))),
];
const shared = await loadShared();
/** Found out while the workers judge what comes before the faults. */
const changes = values.all ? [] : queue.filter(hasReach);
const reach = new Map(seeds.map((seed) => [seed, reachOfSubjects(seed, changes, shared)]));

function hasReach({ kind }: Subject): boolean {
  return kind === 'fault' || kind === 'variant';
}

/** The subject, with the rows that it is to be judged by. */
async function prepared(subject: Subject): Promise<Subject> {
  const reached = hasReach(subject) ? (await reach.get(subject.seed))?.get(subject.name) : undefined;
  return reached === undefined ? subject : { ...subject, reached };
}

const total = queue.length;
const findings: Finding[] = [];

/** One worker process that takes subjects until none is left. */
function work(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)));
    const next = (): void => {
      const subject: Subject | undefined = queue.shift();
      if (subject === undefined) child.disconnect();
      else prepared(subject).then((each) => child.send(each), reject);
    };
    child.on('message', (message: { finding?: Finding; error?: string }) => {
      if (message.error !== undefined) {
        child.kill();
        reject(new Error(message.error));
        return;
      }
      if (message.finding !== undefined) findings.push(message.finding);
      if (process.stdout.isTTY) process.stdout.write(`\r${findings.length} of ${total} `);
      next();
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}

await Promise.all(Array.from({ length: Math.max(1, Number(values.workers)) }, work));
const { judgement, generic } = shared;
const { ledger } = judgement;
const applicable = new Set(
  [judgement.contract, generic.contract].flatMap((contract) =>
    ledger.requirements
      .filter(
        ({ operations }) =>
          operations.length === 0 || select(contract, operations, ledger.specific).length > 0,
      )
      .map(({ id }) => id),
  ),
);
const matrix = drawUp(findings, variants, ledger, applicable, {
  whole: patterns.length === 0 && values.steady === undefined,
  milliseconds: performance.now() - began,
});
mkdirSync('reports', { recursive: true });
writeFileSync('reports/kill-matrix.json', `${JSON.stringify(matrix, null, 2)}\n`);
writeFileSync('reports/kill-matrix.md', markdown(matrix));
if (process.stdout.isTTY) process.stdout.write('\r');
for (const { what, remedy } of matrix.problems) console.log(`✗ ${what}\n  → ${remedy}`);
console.log(
  `${summary(matrix)}; ${(matrix.milliseconds / 1000).toFixed(1)} s; the matrix is in reports/kill-matrix.md`,
);
process.exitCode = matrix.problems.length === 0 ? 0 : 1;
