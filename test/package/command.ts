import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a command printed, on both streams. */
export interface Ended {
  readonly stdout: string;
  readonly printed: string;
}

/** The environment of a user who has set nothing. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(CONFORMANCE_|GITHUB_|npm_|NODE_OPTIONS)/.test(name)),
);

/** A command that has been started. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves when it has printed this. Throws if it ends before. */
  until(text: string): Promise<string>;
  /** Resolves when it ends with 0, throws if it ends otherwise. */
  readonly ended: Promise<Ended>;
}

/** Starts a command in a folder. */
export function start(folder: string, command: string, ...args: readonly string[]): Running {
  const child = spawn(command, args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, printed] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = once(child, 'close').then(([code]): Ended => {
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${printed}`);
    return { stdout, printed };
  });
  // The rejection reaches only callers that wait for it.
  ended.catch(() => {});
  return {
    child,
    ended,
    async until(text) {
      while (!printed.includes(text)) {
        const over = ended.then(() => {
          throw new Error(`${command} ended without printing ${text}:\n${printed}`);
        });
        await Promise.race([once(child.stdout, 'data'), over]);
      }
      return printed;
    },
  };
}

/** Runs a command in a folder to its end. Throws if it fails, with what it printed. */
export function run(folder: string, command: string, ...args: readonly string[]): Promise<Ended> {
  return start(folder, command, ...args).ended;
}
