/** Answers each message of the parent process with the CPU seconds that this process has used so far. */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1_000_000);
});
