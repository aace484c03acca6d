/** Runs the sample of faults whose reports must lead to their cause with 60 of them: `npm run sample`. */
import { startVitest } from 'vitest/node';

process.env.SAMPLE_FAULTS = '60';
await startVitest('test', ['lib/mutation/test/sample.test.ts'], { run: true, project: ['unit'] });
