import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { latency } from './latency.ts';
import { type Bench, type Row, result, type Unavailable } from './row.ts';
import { scaling } from './scaling.ts';
import { suite } from './suite.ts';
import { throughput } from './throughput.ts';

/**
 * `npm run bench`: prints a table and writes it to `reports/bench.json`. Exit code 0 if every row is within its limit, 1 if
 * one is not, 2 for wrong usage, 3 if a benchmark broke.
 */
const benchmarks: Readonly<Record<string, (bench: Bench) => Promise<readonly (Row | Unavailable)[]>>> = {
  suite,
  latency,
  fake: throughput,
  scaling,
};

const names = Object.keys(benchmarks);
const command = new Command('npm run bench --')
  .addOption(new Option('--only <name...>', 'run only these benchmarks').choices(names).default(names))
  .option('--quick', 'one round and small sizes: shows that the benchmarks work', false)
  .allowExcessArguments(false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const { only, quick: isQuick } = command.opts<{ only: string[]; quick: boolean }>();

const started_at = new Date().toISOString();
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const rows: (ReturnType<typeof result> | Unavailable)[] = [];
try {
  for (const [name, run] of Object.entries(benchmarks)) {
    if (!only.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    const found = await run({ folder, isQuick }).catch((error: unknown): Unavailable[] => {
      process.exitCode = 3;
      return [{ name, what: name, unavailable: String(error) }];
    });
    rows.push(...found.map((row) => ('unavailable' in row ? row : result(row))));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

process.stdout.write(`${rows.map(line).join('\n')}\n`);
mkdirSync('reports', { recursive: true });
const circumstances = { started_at, node: process.version, cpus: availableParallelism(), quick: isQuick };
writeFileSync('reports/bench.json', `${JSON.stringify({ ...circumstances, rows }, null, 2)}\n`);
if (rows.some((row) => 'within' in row && !row.within)) process.exitCode ??= 1;

function line(row: ReturnType<typeof result> | Unavailable): string {
  const name = row.name.padEnd(10);
  if ('unavailable' in row) return `  ${name}  ${row.what}: not measured, ${row.unavailable}`;
  const { what, value, unit, reference, ratio, limit, within } = row;
  const compared =
    reference === undefined
      ? ''
      : `, ${reference.what} ${figure(reference.value)}: ratio ${figure(ratio ?? 0)}`;
  const bound = 'atMost' in limit ? `limit ≤ ${limit.atMost}` : `limit ≥ ${limit.atLeast}`;
  return `${within ? '✓' : '✗'} ${name}  ${what}: ${figure(value)} ${unit}${compared} (${bound})`;
}

function figure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
