import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startShellProgram } from '../../../test/shell-program.ts';
import { runWithOptions } from '../../cli/run.ts';
import { readLibraryOptions } from '../../cli/settings.ts';
import { startFake } from '../../fake/index.ts';
import type { Report } from '../../report/report.ts';
import { renderTerminal } from '../../report/terminal.ts';
import { writeReports } from '../../report/write.ts';
import { faults } from '../faults/index.ts';

// A report must lead to the cause: the script of the fault's own requirement, run in bash, shows the fault. That this
// requirement comes first in the report is for `npm run mutation -- --all`, which tries every fault.

/** A fixed random sample of the faults: `npm run sample` uses 60, the unit tests fewer. */
const size = Number(process.env.SAMPLE_FAULTS ?? 4);
const sizes = { minLength: size, maxLength: size };
const [sample = []] = fc.sample(fc.shuffledSubarray([...faults], sizes), { seed: 19, numRuns: 1 });

/** How many scripts may show nothing: 3 of 60, or 2 of a smaller sample, in which one more means little. */
const allowed = Math.max(2, size / 20);

const folder = mkdtempSync(join(tmpdir(), 'sample-'));
const signingKey = join(folder, 'key.jwk');
const clientSecret = 'secret+of/the=sample&100%';
const clients = [{ client_id: 'sample', client_secret: clientSecret, scopes: ['read:actions'] }];

/** Prints tokens in place of the installed command, which would start a process for each. */
let program: AsyncDisposable;

beforeAll(async () => {
  program = await startShellProgram(folder, 'tenant-admin-conformance');
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
});
afterAll(async () => {
  await program[Symbol.asyncDispose]();
});

/** The scopes in the payload of a token, as a user who decodes it sees them. */
const scopesOf = (payload: string): string =>
  JSON.stringify(JSON.parse(Buffer.from(payload, 'base64url').toString()).scopes);

/** The output of a script without what differs between runs. */
async function printed(script: string): Promise<string> {
  const env = { PATH: `${folder}:${process.env.PATH}`, CONFORMANCE_CLIENT_SECRET: clientSecret };
  const options = { cwd: folder, env, maxBuffer: 50_000_000 };
  const file = join(folder, 'script.sh');
  writeFileSync(file, script);
  const output = await new Promise<string>((resolve) => {
    execFile('bash', [file], options, (_, stdout) => resolve(stdout));
  });
  return output
    .split(/\r?\n/)
    .filter((line) => !/^[\w-]+: /.test(line) || /^content-type: /i.test(line))
    .map((line) => line.replaceAll(/"next" *: *"[^"]*"/g, ''))
    .map((line) =>
      line.replaceAll(/"access_token" *: *"[^".]*\.([^".]*)[^"]*"/g, (_, payload) => scopesOf(payload)),
    )
    .join('\n');
}

/** The number of lines of the longest entry at 100 columns. */
function longestEntry(report: Report): number {
  const blocks = renderTerminal(report, { columns: 100, reportDir: 'reports' }).split('\n\n');
  const entries = blocks.filter((block) => /^[✗!?] \d/.test(block)).map((block) => block.split('\n').length);
  return Math.max(...entries);
}

test(`of ${size} faults nearly all are shown by their scripts`, { timeout: 1_200_000 }, async () => {
  await using conforming = await startFake({ control: true, clients });
  const { signingKey: key } = conforming;
  writeFileSync(signingKey, JSON.stringify(key));
  const notShown: string[] = [];
  for (const { name, requirement, rules } of sample) {
    await using fake = await startFake({
      control: true,
      clients,
      rules: [rules],
      trustedKeys: { keys: [key] },
    });
    const reportDir = join(folder, 'reports');
    const run = (only?: string) => {
      const { settings, ...options } = readLibraryOptions({
        baseUrl: fake.url,
        control: fake.controlUrl ?? '',
        signingKey,
        clientId: 'sample',
        clientSecret,
        seed: 1,
        ...(only !== undefined && { only: [only] }),
        limits: { log_wait_ms: 300 },
      });
      return runWithOptions({ ...options, settings: { ...settings, reportDir } });
    };
    const resultIn = (report: Report) => report.requirements.find(({ id }) => id === requirement);
    const alone = await run(requirement);
    // Some requirements judge the requests of others.
    const report = resultIn(alone)?.reproduce === undefined ? await run() : alone;
    await writeReports(report, reportDir, 'none', {});
    expect(longestEntry(report), name).toBeLessThanOrEqual(12);
    const script = resultIn(report)?.reproduce ?? '';
    const same = script
      .replaceAll(fake.origin, conforming.origin)
      .replaceAll(fake.controlUrl ?? '', conforming.controlUrl ?? '');
    if ((await printed(script)) === (await printed(same))) notShown.push(`${name}: ${script}`);
  }
  expect(notShown.length, notShown.join('\n')).toBeLessThanOrEqual(allowed);
});
