import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleDocumentText } from '../test/sample-document.ts';
import { runSuite } from './process.ts';
import type { Bench, Row } from './row.ts';

/** The embedded fake judged by a contract of many operations: peak memory of the process. */
export async function scaling({ folder, isQuick }: Bench): Promise<readonly Row[]> {
  const operations = isQuick ? 50 : 450;
  const contract = join(folder, 'contract.yaml');
  writeFileSync(contract, sampleDocumentText(operations));
  const reportDir = join(folder, 'scaling');
  const peak = await runSuite(folder, '--contract', contract, '--report-dir', reportDir, '--seed', '1');
  return [
    {
      name: 'scaling',
      what: `contract of ${operations} operations, peak memory`,
      value: peak / 1_000_000,
      unit: 'MB',
      limit: { atMost: 600 },
    },
  ];
}
