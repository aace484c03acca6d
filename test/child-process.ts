import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The command line in a process of its own, for tests. */
export interface RunningCli {
  readonly child: ChildProcess;
  /** What it has printed so far, on both streams, in order. */
  printed(): string;
  /** Resolves when the text has been printed. Rejects if the process ends before. */
  until(text: string | RegExp): Promise<string>;
  /** Resolves with its exit code and what it printed. */
  readonly ended: Promise<EndedCli>;
}

export interface EndedCli {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const main = fileURLToPath(new URL('../lib/cli/main.ts', import.meta.url));
const root = fileURLToPath(new URL('../', import.meta.url));

/** The environment of a test, without the suite's own variables, color or CI. */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CONFORMANCE_|GITHUB_|VITEST)/.test(name),
  );
  return { ...Object.fromEntries(inherited), NO_COLOR: '1', ...extra };
}

/** Starts `tenant-admin-conformance` with these arguments. */
export function startCli(
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
  stdin: 'empty' | 'open' = 'empty',
): RunningCli {
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], {
    cwd: root,
    env: environment(extra),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (stdin === 'empty') child.stdin.end();
  let [stdout, stderr, both] = ['', '', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    both += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    both += text;
  });
  // `until` adds listeners each time it is called.
  for (const stream of [child.stdout, child.stderr]) stream.setMaxListeners(0);
  const ended = once(child, 'close').then(([code]): EndedCli => ({ code, stdout, stderr }));
  const printed = () => both;
  return {
    child,
    printed,
    ended,
    async until(text) {
      const isThere = () => (typeof text === 'string' ? printed().includes(text) : text.test(printed()));
      while (!isThere()) {
        const more = Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]).then(() => true);
        const isOver = ended.then(() => false);
        if (!(await Promise.race([more, isOver])) && !isThere())
          throw new Error(`ended without printing ${text}: ${printed()}`);
      }
      return printed();
    },
  };
}

/** Runs `tenant-admin-conformance` with these arguments to its end. */
export function runCli(
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Promise<EndedCli> {
  return startCli(args, extra).ended;
}
