import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../../test/in-process.ts';
import { runConformance } from '../../cli/run.ts';
import { startFake } from '../../fake/index.ts';
import { findingsOf } from '../../report/findings.ts';
import type { Report } from '../../report/report.ts';
import { renderTerminal } from '../../report/terminal.ts';
import { writeReports } from '../../report/write.ts';
import { applicable } from '../../runner/applicable.ts';
import { faults } from '../faults/index.ts';
import { coverageOfCases, loadShared } from './cases.ts';

// A report must lead to the cause: the fault's own requirement comes first, and its script, run in bash, shows the fault.

/** A fixed random sample of the faults: `npm run sample` uses 60, the unit tests fewer. */
const size = Number(process.env.SAMPLE_FAULTS ?? 5);
const sizes = { minLength: size, maxLength: size };
const [sample = []] = fc.sample(fc.shuffledSubarray([...faults], sizes), { seed: 19, numRuns: 1 });

/** How many faults may mislead: 3 of 60, or 2 of a smaller sample, in which one more means little. */
const allowed = Math.max(2, size / 20);

const folder = mkdtempSync(join(tmpdir(), 'sample-'));
const signingKey = join(folder, 'key.jwk');
const clientSecret = 'a-secret-of-this-test';
const clients = [{ client_id: 'sample', client_secret: clientSecret, scopes: ['read:actions'] }];

/** Prints tokens instead of `npx`, which would start a process for each. */
const program = createServer(async (request, response) => {
  const words = (await request.toArray()).join('').split('\u0001').slice(1, -1);
  const { stdout, stderr } = await runHere(words);
  response.end(stdout + stderr);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
  const address = program.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const npx = `#!/bin/bash\nprintf '%s\\001' "$@" | curl -s http://127.0.0.1:${port}/ --data-binary @-\n`;
  writeFileSync(join(folder, 'npx'), npx);
  chmodSync(join(folder, 'npx'), 0o755);
});
afterAll(() => {
  program.close();
  rmSync(folder, { recursive: true });
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

test(`of ${size} faults nearly all come first in the report, and their scripts show them`, {
  timeout: 1_200_000,
}, async () => {
  const shared = await loadShared();
  const { contract, ledger, suite } = shared.own;
  const { requirements, observations } = applicable(ledger, suite, contract, 'public');
  const known = new Set([...requirements, ...observations].map(({ id }) => id));
  const cases = sample.map(({ name }) => ({ kind: 'fault' as const, name, seed: 1 }));
  const coverage = await coverageOfCases(1, cases, shared);
  await using conforming = await startFake({ control: true, clients });
  const { signingKey: key } = conforming;
  writeFileSync(signingKey, JSON.stringify(key));
  const [notFirst, notShown]: [string[], string[]] = [[], []];
  for (const { name, requirement, rules } of sample) {
    await using fake = await startFake({
      control: true,
      clients,
      rules: [rules],
      trustedKeys: { keys: [key] },
    });
    const report = await runConformance({
      baseUrl: fake.url,
      control: fake.controlUrl ?? '',
      signingKey,
      clientId: 'sample',
      clientSecret,
      seed: 1,
      matrix: 'grouped',
      only: (coverage.get(name) ?? []).filter((id) => known.has(id)),
      limits: { log_wait_ms: 300 },
    });
    await writeReports(report, join(folder, 'reports'), 'none', {});
    expect(longestEntry(report), name).toBeLessThanOrEqual(12);
    const own = report.requirements.find(({ id }) => id === requirement);
    // Failures are listed before warnings, related or not.
    const [first] = findingsOf(report, own?.verdict === 'warned' ? 'warned' : 'failed');
    if (first === undefined || own === undefined || ![first.result, ...first.same].includes(own))
      notFirst.push(`${name}: ${requirement}, not ${first?.result.id}`);
    const script = own?.reproduce ?? '';
    const same = script
      .replaceAll(fake.origin, conforming.origin)
      .replaceAll(fake.controlUrl ?? '', conforming.controlUrl ?? '');
    if ((await printed(script)) === (await printed(same))) notShown.push(`${name}: ${script}`);
  }
  expect(notFirst.length, notFirst.join('\n')).toBeLessThanOrEqual(allowed);
  expect(notShown.length, notShown.join('\n')).toBeLessThanOrEqual(allowed);
});
