import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Section } from './bench.ts';
import { askChild, number } from './child.ts';
import { environment, root } from './command.ts';
import { atMost } from './row.ts';
import { alternate, median } from './samples.ts';

/** How soon a fake answers, in a test and as a command; and many of them in one process. */
export const start: Section = async ({ isQuick, rounds, empty }) => {
  const count = isQuick ? 50 : 500;
  const [answers = []] = await alternate(rounds * 3, [() => askChild('first-answer')]);
  const middle = (name: string) => median(answers.map((each) => number(each, name)));
  const [greetings = []] = await alternate(rounds, [greeting]);
  const crowd = await askChild('crowd', String(count));
  return [
    {
      name: 'start/answer',
      what: 'startFake() until its first answer, in a fresh process after import',
      value: middle('milliseconds'),
      unit: 'ms',
      goal: atMost(30),
    },
    {
      name: 'start/listening',
      what: 'of that, until startFake() resolves',
      value: middle('start'),
      unit: 'ms',
    },
    {
      name: 'start/process',
      what: 'CPU of the whole process: start, import of the package, startFake(), one answer',
      value: middle('cpu'),
      unit: 's',
      beside: empty,
      cpu: true,
    },
    {
      name: 'start/command',
      what: 'npm run fake until it prints its base URL',
      value: median(greetings),
      unit: 's',
      goal: atMost(1),
    },
    {
      name: 'start/crowd-memory',
      what: `${count} fakes in one process, each has answered once: most memory`,
      value: number(crowd, 'peak'),
      unit: 'MB',
      goal: atMost(1000),
    },
    {
      name: 'start/crowd-start',
      what: `${count} fakes in one process: starting them`,
      value: number(crowd, 'seconds'),
      unit: 's',
    },
    {
      name: 'start/crowd-handles',
      what: 'handles left when all are closed',
      value: number(crowd, 'handles'),
      unit: 'handles',
      goal: atMost(0),
    },
  ];
};

/** Seconds from the shell's enter until the fake prints its base URL. */
async function greeting(): Promise<number> {
  const began = performance.now();
  // A group of its own, so that what npm starts ends with it.
  const child = spawn('npm', ['run', 'fake'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const ended = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += chunk;
    if (printed.includes('base URL')) break;
  }
  const seconds = (performance.now() - began) / 1000;
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  await ended;
  if (!printed.includes('base URL')) throw new Error(`npm run fake printed no base URL: ${printed}`);
  return seconds;
}
