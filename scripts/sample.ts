/** `npm run sample`: tests with 60 faults that a report leads to the cause (lib/mutation/test/sample.test.ts). */
import { startVitest } from 'vitest/node';

process.env.SAMPLE_FAULTS = '60';
await startVitest('test', ['lib/mutation/test/sample.test.ts'], { run: true, project: ['unit'] });
