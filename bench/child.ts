import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { environment, root } from './command.ts';

/** What a child process tells, by name. */
export type ResolvedOptions = Readonly<Record<string, string | number>>;

/** A module of `children/`, running in a process of its own. */
export interface Child {
  /** What it told when it was ready. */
  readonly told: ResolvedOptions;
  /** Sends it a message, and gives what it tells next. */
  ask(message: ResolvedOptions): Promise<ResolvedOptions>;
  /** Ends it. */
  close(): Promise<void>;
}

/** Starts a module of `children/`; resolves when it has told that it is ready. */
export async function startChild(module: string, ...args: readonly string[]): Promise<Child> {
  const child = fork(fileURLToPath(new URL(`./children/${module}.ts`, import.meta.url)), args, {
    cwd: root,
    env: environment,
    execArgv: ['--import', 'tsx'],
    // A run's own output is no part of the table.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const told = await next(child, module);
  return {
    told,
    ask(message) {
      child.send(message);
      return next(child, module);
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Runs a module of `children/` that tells one thing and ends. */
export async function askChild(module: string, ...args: readonly string[]): Promise<ResolvedOptions> {
  const child = await startChild(module, ...args);
  await child.close();
  return child.told;
}

/** A number that a child told. */
export function number(told: ResolvedOptions, name: string): number {
  const value = told[name];
  if (typeof value !== 'number') throw new Error(`a child told no number ${name}`);
  return value;
}

/** A text that a child told. */
export function string(told: ResolvedOptions, name: string): string {
  const value = told[name];
  if (typeof value !== 'string') throw new Error(`a child told no text ${name}`);
  return value;
}

/** What it tells next. Rejects where it ends before. */
async function next(child: ChildProcess, module: string): Promise<ResolvedOptions> {
  const watching = new AbortController();
  const { signal } = watching;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]): ResolvedOptions => message),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`${module} ended with ${code}`);
      }),
    ]);
  } finally {
    watching.abort();
  }
}
