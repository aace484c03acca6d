import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { startFake } from 'tenant-admin-conformance';
import { cpuSeconds, tell } from './tell.ts';

/**
 * A fresh process whose fake, imported as tests of clients import it, answers its first request: milliseconds after import, and
 * the CPU time of the whole process.
 */
const began = performance.now();
const fake = await startFake();
const started = performance.now();
const headers = { authorization: `Bearer ${await fake.token()}` };
const [answer]: IncomingMessage[] = await once(
  get(`${fake.url}/experimentation/experiments`, { headers }),
  'response',
);
const answered = performance.now();
if (answer?.statusCode !== 200) throw new Error(`the first answer is ${answer?.statusCode}`);
tell({ start: started - began, milliseconds: answered - began, cpu: cpuSeconds() });
process.on('disconnect', () => process.exit());
