import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../', import.meta.url));

/** What a command took, with everything that it started: seconds. */
export interface Cost {
  /** User and system time. */
  readonly cpu: number;
  readonly wall: number;
}

/** The environment of a user who has set nothing. */
export const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(CONFORMANCE_|GITHUB_|VITEST|npm_|NODE_OPTIONS|DEBUG)/.test(name),
  ),
);

/**
 * Runs a command in the project's folder to its end.
 * @throws Error where it fails, with the end of what it printed
 */
export async function costOf(...command: readonly string[]): Promise<Cost> {
  const began = performance.now();
  // The shell's `times` tells the CPU time of all processes that it waited for, Node that of none but its own.
  const child = spawn('sh', ['-c', '"$@"; code=$?; times >&2; exit $code', 'sh', ...command], {
    cwd: root,
    env: { ...environment, LC_ALL: 'C', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const wall = (performance.now() - began) / 1000;
  if (code !== 0)
    throw new Error(`${command.join(' ')} ended with ${code}: ${(complained + printed).trim().slice(-600)}`);
  return { cpu: cpuOfChildren(complained), wall };
}

/**
 * Seconds out of what the shell's `times` printed last (POSIX): a line for the shell itself, then one for its children, each
 * with user and system time.
 */
export function cpuOfChildren(printed: string): number {
  const line = printed.trimEnd().split('\n').at(-1) ?? '';
  const [user, system] = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  if (user === undefined || system === undefined) throw new Error(`the shell printed no times but ${line}`);
  return user + system;
}
