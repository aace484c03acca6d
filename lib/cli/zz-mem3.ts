import { writeHeapSnapshot } from 'node:v8';
import { runConformance } from './run.ts';

const n = process.argv[2];
let last = 0;
const report = await runConformance({
  contract: `/tmp/sample-${n}.yaml`,
  seed: 1,
  runs: 40, only: ['8/payload*'], concurrency: Number(process.argv[4] ?? 16),
  onProgress: ({ done, total, requests, current }) => {
    if (requests - last > 400) {
      last = requests;
      const rss = process.memoryUsage().rss; const abBefore = process.memoryUsage().arrayBuffers;
      globalThis.gc?.();
      const m = process.memoryUsage();
      console.log(
        done,
        total,
        requests,
        current,
        'rss',
        rss >> 20,
        'heap after gc',
        m.heapUsed >> 20,
        'ext',
        m.external >> 20,
        'ab',
        m.arrayBuffers >> 20,
      );
      if (process.argv[3] && requests > Number(process.argv[3])) {
        writeHeapSnapshot('/tmp/heap.heapsnapshot');
        process.exit();
      }
    }
  },
});
globalThis.gc?.();
const m = process.memoryUsage();
console.log(report.verdict, report.run.requests, m.heapUsed >> 20, m.rss >> 20);
