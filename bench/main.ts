import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneLine, UsageError } from '../lib/cli/usage.ts';
import type { Bench, Section } from './bench.ts';
import { type Change, changes, tolerated } from './compare.ts';
import { distant } from './distant.ts';
import { readFlags } from './flags.ts';
import { growing } from './growing.ts';
import { matrix } from './matrix.ts';
import { profile } from './profile.ts';
import { type Earlier, readRecord, recordOf } from './record.ts';
import type { Row } from './row.ts';
import { size } from './size.ts';
import { start } from './start.ts';
import { emptyReference, suite } from './suite.ts';
import { figure, table } from './table.ts';
import { throughput } from './throughput.ts';

/**
 * `npm run bench -- [--only SECTION]… [--quick] [--compare OLD.json]`: measures how fast the suite and the fake are, each beside
 * something real in the same run, and how both grow; prints a table, and writes it to `reports/bench.json`. Exit 1 where
 * CPU time regressed against OLD.json, 2 for wrong usage, 3 where something could not be measured because it broke.
 */
const sections: Readonly<Record<string, Section>> = {
  suite,
  profile,
  distant,
  matrix,
  growing,
  throughput,
  start,
  size,
};

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`error: ${oneLine(error)}\n`);
  return error instanceof UsageError ? 2 : 3;
});

async function main(): Promise<number> {
  const flags = readFlags(process.argv.slice(2), Object.keys(sections));
  const { isQuick } = flags;
  const earlier = flags.compare === undefined ? undefined : readEarlier(flags.compare, isQuick);
  const started_at = new Date().toISOString();
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const rows: Row[] = [];
  let hasBroken = false;
  try {
    const rounds = isQuick ? 1 : 3;
    const bench: Bench = { folder, isQuick, rounds, empty: await emptyReference(folder, rounds) };
    for (const name of flags.sections) {
      process.stderr.write(`${name} …\n`);
      const found = await sections[name]?.(bench).catch((error: unknown): Row[] => {
        hasBroken = true;
        return [{ name, what: name, notMeasured: oneLine(error) }];
      });
      rows.push(...(found ?? []));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${table(rows)}\n`);
  const circumstances = { started_at, node: process.version, cpus: availableParallelism(), quick: isQuick };
  mkdirSync('reports', { recursive: true });
  writeFileSync('reports/bench.json', `${JSON.stringify(recordOf(rows, circumstances), null, 2)}\n`);
  process.stdout.write('\nreports/bench.json has all of it\n');
  const compared = earlier === undefined ? 0 : showChanges(changes(earlier, rows));
  return compared || (hasBroken ? 3 : 0);
}

function readEarlier(file: string, isQuick: boolean): Earlier {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--compare ${file}: ${oneLine(error)}`);
  }
  const earlier = readRecord(text, file);
  if (earlier.quick !== isQuick)
    throw new UsageError(
      `--compare ${file}: that bench was ${earlier.quick ? '' : 'not '}a --quick one, this one is otherwise`,
    );
  return earlier;
}

/** Prints what changed, and gives the exit code that follows: 1 for a regression, 3 where nothing could be compared. */
function showChanges(found: readonly Change[]): number {
  const width = Math.max(0, ...found.map(({ name }) => name.length));
  const lines = found.map(({ name, before, after, ratio, isRegression }) => {
    const changed = `${figure(before)} → ${figure(after)}${ratio === undefined ? '' : `, ${figure(ratio)}×`}`;
    return `${isRegression ? '✗' : ' '} ${name.padEnd(width)}  ${changed}`;
  });
  const regressions = found.filter(({ isRegression }) => isRegression).length;
  const verdict = found.some(({ isCpu }) => isCpu)
    ? `${regressions} beyond ${tolerated} times the CPU time of then`
    : 'no CPU time was measured both then and now';
  process.stdout.write(`\n${[...lines, verdict].join('\n')}\n`);
  if (regressions > 0) return 1;
  return found.some(({ isCpu }) => isCpu) ? 0 : 3;
}
