import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Report } from './report.ts';
import { visible } from './text.ts';

/** A value that is no report, with the first place where it differs. */
export class ReportFormatError extends Error {
  override readonly name = 'ReportFormatError';
}

/** The value as a report. Throws a `ReportFormatError` of one line where `report.schema.json` does not hold. */
export function parseReport(value: unknown): Report {
  const validate = validator();
  if (validate(value)) return value;
  throw new ReportFormatError(`not a report: ${firstError(validate.errors ?? [])}`);
}

/** The text as a report. */
export function parseReportText(text: string): Report {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ReportFormatError(
      `not a report: ${error instanceof Error ? visible(error.message) : 'no JSON'}`,
    );
  }
  return parseReport(value);
}

/** Where the schema lies: beside the sources, or in the package that holds the compiled ones. */
export function reportSchemaFile(): URL {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    const file = new URL('reports/report.schema.json', folder);
    if (existsSync(file)) return file;
    if (folder.pathname === '/')
      throw new Error('reports/report.schema.json is missing from this installation');
  }
}

let compiled: ValidateFunction<Report> | undefined;

function validator(): ValidateFunction<Report> {
  if (compiled === undefined) {
    const ajv = new Ajv2020({ allowUnionTypes: true, strictRequired: false });
    addFormats.default(ajv);
    compiled = ajv.compile<Report>(JSON.parse(readFileSync(reportSchemaFile(), 'utf8')));
  }
  return compiled;
}

function firstError(errors: readonly ErrorObject[]): string {
  const first = errors[0];
  if (first === undefined) return 'the schema does not hold';
  const where = first.instancePath === '' ? 'the whole' : first.instancePath;
  const allowed: unknown = first.params.allowedValues ?? first.params.additionalProperty;
  const detail = allowed === undefined ? '' : ` (${visible(JSON.stringify(allowed))})`;
  return `${visible(where)} ${first.message ?? 'is wrong'}${detail}`;
}
