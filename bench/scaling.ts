import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleDocumentText } from '../test/sample-document.ts';
import { runSuite } from './process.ts';
import type { Bench, Row } from './row.ts';

/** The embedded fake judged by a contract of many operations: peak memory of the process. */
export async function scaling({ folder, isQuick }: Bench): Promise<readonly Row[]> {
  const operations = isQuick ? 50 : 450;
  const [contract, peak] = [join(folder, 'contract.yaml'), join(folder, 'peak')];
  writeFileSync(contract, sampleDocumentText(operations));
  await runSuite(['--contract', contract, '--report-dir', join(folder, 'scaling'), '--seed', '1'], peak);
  return [
    {
      name: 'scaling',
      what: `contract of ${operations} operations, peak memory`,
      value: Number(readFileSync(peak, 'utf8')) / 1_000_000,
      unit: 'MB',
      limit: { atMost: 600 },
    },
  ];
}
