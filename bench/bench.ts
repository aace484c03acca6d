import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseReportText } from '../lib/report/parse.ts';
import type { Report } from '../lib/report/report.ts';
import { runCli } from '../test/child-process.ts';
import type { Row } from './row.ts';

/** What every section is given. */
export interface Bench {
  /** A temporary folder, gone at the end. */
  readonly folder: string;
  /** Smaller sizes and fewer rounds: to see that it works, not what it says. */
  readonly isQuick: boolean;
  /** How often each thing is measured; the median counts. */
  readonly rounds: number;
  /** What the CPU time of a whole process stands beside. */
  readonly empty: { readonly what: string; readonly value: number };
}

/** Measures one kind of thing. */
export type Section = (bench: Bench) => Promise<readonly Row[]>;

/**
 * Runs the suite's command line in a process of its own, and gives its report.
 * @param folder where the report goes
 * @throws Error where it could not judge, or found something broken
 */
export async function judged(folder: string, ...options: readonly string[]): Promise<Report> {
  const { code, stderr } = await runCli([...options, '--report-dir', folder, '--quiet']);
  if (code !== 0 && code !== 1) throw new Error(`the suite ended with ${code}: ${stderr.trim()}`);
  return readReport(folder);
}

/** The report of a run that found nothing wrong. Throws where it did: what is broken is not to be timed. */
export function readReport(folder: string): Report {
  const report = parseReportText(readFileSync(join(folder, 'report.json'), 'utf8'));
  const broken = report.requirements.filter(({ verdict }) => verdict === 'failed' || verdict === 'error');
  if (broken.length > 0) throw new Error(`the suite found ${broken.map(({ id }) => id).join(', ')} broken`);
  return report;
}

/** Bytes of a folder's report.json. */
export function reportBytes(folder: string): number {
  return statSync(join(folder, 'report.json')).size;
}
