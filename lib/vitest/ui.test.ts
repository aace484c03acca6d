import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from '../../test/chromium.ts';
import { freePort } from '../../test/free-port.ts';
import { type Fake, startFake } from '../index.ts';

// `npm run ui` against a server with a fault: what an implementer sees.

const folder = mkdtempSync(join(tmpdir(), 'ui-'));
let fake: Fake;
let browser: Browser;
let child: ChildProcess;
let url = '';

beforeAll(async () => {
  [fake, browser] = await Promise.all([startFake({ control: true }), startChromium()]);
  const key = join(folder, 'key.jwk');
  writeFileSync(key, JSON.stringify(fake.signingKey));
  const args = ['run', '--silent', 'ui', '--', '--open=false', '--watch', `--api.port=${await freePort()}`];
  child = spawn('npm', args, {
    // The failure that the test asks for is not shown: in the log of the checks it would look like one of theirs.
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
      NO_COLOR: '1',
      CI: '',
      CONFORMANCE_BASE_URL: fake.url,
      CONFORMANCE_CONTROL: fake.controlUrl ?? '',
      CONFORMANCE_SIGNING_KEY: key,
      CONFORMANCE_ONLY: '4.2/take-accepted,4.2/take-minimum',
    },
  });
  let printed = '';
  child.stdout?.setEncoding('utf8');
  while (!printed.includes('Waiting for file changes') && child.stdout !== null)
    printed += (await once(child.stdout, 'data'))[0];
  url = /http:\S+/.exec(printed)?.[0] ?? '';
});

afterAll(async () => {
  if (child?.pid) process.kill(-child.pid);
  await browser?.close();
  await fake?.close();
});

test('a requirement is clicked and run, fails, and its difference is seen', async () => {
  const page = await browser.newPage();
  await page.goto(url);
  const before = fake.requests.length;
  fake.use('take-maximum-exclusive');
  const row = page.getByTestId('explorer-item').filter({ hasText: '4.2/take-accepted' });
  await row.hover();
  await row.getByTestId('btn-run-test').click();
  await row.click();
  const report = page.getByTestId('report');
  await report.getByText('RequirementError').waitFor();
  const text = await report.textContent();
  expect(text).toContain('expected a 2xx status, because take=50 is within its bounds; received 400');
  expect(text).toMatch(/source +§4\.2/);
  expect(text).toMatch(/repeat +TOKEN=.*\ncurl /s);
  expect(text).toMatch(/suites\/page-sizes\.ts:\d+/);
  expect(await report.getByTestId('diff').textContent()).toContain('a 2xx status');
  const sent = fake.requests.slice(before).map(({ target }) => new URL(target, fake.url).searchParams);
  // What the other requirement sends: a take below the minimum.
  expect(sent.filter((query) => Number(query.get('take') ?? 1) < 1)).toEqual([]);
});
