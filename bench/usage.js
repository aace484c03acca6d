import { writeFileSync } from 'node:fs';

/**
 * Preloaded into each measured process: answers any message with the CPU seconds that the process has used so far, and
 * writes its peak memory in bytes to the file in BENCH_PEAK_FILE when it exits.
 */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1_000_000);
});
process.on('disconnect', () => process.exit());
// Without this the listener for messages would keep a process alive that is done.
process.channel?.unref();

const file = process.env.BENCH_PEAK_FILE;
if (file !== undefined)
  process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS * 1024)));
