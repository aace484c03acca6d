import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { runConformance } from '../lib/cli/run.ts';
import { startFake } from '../lib/fake/index.ts';
import { sampleDocumentText } from '../test/sample-document.ts';

/** One line of the table. MB are 1,000,000 bytes. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: 's' | 'MB' | 'requests per CPU second';
  /** What was measured in the same run, in the same unit, so that the speed of the machine cancels out. */
  readonly reference?: { readonly what: string; readonly value: number };
  /** Bound of the ratio to the reference, or of the value if there is no reference. */
  readonly limit: { readonly atMost: number } | { readonly atLeast: number };
}

/**
 * A benchmark.
 * @param folder temporary; removed at the end
 * @param isQuick true for `--quick`: one round and small sizes, to see that the benchmark works
 */
type Benchmark = (folder: string, isQuick: boolean) => Promise<Row>;

const root = fileURLToPath(new URL('../', import.meta.url));

/** Runs a command in the project's folder, in the environment of a user who has set nothing. Rejects if it fails. */
function run(command: string, ...args: readonly string[]) {
  const isOurs = (name: string) => /^(CONFORMANCE_|GITHUB_|VITEST|npm_|NODE_OPTIONS|DEBUG)/.test(name);
  const environment = Object.entries(process.env).filter(([name]) => !isOurs(name));
  return promisify(execFile)(command, args, {
    cwd: root,
    env: { ...Object.fromEntries(environment), LC_ALL: 'C', NO_COLOR: '1' },
  });
}

/** CPU seconds of a command and all processes that it started: the shell's `times` counts them, Node.js only its own. */
async function cpuSeconds(...command: readonly string[]): Promise<number> {
  const { stdout } = await run('sh', '-c', '"$@" >&2 && times', 'sh', ...command);
  // POSIX: the last line is for the shell's children, user time before system time.
  const times = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

/** Middle value; of an even number of values the upper one. */
function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

/** `npm test` as users run it, compared with an empty vitest run: CPU seconds of all processes. */
const suite: Benchmark = async (folder, isQuick) => {
  const project = join(folder, 'empty');
  mkdirSync(project);
  writeFileSync(join(project, 'empty.test.ts'), "import { test } from 'vitest';\n\ntest('', () => {});\n");
  const [suites, empties]: [number[], number[]] = [[], []];
  for (let round = 0; round < (isQuick ? 1 : 5); round += 1) {
    suites.push(await cpuSeconds('npm', 'test', '--', '--report-dir', join(folder, 'suite'), '--quiet'));
    empties.push(await cpuSeconds('npx', '--no-install', 'vitest', 'run', '--root', project));
  }
  const reference = { what: 'an empty vitest run', value: median(empties) };
  return { what: 'npm test, CPU time', value: median(suites), unit: 's', reference, limit: { atMost: 4 } };
};

/** A run against a target with latency, compared with the time that latency alone takes at full concurrency. */
const latency: Benchmark = async (_folder, isQuick) => {
  const [latency, concurrency] = [50, 16];
  const fake = await startFake({ control: true, latency });
  const { run } = await runConformance({
    baseUrl: fake.url,
    control: fake.controlUrl ?? '',
    signingKey: { ...fake.signingKey },
    clientId: fake.clients[0]?.client_id ?? '',
    clientSecret: fake.clients[0]?.client_secret ?? '',
    concurrency,
    ...(isQuick && { only: ['4.2'] }),
  });
  await fake.close();
  const value = (run.requests * latency) / concurrency / 1000;
  return {
    what: `${run.requests} requests, ${latency} ms latency, concurrency ${concurrency}`,
    value: run.duration_ms / 1000,
    unit: 's',
    reference: { what: 'requests × latency / concurrency', value },
    limit: { atMost: 1.5 },
  };
};

/** A server in a process of its own, and the URL and token of a page of 25 experiments. */
interface Server {
  readonly child: ChildProcess;
  readonly page: readonly string[];
}

/** Starts `server.ts`, which sends its page as its first message. */
async function start(...args: readonly string[]): Promise<Server> {
  const child = fork(new URL('./server.ts', import.meta.url), args, {
    cwd: root,
    execArgv: ['--import', 'tsx'],
  });
  const [page]: string[][] = await once(child, 'message');
  return { child, page: page ?? [] };
}

/** Requests per second of the server's CPU time. Requests per second of wall time would also measure the load generator. */
async function requestRate({ child, page }: Server, isQuick: boolean): Promise<number> {
  const cpuSecondsSoFar = async () => {
    child.send('CPU seconds');
    const [seconds] = await once(child, 'message');
    return Number(seconds);
  };
  const rates: number[] = [];
  // V8 optimises during the first rounds.
  for (let round = 0; round < (isQuick ? 1 : 10); round += 1) {
    const before = await cpuSecondsSoFar();
    const requests = isQuick ? 100 : 5_000;
    await load(page, requests);
    rates.push(requests / ((await cpuSecondsSoFar()) - before));
  }
  return median(rates.slice(-7));
}

/** The fake compared with the least that a server on `node:http` can do, both with a page of 25 experiments. */
const fake: Benchmark = async (_folder, isQuick) => {
  const served = await start();
  const bare = await start(...served.page);
  const value = await requestRate(served, isQuick);
  const reference = { what: 'bare node:http', value: await requestRate(bare, isQuick) };
  for (const { child } of [served, bare]) child.kill('SIGKILL');
  return {
    what: 'fake, page of 25',
    value,
    unit: 'requests per CPU second',
    reference,
    limit: { atLeast: 0.4 },
  };
};

/** Sends the same request over ten connections, each with one request under way. @throws Error for a status other than 200 */
async function load([url = '', token = '']: readonly string[], requests: number): Promise<void> {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: 10 });
  const headers = { authorization: `Bearer ${token}` };
  let sent = 0;
  const connection = async () => {
    while (sent++ < requests) {
      const { statusCode, body } = await pool.request({ method: 'GET', path: pathname + search, headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${url} answered with ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: 10 }, connection));
  await pool.close();
}

/** Peak memory of a run against the embedded fake with a contract of many operations. */
const scaling: Benchmark = async (folder, isQuick) => {
  const operations = isQuick ? 50 : 450;
  const contract = join(folder, 'contract.yaml');
  writeFileSync(contract, sampleDocumentText(operations));
  const peak = "process.on('exit', () => console.log(process.resourceUsage().maxRSS * 1024))";
  // As `npm test`.
  const node = ['--max-old-space-size=700', '--import', 'tsx', '--import', `data:text/javascript,${peak}`];
  const args = ['--contract', contract, '--report-dir', join(folder, 'scaling'), '--seed', '1', '--quiet'];
  const { stdout } = await run(process.execPath, ...node, 'lib/cli/main.ts', ...args);
  return {
    what: `contract of ${operations} operations, peak memory`,
    value: Number(stdout.trim().split('\n').at(-1)) / 1_000_000,
    unit: 'MB',
    limit: { atMost: 600 },
  };
};

export const benchmarks: Readonly<Record<string, Benchmark>> = { suite, latency, fake, scaling };
