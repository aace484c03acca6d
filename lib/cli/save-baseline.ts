import { writeFileSync } from 'node:fs';
import { applyBaseline, parseBaseline, updateBaseline } from '../report/baseline.ts';
import type { Report } from '../report/report.ts';
import type { Settings } from './options.ts';
import { baselineText } from './plan.ts';

/** Writes the report's failures into the baseline; the report as it stands to the new one. */
export function saveBaseline(report: Report, { baseline: file }: Settings): Report {
  if (file === undefined) return report;
  const text = updateBaseline(baselineText(file, true), report);
  writeFileSync(file, text);
  return { ...report, baseline: applyBaseline(parseBaseline(text), report) };
}
