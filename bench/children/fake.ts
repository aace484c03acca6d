import { startFake } from '../../lib/fake/index.ts';
import { dataSetOf } from '../data-set.ts';
import { answer, cpuSeconds, peakMegabytes, tell } from './tell.ts';

/** A fake: with the shipped data, or with as many experiments and versions as the argument says. Tells its CPU time when asked, after it was filled anew where that is asked for. */
const [, , size] = process.argv;
const dataSet = size === undefined ? undefined : dataSetOf(Number(size));
const before = cpuSeconds();
const began = performance.now();
const fake = await startFake(dataSet && { dataSet });
const seconds = (performance.now() - began) / 1000;
const loading = { seconds, cpu: cpuSeconds() - before, peak: peakMegabytes() };
answer(async ({ seeds }) => {
  if (seeds !== undefined && size !== undefined) fake.seed(dataSetOf(Number(size)));
  return { cpu: cpuSeconds(), peak: peakMegabytes() };
});
tell({ url: fake.url, token: await fake.token(), ...loading });
