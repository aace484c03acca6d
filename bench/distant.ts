import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseReportText } from '../lib/report/parse.ts';
import { runSuite, startFakeProcess, stop } from './process.ts';
import type { Bench, Row } from './row.ts';

/** Milliseconds before each response of the target. */
const latency = 50;
const concurrency = 16;

/** The suite against a distant target, beside the time that latency alone takes if `concurrency` requests are always under way. */
export async function distant({ folder, isQuick }: Bench): Promise<readonly Row[]> {
  const fake = await startFakeProcess(latency);
  try {
    const [key, reports] = [join(folder, 'key.jwk'), join(folder, 'distant')];
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
        name: 'distant',
        what: `${run.requests} requests, ${latency} ms latency, concurrency ${concurrency}`,
        value: seconds,
        unit: 's',
        reference: {
          what: 'requests × latency / concurrency',
          value: (run.requests * latency) / concurrency / 1000,
        },
        limit: { atMost: 1.5 },
      },
    ];
  } finally {
    await stop(fake.child);
  }
}
