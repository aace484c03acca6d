import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../', import.meta.url));

/** The environment of a user who has set nothing. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(CONFORMANCE_|GITHUB_|VITEST|npm_|NODE_OPTIONS|DEBUG)/.test(name),
  ),
);

/**
 * Runs a command in the project's folder.
 * @returns CPU seconds (user and system) of the command and of every process that it started
 * @throws Error if it fails, with the end of what it printed
 */
export async function cpuSecondsOf(...command: readonly string[]): Promise<number> {
  // The shell's `times` counts all processes that it waited for; Node only counts its own process.
  const child = spawn('sh', ['-c', '"$@"; code=$?; times >&2; exit $code', 'sh', ...command], {
    cwd: root,
    env: { ...environment, LC_ALL: 'C', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0)
    throw new Error(`${command.join(' ')} ended with ${code}: ${(stderr + stdout).trim().slice(-600)}`);
  // POSIX: the last line of `times` is for the shell's children, user time before system time.
  const line = stderr.trimEnd().split('\n').at(-1) ?? '';
  const times = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  return times.reduce((sum, seconds) => sum + seconds, 0);
}

/** Node.js options of the suite: `npm test` limits V8's heap in the same way, in MB. */
export const heapLimit = ['--max-old-space-size=700'];

/** Starts a Node.js program whose CPU time and peak memory are measured. `nodeOptions` are command-line options of Node.js itself. */
export function startMeasured(
  file: string,
  args: readonly string[],
  {
    cwd = root,
    peakFile,
    nodeOptions = [],
  }: { readonly cwd?: string; readonly peakFile?: string; readonly nodeOptions?: readonly string[] } = {},
): ChildProcess {
  return fork(file, args, {
    cwd,
    env: peakFile === undefined ? environment : { ...environment, BENCH_PEAK_FILE: peakFile },
    execArgv: [
      ...nodeOptions,
      ...['tsx', './usage.js'].flatMap((each) => ['--import', import.meta.resolve(each)]),
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** The next message of a child process. Rejects if it exits before. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const abort = new AbortController();
  const { signal } = abort;
  const exited = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.slice(-2).join(' ')} exited with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), exited]);
    return message;
  } finally {
    exited.catch(() => {});
    abort.abort();
  }
}

/** A fake in a measured process. */
export interface FakeProcess {
  readonly child: ChildProcess;
  /** A property that `fake.ts` sent: `url`, `controlUrl`, `token`, `signingKey`, `clientId`, `clientSecret`. */
  get(name: string): string;
}

/** Starts a fake. `latency` is in milliseconds. */
export async function startFakeProcess(latency = 0): Promise<FakeProcess> {
  const child = startMeasured(fileURLToPath(new URL('./fake.ts', import.meta.url)), [String(latency)]);
  const sent = new Map(Object.entries((await nextMessage(child)) ?? {}));
  return {
    child,
    get(name) {
      const value: unknown = sent.get(name);
      if (typeof value !== 'string') throw new Error(`the fake sent no ${name}`);
      return value;
    },
  };
}

/** CPU seconds that a measured process has used so far. */
export async function cpuSecondsSoFar(child: ChildProcess): Promise<number> {
  child.send('usage');
  return Number(await nextMessage(child));
}

/**
 * Runs the suite's command line in a measured process.
 * @throws Error if it does not exit with 0
 */
export async function runSuite(args: readonly string[], peakFile?: string): Promise<void> {
  const main = fileURLToPath(new URL('../lib/cli/main.ts', import.meta.url));
  const child = startMeasured(main, [...args, '--quiet'], {
    nodeOptions: heapLimit,
    ...(peakFile !== undefined && { peakFile }),
  });
  const [stderr, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
  if (code !== 0) throw new Error(`the suite exited with ${code}: ${stderr.trim()}`);
}

/** Ends a child process. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
