import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test.each(['client', 'conformance'])('the %s example for node:test passes', async (name) => {
  const file = new URL(`./node-test/${name}.ts`, import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--test', file]);
  expect(stdout).toMatch(/fail 0/);
});
