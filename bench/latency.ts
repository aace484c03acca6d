import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseReportText } from '../lib/report/parse.ts';
import { runSuite, startFakeProcess, stop } from './process.ts';
import type { Bench, Row } from './row.ts';

/** Milliseconds before each response of the target. */
const latencyMs = 50;
const concurrency = 16;

/** The suite against a target with latency, compared with the time of latency alone where `concurrency` requests are always in flight. */
export async function latency({ folder, isQuick }: Bench): Promise<readonly Row[]> {
  const fake = await startFakeProcess(latencyMs);
  try {
    const [key, reports] = [join(folder, 'key.jwk'), join(folder, 'latency')];
    writeFileSync(key, fake.get('signingKey'));
    const began = performance.now();
    await runSuite([
      ...['--base-url', fake.get('url'), '--control', fake.get('controlUrl'), '--signing-key', key],
      ...['--client-id', fake.get('clientId'), '--client-secret', fake.get('clientSecret')],
      ...[
        '--concurrency',
        String(concurrency),
        '--report-dir',
        reports,
        ...(isQuick ? ['--only', '4.2'] : []),
      ],
    ]);
    const seconds = (performance.now() - began) / 1000;
    const { run } = parseReportText(readFileSync(join(reports, 'report.json'), 'utf8'));
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
  } finally {
    await stop(fake.child);
  }
}
