import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, readReport, type Section } from './bench.ts';
import { type Cost, costOf } from './command.ts';
import { atLeast, atMost } from './row.ts';
import { alternate, median } from './samples.ts';

/** A whole `npm test` against the embedded fake, as it is by default, beside an empty vitest run. */
export const suite: Section = async ({ folder, rounds }) => {
  const reports = join(folder, 'suite');
  const [judged = [], started = [], empty = []] = await alternate(3 * rounds, [
    () => costOf('npm', 'test', '--', '--report-dir', reports, '--quiet'),
    () => costOf('npm', 'test', '--', '--list'),
    () => emptyRun(folder),
  ]);
  const { run, summary } = readReport(reports);
  const what = `npm test, ${summary.stated.passed} stated requirements passed`;
  const cpuOf = (costs: readonly Cost[]) => median(costs.map(({ cpu }) => cpu));
  const beside = { what: emptyRunName, value: cpuOf(empty) };
  return [
    {
      name: 'suite/cpu',
      what: `${what}: CPU of the whole process`,
      value: cpuOf(judged),
      unit: 's',
      beside,
      goal: atMost(3),
      cpu: true,
    },
    {
      name: 'suite/start',
      what: 'npm test -- --list: what it takes to start, judging nothing',
      value: cpuOf(started),
      unit: 's',
      beside,
      cpu: true,
    },
    {
      name: 'suite/wall',
      what: 'npm test: wall time (counts on two free cores)',
      value: median(judged.map(({ wall }) => wall)),
      unit: 's',
      goal: atMost(5),
    },
    {
      name: 'suite/requests',
      what: 'npm test: requests judged',
      value: run.requests,
      unit: 'requests',
      goal: atLeast(4000),
    },
  ];
};

const emptyRunName = 's, empty vitest run';

/** `npx vitest run` of one file with one test that does nothing; both are started through npm, as one types them. */
function emptyRun(folder: string): Promise<Cost> {
  const project = join(folder, 'empty');
  mkdirSync(project, { recursive: true });
  writeFileSync(
    join(project, 'empty.test.ts'),
    "import { test } from 'vitest';\n\ntest('nothing', () => {});\n",
  );
  return costOf('npx', '--no-install', 'vitest', 'run', '--root', project);
}

/** What the CPU time of a whole process stands beside: an empty vitest run, in seconds. */
export async function emptyReference(folder: string, rounds: number): Promise<Bench['empty']> {
  const [costs = []] = await alternate(rounds, [() => emptyRun(folder)]);
  return { what: emptyRunName, value: median(costs.map(({ cpu }) => cpu)) };
}
