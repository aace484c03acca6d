import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleDocumentText } from '../test/sample-document.ts';
import { judged, type Section } from './bench.ts';
import { atMost } from './row.ts';

/** Requests that the scope matrix takes: each scope in a token of its own, and many in one. */
export const matrix: Section = async ({ folder, isQuick }) => {
  const size = isQuick ? 50 : 450;
  const contract = join(folder, 'matrix.yaml');
  writeFileSync(contract, sampleDocumentText(size));
  const requests = async (
    kind: 'full' | 'grouped',
    only: string,
    ...more: readonly string[]
  ): Promise<number> => {
    const { run } = await judged(join(folder, 'matrix'), '--matrix', kind, '--only', only, ...more);
    return run.requests;
  };
  const eachScope = '5.5/each-scope-alone*';
  const grouped = await requests('grouped', eachScope, '--contract', contract);
  const all = await requests('grouped', '5.5', '--contract', contract);
  return [
    {
      name: 'matrix/grouped',
      what: `scope matrix by groups, ${size} operations: requests an operation`,
      value: grouped / size,
      unit: 'requests',
      goal: atMost(10),
    },
    {
      name: 'matrix/section',
      what: `all of section 5.5 by groups, ${size} operations: requests an operation`,
      value: all / size,
      unit: 'requests',
    },
    {
      name: 'matrix/five',
      what: 'scope matrix by groups, the five operations: requests',
      value: await requests('grouped', eachScope),
      unit: 'requests',
      beside: { what: 'requests, in full', value: await requests('full', eachScope) },
    },
  ];
};
