import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { runConformance } from '../lib/cli/run.ts';
import { startFake } from '../lib/fake/index.ts';

/**
 * Tests a conforming server again and again while the machine is busy: no run may accuse it or end in error, and each must leave the
 * tenant byte-identical. `npx tsx scripts/soak.ts --runs 200`
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    busy: { type: 'string', default: '2' },
  },
});
const [runs, from, busy] = [Number(values.runs), Number(values.from), Number(values.busy)];

const shipped = await startFake();
const { dataSet } = shipped;
await shipped.close();
const own = {
  ...dataSet,
  experiments: dataSet.experiments.slice(0, 7),
  phone_templates: { enrollment_message: 'ours {{code}}', verification_message: 'ours' },
};
const fake = await startFake({ control: true, dataSet: own });
const before = JSON.stringify(fake.dataSet);
const busyLoops = Array.from({ length: busy }, () => new Worker('for (;;);', { eval: true }));
const began = Date.now();
let faulty = 0;
for (let seed = from; seed < from + runs; seed += 1) {
  const { requirements, run } = await runConformance({
    baseUrl: fake.url,
    control: fake.controlUrl ?? '',
    signingKey: { ...fake.signingKey },
    clientId: fake.clients[0]?.client_id ?? '',
    clientSecret: fake.clients[0]?.client_secret ?? '',
    seed,
  });
  const bad = requirements.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not-judged');
  const found = bad.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`);
  if (run.ended_early !== undefined) found.push(run.ended_early);
  if (JSON.stringify(fake.dataSet) !== before) found.push('the tenant is changed');
  if (found.length > 0) faulty += 1;
  console.log(`seed ${seed}: ${run.requests} requests, ${found.join('; ') || 'no finding'}`);
}
await Promise.all(busyLoops.map((worker) => worker.terminate()));
await fake.close();
console.log(
  `${runs} runs from seed ${from} in ${Math.round((Date.now() - began) / 1000)} s with ${busy} busy loops: ${faulty} with a finding`,
);
process.exitCode = faulty === 0 ? 0 : 1;
