import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-test-'));

const bench = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), main, ...args], {
    cwd: folder,
  }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

test('measures, prints and records', async () => {
  // Its exit code and mark say how fast it was, which no test asserts.
  const { stdout } = await bench('--quick', '--only', 'fake');
  expect(stdout).toMatch(
    /^[✓✗] fake .* requests per CPU second, bare node:http .*: ratio .* \(limit ≥ 0.4\)$/m,
  );
  const record = JSON.parse(readFileSync(join(folder, 'reports/bench.json'), 'utf8'));
  expect(record).toMatchObject({ quick: true, rows: [{ name: 'fake', unit: 'requests per CPU second' }] });
});

test('a benchmark that does not exist is wrong usage', async () => {
  const { code, stderr } = await bench('--only', 'nothing');
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('suite, latency, fake, scaling'),
  });
});
