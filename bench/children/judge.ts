import { createProgram, runProgram } from '../../lib/cli/program.ts';
import { loadContract } from '../../lib/contract/load.ts';
import { cpuSeconds, peakMegabytes, tell } from './tell.ts';

/** Loads a contract, then judges the embedded fake by it: the arguments are the contract's file and the report's folder. */
const [, , contract = '', reports = ''] = process.argv;
const began = performance.now();
const { operations, scopes } = await loadContract(contract);
const load = performance.now() - began;
const before = cpuSeconds();
const args = ['--contract', contract, '--report-dir', reports, '--seed', '1', '--quiet'];
await runProgram(createProgram(), ['node', 'main.ts', ...args]);
tell({
  operations: operations.length,
  scopes: scopes.length,
  load,
  cpu: cpuSeconds() - before,
  peak: peakMegabytes(),
});
process.on('disconnect', () => process.exit());
