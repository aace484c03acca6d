import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { runCli, startCli } from '../../test/child-process.ts';
import { startProxy } from '../../test/tcp-proxy.ts';
import { startFake } from '../index.ts';

/** `--watch` against a fake behind a proxy that can be restarted. */
async function watching(...only: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  const fake = await startFake({ control: true });
  const proxy = await startProxy(Number(new URL(fake.origin).port));
  writeFileSync(join(folder, 'key.jwk'), JSON.stringify(fake.signingKey));
  const target = ['--base-url', `${proxy.origin}/api/v2`, '--control', fake.controlUrl ?? ''];
  const token = ['--signing-key', join(folder, 'key.jwk'), '--issuer', `${fake.origin}/`];
  const selection = [...only.flatMap((each) => ['--only', each]), '--runs', '3'];
  const cli = startCli(['--watch', ...target, ...token, ...selection, '--report-dir', folder], {}, 'open');
  onTestFinished(async () => {
    cli.child.kill();
    await proxy.close();
    await fake.close();
  });
  let seen = 0;
  return {
    fake,
    proxy,
    cli,
    report: () => JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')),
    press: (key: string) => cli.child.stdin?.write(key),
    /** What was printed since the last time, once the keys are shown again. */
    async screen() {
      const from = seen;
      const end = new RegExp(`^.{${from},}q: quit[^\\n]*\\n`, 's');
      const printed = await cli.until(end);
      seen = printed.length;
      return printed.slice(from);
    },
  };
}

test('a restart runs what failed first, keys choose what is run, and the seed stays', async () => {
  const { fake, proxy, cli, report, press, screen } = await watching('4.2/take-accepted', '4.2/take-minimum');
  fake.use('take-maximum-exclusive');
  expect(await screen()).toContain('✗ 1  4.2/take-accepted');
  const { seed } = report().run;
  const before = fake.requests.length;

  fake.use();
  await proxy.down();
  // A server that is back at once cannot be told from one that closes idle connections.
  await setTimeout(2_000);
  await proxy.up();
  const fixed = await screen();
  expect(fixed).toMatch(/^\s*4\.2\/take-accepted: passed\n.*○ INCOMPLETE {2}2 of/s);
  expect(fake.requests.length).toBeGreaterThan(before);
  expect(report().run.seed).toBe(seed);

  fake.use('take-maximum-exclusive');
  press('\r');
  expect(await screen()).toContain('FAILED (1)');
  press('f');
  expect(await screen()).toMatch(/FAILED \(1\)/);
  press('o');
  await cli.until(/only: $/);
  press('4.2/nothing\n');
  expect(await screen()).toContain("--only '4.2/nothing' names no requirement");
  // The mistyped pattern is forgotten.
  press('f');
  expect(await screen()).toMatch(/FAILED \(1\)/);
  fake.use();
  press('f');
  expect(await screen()).toContain('1 of');
  press('f');
  expect(await screen()).toContain('nothing failed');
  press('q');
  expect((await cli.ended).code).toBe(0);
});

test('a restart during a run is followed by another run', async () => {
  const { fake, proxy, screen } = await watching('4.2', '4.4');
  await expect.poll(() => fake.requests.length, { timeout: 60_000 }).toBeGreaterThan(20);
  await proxy.down();
  await setTimeout(2_000);
  await proxy.up();
  expect(await screen()).toContain('of 156 stated requirements judged');
  expect(await screen()).toContain('of 156 stated requirements judged');
});

test('needs a server that can restart', async () => {
  expect(await runCli(['--watch'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--base-url') });
});
