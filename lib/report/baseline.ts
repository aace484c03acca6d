import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument, YAMLSeq } from 'yaml';
import { createParser } from '../contract/schema-parser.ts';
import type { BaselineComparison, BaselineRow, Report, RequirementResult } from './report.ts';
import { breaks, brokenOn, isPartial, nameOf, operationsWith, splitName } from './summary.ts';
import { visible } from './text.ts';

/**
 * Compares the report's failures with the rows. A row has to go only if its requirement was judged on all its operations and
 * passed: not if it was not judged, and not if other shards judge parts of it. `today` has the form `2027-01-31`.
 */
export function applyBaseline(
  rows: readonly BaselineRow[],
  report: Report,
  today: string = new Date().toISOString().slice(0, 10),
): BaselineComparison {
  const strict = report.run.strict === true;
  const results = new Map(report.requirements.map((result) => [result.id, result]));
  const isFixed = ({ id, operation }: BaselineRow) => {
    const result = results.get(id);
    if (result === undefined || operation === undefined)
      return result?.verdict === 'passed' && !isPartial(result);
    return operationsWith(result, 'passed').includes(operation);
  };
  const namesOf = (result: RequirementResult) =>
    brokenOn(result).map((operation) => nameOf({ id: result.id, operation }));
  const failing = report.requirements.filter((result) => breaks(result, strict));
  const names = new Set(failing.flatMap((each) => [each.id, ...namesOf(each)]));
  const listed = new Set(rows.map(nameOf));
  const fails = (row: BaselineRow) => names.has(nameOf(row));
  const isExpired = (row: BaselineRow) => row.expires !== undefined && row.expires < today;
  return {
    known: rows.filter((row) => fails(row) && !isExpired(row)),
    unlisted: failing
      .filter(({ id }) => !listed.has(id))
      .flatMap((result) => {
        const unlisted = namesOf(result).filter((name) => !listed.has(name));
        return unlisted.length === result.operations.length ? [result.id] : unlisted;
      }),
    expired: rows.filter((row) => fails(row) && isExpired(row)),
    fixed: rows.filter(isFixed),
  };
}

/** What the report says of each requirement that the baseline lists or should list, the known ones first; the others fail the run. */
export function baselineEntries({ baseline }: Report) {
  if (baseline === undefined) return [];
  const { known, unlisted, expired, fixed } = baseline;
  const listed = (row: BaselineRow) => {
    const { reason, issue, expires } = row;
    const note = `${reason}${issue === undefined ? '' : ` (${issue})`}${expires === undefined ? '' : `, until ${expires}`}`;
    return { id: nameOf(row), note };
  };
  return [
    ...known.map((row) => ({ state: 'known', ...listed(row) })),
    ...unlisted.map((id) => ({ state: 'new', id, note: 'not listed in the baseline' })),
    ...expired.map((row) => ({ state: 'expired', ...listed(row) })),
    ...fixed.map((row) => ({
      state: 'passes',
      id: nameOf(row),
      note: `remove line ${row.line} of the baseline`,
    })),
  ];
}

const text = { type: 'string', minLength: 1 };
const row = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'reason'],
  properties: {
    id: text,
    operation: text,
    reason: text,
    issue: { type: ['string', 'number'] },
    expires: { type: 'string', format: 'date' },
  },
};
const parseRow = createParser<Omit<BaselineRow, 'issue' | 'line'> & { issue?: string | number }>(
  'the row',
  () => row,
);

/** The known failures that a baseline file lists. Throws if it can't be read. */
export function parseBaseline(text: string): BaselineRow[] {
  return readBaseline(text).rows;
}

/** The document with its list, and a row for each item of it. */
function readBaseline(text: string) {
  const lineCounter = new LineCounter();
  const lineOf = (offset = 0) => lineCounter.linePos(offset).line;
  // Without timestamps in the schema a date stays the text that it is.
  const document: Document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw lineError(lineOf(error.pos[0]), visible(error.message.split('\n')[0] ?? ''));
  const list = document.contents ?? new YAMLSeq();
  if (!isSeq(list)) throw new Error('baseline: expected a list of known failures');
  const lines = new Map<string, number>();
  const rows = list.items.map((item): BaselineRow => {
    const node = isNode(item) ? item : undefined;
    const line = lineOf(node?.range?.[0]);
    const row = parsedRow(node?.toJSON(), line);
    const before = lines.get(nameOf(row));
    if (before !== undefined) throw lineError(line, `${visible(nameOf(row))} is already on line ${before}`);
    lines.set(nameOf(row), line);
    return row;
  });
  return { document, list, rows };
}

function parsedRow(value: unknown, line: number): BaselineRow {
  try {
    const { issue, ...rest } = parseRow(value);
    return { ...rest, ...(issue !== undefined && { issue: String(issue) }), line };
  } catch (error) {
    throw lineError(line, visible(error instanceof Error ? error.message : String(error)));
  }
}

/**
 * Throws if a row can never match a failure, because of a typing error.
 * @param requirements the operations to which each requirement applies
 */
export function checkBaselineIds(
  rows: readonly BaselineRow[],
  requirements: ReadonlyMap<string, readonly string[]>,
): void {
  for (const { id, operation, line } of rows) {
    const operations = requirements.get(id);
    if (operations === undefined) throw lineError(line, `there is no requirement ${visible(id)}`);
    if (operation !== undefined && !operations.includes(operation))
      throw lineError(line, `${id} does not apply to an operation ${visible(operation)}`);
  }
}

/** Reason of a row that `updateBaseline` adds. */
const reasonToBeWritten = 'not yet explained';

/**
 * The baseline's text with exactly the report's failures: rows, reasons and comments of those that still fail stay, rows of those
 * that pass go, new ones are added. Rows of what was not judged stay too: nothing is known about them.
 */
export function updateBaseline(text: string, report: Report): string {
  const { document, list, rows } = readBaseline(text);
  const { fixed, unlisted } = applyBaseline(rows, report);
  const [first] = list.items;
  const kept = list.items.filter((_, index) => !fixed.some((row) => row === rows[index]));
  // A comment above the first row belongs to the file: it stays when the row is removed.
  if (isMap(first) && !kept.includes(first) && first.commentBefore && isMap(kept[0])) {
    kept[0].commentBefore = [first.commentBefore, kept[0].commentBefore].filter(Boolean).join('\n');
  }
  const added = unlisted.map((name) => {
    const [id, operation] = splitName(name);
    return document.createNode({ id, ...(operation && { operation }), reason: reasonToBeWritten });
  });
  list.items = [...kept, ...added];
  list.flow = list.items.length === 0;
  document.contents = list;
  return document.toString({ lineWidth: 0 });
}

function lineError(at: number, message: string): Error {
  return new Error(`baseline: line ${at}: ${message}`);
}
