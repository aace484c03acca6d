import { setFlagsFromString } from 'node:v8';

/**
 * How V8 runs this process; its own choices are for servers that run for days and may fill the machine. To be imported before
 * anything else, by processes that are all ours. One thing can be chosen on the command line only, in package.json's `test`: 32 MB
 * for what is young (`--min-semi-space-size`, `--max-semi-space-size`), which takes a tenth off a run, as most of what it makes is
 * dead before that is full.
 */

/** Percent by which the heap may grow before it is collected again: V8 lets it grow fourfold, which takes twice the memory. */
const heapGrowingPercent = 120;

/**
 * How often a function runs before V8 optimises it, in units of V8's own (its default: 67,584). A whole run takes seconds: what
 * is optimised early costs more, on V8's other threads, than it saves. What stays hot is optimised a little later.
 */
const interruptBudget = 700_000;

setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);

/** V8 of Node 20 and below knows the budget; later ones count otherwise, and have a compiler between that costs less. */
const hasInterruptBudget = Number(process.versions.v8.split('.')[0]) < 12;
if (hasInterruptBudget) setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
