import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Starts a Node.js program that answers with its CPU time, see `cpuSecondsSoFar`. */
export function startMeasured(file: string, ...args: readonly string[]): ChildProcess {
  const execArgv = ['tsx', './usage.js'].flatMap((each) => ['--import', import.meta.resolve(each)]);
  return fork(file, args, {
    cwd: root,
    env: environment,
    execArgv,
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

/** CPU seconds that a measured process has used so far. */
export async function cpuSecondsSoFar(child: ChildProcess): Promise<number> {
  child.send('usage');
  return Number(await nextMessage(child));
}

/**
 * Runs the suite's command line.
 * @returns the peak of its memory in bytes
 * @throws Error if it does not exit with 0
 */
export async function runSuite(folder: string, ...args: readonly string[]): Promise<number> {
  const peakFile = join(folder, 'peak');
  const usage = fileURLToPath(new URL('./usage.js', import.meta.url));
  // As `npm test`, but without the time that npm takes.
  const node = [process.execPath, '--max-old-space-size=700', '--import', 'tsx', '--import', usage];
  await cpuSecondsOf('env', `BENCH_PEAK_FILE=${peakFile}`, ...node, 'lib/cli/main.ts', ...args, '--quiet');
  return Number(readFileSync(peakFile, 'utf8'));
}

/** Ends a child process. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
