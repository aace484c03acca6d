import { expect, test } from 'vitest';
import { costOf, cpuOfChildren } from './command.ts';

test.each([
  ['dash', '0m0.000000s 0m0.000000s\n0m1.250000s 0m0.250000s\n', 1.5],
  ['bash', '0m0.001s 0m0.002s\n2m3.500s 0m0.500s\n', 124],
  ['after what the command itself printed', 'a warning\n0m0.00s 0m0.00s\n0m0.50s 0m0.00s\n', 0.5],
])("the children's time is the last line (%s)", (_, printed, seconds) => {
  expect(cpuOfChildren(printed)).toBe(seconds);
});

test('what is no time is not taken for one', () => {
  expect(() => cpuOfChildren('command not found')).toThrow('printed no times');
});

test("a command's cost holds what its own children took", async () => {
  const busy = 'const until = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < until);';
  const parent = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(busy)}])`;
  const { cpu, wall } = await costOf(process.execPath, '-e', parent);
  expect(cpu).toBeGreaterThan(0.15);
  expect(wall).toBeGreaterThan(0);
});

test('a command that fails is not timed', async () => {
  const failing = costOf(process.execPath, '-e', "console.log('this is why'); process.exit(4)");
  await expect(failing).rejects.toThrow(/ended with 4: [\s\S]*this is why/);
});
