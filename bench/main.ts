import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { benchmarks, type Row } from './benchmarks.ts';

/**
 * `npm run bench`: prints a table and writes it to `reports/bench.json`. Exit code 0 if every row is within its limit, 1 if
 * one is not, 2 for wrong usage, 3 if a benchmark broke.
 */
const names = Object.keys(benchmarks);
const command = new Command('npm run bench --')
  .addOption(new Option('--only <name...>', 'run only these benchmarks').choices(names).default(names))
  .option('--quick', 'one round and small sizes: shows that the benchmarks work', false)
  .allowExcessArguments(false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const { only, quick } = command.opts<{ only: string[]; quick: boolean }>();

const started_at = new Date().toISOString();
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const rows: ReturnType<typeof result>[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (!only.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  try {
    const row = result(name, await run(folder, quick));
    rows.push(row);
    process.stdout.write(`${line(row)}\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${error}\n`);
    process.exitCode = 3;
  }
}
rmSync(folder, { recursive: true, force: true });
mkdirSync('reports', { recursive: true });
const circumstances = { started_at, node: process.version, cpus: availableParallelism(), quick };
writeFileSync('reports/bench.json', `${JSON.stringify({ ...circumstances, rows }, null, 2)}\n`);
if (rows.some(({ within }) => !within)) process.exitCode ??= 1;

/** The row as `reports/bench.json` and the table show it: with its ratio and whether it is within the limit. */
function result(name: string, row: Row) {
  const ratio = row.reference === undefined ? null : row.value / row.reference.value;
  const compared = ratio ?? row.value;
  const { limit } = row;
  return {
    name,
    ...row,
    ratio,
    within: 'atMost' in limit ? compared <= limit.atMost : compared >= limit.atLeast,
  };
}

function line({ name, what, value, unit, reference, ratio, limit, within }: ReturnType<typeof result>) {
  const compared = reference && `, ${reference.what} ${figure(reference.value)}: ratio ${figure(ratio ?? 0)}`;
  const bound = 'atMost' in limit ? `limit ≤ ${limit.atMost}` : `limit ≥ ${limit.atLeast}`;
  return `${within ? '✓' : '✗'} ${name.padEnd(10)}  ${what}: ${figure(value)} ${unit}${compared ?? ''} (${bound})`;
}

function figure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
