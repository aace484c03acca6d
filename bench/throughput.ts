import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { startPrism } from './prism.ts';
import { cpuSecondsSoFar, nextMessage, startMeasured, stop } from './process.ts';
import { type Bench, median, type Row, type Unavailable } from './row.ts';

/**
 * The fake compared with bare `node:http` and with Prism, all answering a page of 25 experiments over ten connections: requests
 * per second of the server's CPU time. Requests per second of wall time would also measure the load generator.
 */
export async function throughput({ isQuick }: Bench): Promise<readonly (Row | Unavailable)[]> {
  const children: ChildProcess[] = [];
  try {
    const start = (file: string, ...args: readonly string[]): ChildProcess => {
      const child = startMeasured(fileURLToPath(new URL(file, import.meta.url)), ...args);
      children.push(child);
      return child;
    };
    const fake = start('./fake.ts');
    const [url = '', token = ''] = [await nextMessage(fake)].flat().map(String);
    const page = `${url}/experimentation/experiments?take=25`;
    const bare = start('./bare.ts', page, token);
    const bareUrl = `http://127.0.0.1:${await nextMessage(bare)}/`;
    const prism = await startPrism().catch((error: unknown) => String(error));
    if (typeof prism !== 'string') children.push(prism.child);

    const rateOf = async (child: ChildProcess, url: string): Promise<number> => {
      // V8 optimises during the first seconds; short rounds afterwards.
      await load(url, token, isQuick ? 0.2 : 4);
      const samples: number[] = [];
      for (let round = 0; round < (isQuick ? 1 : 7); round += 1) {
        const before = await cpuSecondsSoFar(child);
        const requests = await load(url, token, isQuick ? 0.2 : 1);
        samples.push(requests / ((await cpuSecondsSoFar(child)) - before));
      }
      return median(samples);
    };
    const row = { what: 'fake, page of 25', value: await rateOf(fake, page) };
    const unit = 'requests per CPU second';
    const comparedWith = (what: string, value: number) =>
      ({ ...row, unit, reference: { what, value } }) as const;
    return [
      {
        ...comparedWith('bare node:http', await rateOf(bare, bareUrl)),
        name: 'fake/bare',
        limit: { atLeast: 0.4 },
      },
      typeof prism === 'string'
        ? { name: 'fake/prism', what: 'fake compared with Prism', unavailable: prism }
        : {
            ...comparedWith('Prism', await rateOf(prism.child, prism.url)),
            name: 'fake/prism',
            limit: { atLeast: 4 },
          },
    ];
  } finally {
    await Promise.all(children.map(stop));
  }
}

/**
 * Sends the same request over ten connections, each with one request under way.
 * @returns the number of responses
 * @throws Error for a status other than 200
 */
async function load(url: string, token: string, seconds: number): Promise<number> {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: 10 });
  const end = performance.now() + seconds * 1000;
  let responses = 0;
  const connection = async (): Promise<void> => {
    while (performance.now() < end) {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: `${pathname}${search}`,
        headers: { authorization: `Bearer ${token}` },
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${url} answered with ${statusCode}`);
      responses += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: 10 }, connection));
    return responses;
  } finally {
    await pool.close();
  }
}
