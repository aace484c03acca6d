import { shippedSchema } from '../contract/document.ts';
import { parseJson } from '../contract/json.ts';
import { createParser } from '../contract/schema-parser.ts';
import type { Report } from './report.ts';
import { visible } from './text.ts';

const parse = createParser<Report>(
  'the report',
  () => shippedSchema('reports/report.schema.json'),
  (problem) => new Error(`not a report: ${visible(problem)}`),
);

/** The JSON text as a report. @throws Error of one line if it does not match `report.schema.json` */
export function parseReportText(text: string): Report {
  return parse(parseJson(text));
}
