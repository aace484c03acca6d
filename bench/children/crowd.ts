import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { startFake } from '../../lib/fake/index.ts';
import { peakMegabytes, tell } from './tell.ts';

/** As many fakes in one process as the argument says: each answers once, then all are closed. */
const [, , count = ''] = process.argv;
const before = process.getActiveResourcesInfo().length;
const began = performance.now();
const fakes = await Promise.all(Array.from({ length: Number(count) }, () => startFake()));
const seconds = (performance.now() - began) / 1000;
for (const fake of fakes) {
  const headers = { authorization: `Bearer ${await fake.token()}` };
  const { statusCode, body } = await request(`${fake.url}/experimentation/experiments`, {
    headers,
    reset: true,
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`a fake answered with ${statusCode}`);
}
const peak = peakMegabytes();
await Promise.all(fakes.map((fake) => fake.close()));
// Sockets are let go of in the turns after their end.
await delay(100);
tell({ seconds, peak, handles: process.getActiveResourcesInfo().length - before });
process.on('disconnect', () => process.exit());
