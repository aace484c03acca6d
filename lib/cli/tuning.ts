import { setFlagsFromString } from 'node:v8';

/**
 * How often a function runs before V8 optimises it, in units of V8's own (its default: 67,584). A whole run takes two seconds:
 * what is optimised early costs more on V8's other threads than it saves. Functions that stay hot are optimised a little later.
 * Later versions of V8 have other means and no such flag.
 */
const interruptBudget = 700_000;

/** Versions of V8 (the one of Node 20 and below) that know the flag. */
const known = Number(process.versions.v8.split('.')[0]) < 12;

if (known) setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
