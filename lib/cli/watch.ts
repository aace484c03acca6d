import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { startProgress } from '../report/progress.ts';
import type { Report } from '../report/report.ts';
import { exitCode, splitName, wordsOf } from '../report/summary.ts';
import { failedNames, withEarlierFailures } from './failed.ts';
import { watchInterrupts } from './interrupts.ts';
import { lockReportDir } from './lock.ts';
import { defaultReportDir } from './options.ts';
import { printError } from './output.ts';
import { publish } from './report-dir.ts';
import { runWithOptions } from './run.ts';
import type { ResolvedOptions } from './settings.ts';
import { UsageError } from './usage.ts';

/** The keys of each command; Ctrl-C and Ctrl-D quit too. */
const keys = { all: '\r\n', failed: 'f', only: 'o', quit: 'q\u0003\u0004' };
const commandOf = (typed: string) => Object.entries(keys).find(([, each]) => each.includes(typed))?.[0];

/** What the next run takes over. */
interface Watch {
  settings: ResolvedOptions['settings'];
  last: Report | undefined;
}

const help = 'enter: all · f: failed · o: only … · q: quit · restart: failed, then the rest\n';

const { stdin, stdout } = process;
const setRawMode = (isRaw: boolean) => stdin.isTTY && stdin.setRawMode(isRaw);

/** `--watch`: judges again, with the same seed, whenever the server is back after a restart. Returns the last run's exit code. */
export async function watchCommand(resolved: ResolvedOptions): Promise<number> {
  const { reportDir = defaultReportDir, baseUrl = '' } = resolved.settings;
  const release = lockReportDir(reportDir);
  const watch: Watch = { settings: { ...resolved.settings, reportDir }, last: undefined };
  setRawMode(true);
  const { signal, interrupted, end } = watchInterrupts();
  try {
    for (let command = 'all'; command !== 'quit'; ) {
      stdout.write(stdout.isTTY ? '\u001b[2J\u001b[3J\u001b[H' : '\n');
      let restarts = 0;
      try {
        restarts = await perform(command, watch, resolved, signal);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        printError(`error: ${error.message}\n\n${help}`);
      }
      // A run during which the server restarted judged two versions of it.
      command = restarts > 0 && !signal.aborted ? 'restarted' : await nextCommand(new URL(baseUrl), signal);
    }
  } finally {
    setRawMode(false);
    stdin.destroy();
    end();
    release();
  }
  return interrupted() ? 130 : watch.last === undefined ? 3 : exitCode(watch.last, watch.settings);
}

/** Performs a command. Returns how often the server restarted meanwhile. @throws UsageError */
async function perform(
  command: string,
  watch: Watch,
  resolved: ResolvedOptions,
  signal: AbortSignal,
): Promise<number> {
  const wanted = { ...watch.settings };
  if (command === 'all') wanted.only = resolved.settings.only ?? [];
  if (command === 'only') wanted.only = [await question('only: ', signal)];
  const failed = watch.last === undefined ? [] : failedNames(wanted);
  if (command === 'failed' && failed.length === 0) {
    stdout.write(`nothing failed\n\n${help}`);
    return 0;
  }
  const settings = command === 'failed' ? { ...wanted, only: failed } : wanted;
  const first = command === 'restarted' ? failed : [];
  const { report, restarts } = await runOnce({ ...resolved, settings }, first, signal);
  watch.settings = { ...wanted, seed: report.run.seed };
  watch.last = report;
  return restarts;
}

/** One run, beginning with these requirements; with how often the server restarted meanwhile. */
async function runOnce(resolved: ResolvedOptions, first: readonly string[], signal: AbortSignal) {
  const { reportDir = defaultReportDir } = resolved.settings;
  const progress = startProgress(process.stderr);
  const onKey = (key: Buffer) => commandOf(String(key)) === 'quit' && process.emit('SIGINT');
  stdin.on('data', onKey);
  let restarts = 0;
  const watched = runWithOptions(resolved, {
    signal,
    onProgress: (state) => progress.update(state),
    onTrouble: (message) => printError(`warning: ${message}\n`),
    async drive(runner) {
      const judged = await Promise.all(first.map((name) => runner.run(...splitName(name))));
      progress.clear();
      for (const [index, { result }] of judged.entries())
        stdout.write(`${first[index]}: ${wordsOf(result.verdict)}\n`);
      await runner.runAll(new Set(first));
      ({ restarts } = runner);
    },
  });
  const report = withEarlierFailures(await watched.finally(() => stdin.off('data', onKey)), reportDir);
  progress.clear();
  await publish(report, { ...resolved.settings, reportDir, quiet: true }, 0);
  stdout.write(`\n${help}`);
  return { report, restarts };
}

/** Waits for a key that means something, for the server to be back after a restart, or for a signal. */
async function nextCommand(url: URL, interrupted: AbortSignal): Promise<string> {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, interrupted]);
  const key = async (): Promise<string> => commandOf(String(await once(stdin, 'data', { signal }))) ?? key();
  const next = Promise.race([key(), restarted(url, signal)]);
  return next.catch(() => 'quit').finally(() => controller.abort());
}

/** Resolves when the server accepts connections again: an idle one ends with its process, and the next is refused. */
async function restarted({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  for (let wasDown = false; ; await wait(100, undefined, { signal })) {
    const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), host);
    try {
      await once(socket, 'connect', { signal });
      if (wasDown) return 'restarted';
      // A server may close or reset idle connections.
      await once(socket.resume(), 'close', { signal }).catch(() => signal.throwIfAborted());
    } catch {
      wasDown = true;
    } finally {
      socket.destroy();
    }
  }
}

/** A line that the user types; empty after a signal. */
async function question(prompt: string, signal: AbortSignal): Promise<string> {
  setRawMode(false);
  stdout.write(prompt);
  const line = await once(stdin, 'data', { signal }).then(String, () => '');
  setRawMode(true);
  return line.trim();
}
