import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFake } from '../lib/fake/index.ts';
import { parseReportText } from '../lib/report/parse.ts';
import { runSuite } from './process.ts';
import type { Bench, Row } from './row.ts';

/** Milliseconds before each response of the target. */
const latencyMs = 50;
const concurrency = 16;

/** The suite against a target with latency, compared with the time of latency alone where `concurrency` requests are always in flight. */
export async function latency({ folder, isQuick }: Bench): Promise<readonly Row[]> {
  const fake = await startFake({ control: true, latency: latencyMs });
  const [client] = fake.clients;
  const [profile, key, reportDir] = [join(folder, 'profile.json'), 'key.jwk', join(folder, 'latency')];
  const options = {
    base_url: fake.url,
    control: fake.controlUrl,
    signing_key: key,
    client_id: client?.client_id,
    client_secret: client?.client_secret,
    concurrency,
    ...(isQuick && { only: '4.2' }),
  };
  writeFileSync(join(folder, key), JSON.stringify(fake.signingKey));
  writeFileSync(profile, JSON.stringify(options));
  const began = performance.now();
  await runSuite(folder, '--profile', profile, '--report-dir', reportDir);
  const seconds = (performance.now() - began) / 1000;
  await fake.close();
  const { run } = parseReportText(readFileSync(join(reportDir, 'report.json'), 'utf8'));
  return [
    {
      name: 'latency',
      what: `${run.requests} requests, ${latencyMs} ms latency, concurrency ${concurrency}`,
      value: seconds,
      unit: 's',
      reference: {
        what: 'requests × latency / concurrency',
        value: (run.requests * latencyMs) / concurrency / 1000,
      },
      limit: { atMost: 1.5 },
    },
  ];
}
