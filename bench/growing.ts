import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleDocumentText } from '../test/sample-document.ts';
import { readReport, reportBytes, type Section } from './bench.ts';
import { askChild, number } from './child.ts';
import { atMost, type Measured, type Row } from './row.ts';
import { alternate, median } from './samples.ts';

/** Loading, judging and reporting contracts of ever more operations. */
export const growing: Section = async (bench) => {
  const { folder, isQuick, rounds, empty } = bench;
  const rows: Row[] = [];
  const cpuOfOne = new Map<number, number>();
  for (const size of isQuick ? [5, 50] : [5, 50, 450]) {
    const contract = join(folder, `contract-${size}.yaml`);
    const reports = join(folder, `growing-${size}`);
    writeFileSync(contract, sampleDocumentText(size));
    // What takes long is told apart from chance by one run.
    const [found = []] = await alternate(size > 100 ? 1 : rounds, [
      () => askChild('judge', contract, reports),
    ]);
    const middle = (name: string) => median(found.map((each) => number(each, name)));
    const row = (name: string, what: string, value: number, unit: Measured['unit']) => ({
      name: `growing/${size}-${name}`,
      what: `contract of ${size} operations: ${what}`,
      value,
      unit,
    });
    cpuOfOne.set(size, middle('cpu') / size);
    rows.push(
      row('load', 'loading it', middle('load'), 'ms'),
      { ...row('cpu', 'CPU of the run', middle('cpu'), 's'), beside: empty, cpu: true },
      row('requests', 'requests', readReport(reports).run.requests, 'requests'),
      row('report', 'report.json', reportBytes(reports), 'bytes'),
      { ...row('memory', 'most memory', middle('peak'), 'MB'), goal: atMost(500) },
    );
  }
  const [few, many] = [cpuOfOne.get(50), cpuOfOne.get(450)];
  if (few !== undefined && many !== undefined)
    rows.push({
      name: 'growing/linear',
      what: 'CPU of the run for one operation of 450',
      value: many * 1000,
      unit: 'ms',
      beside: { what: 'ms, for one of 50', value: few * 1000 },
      goal: atMost(1.3),
    });
  return rows;
};
