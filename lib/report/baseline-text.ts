import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument, YAMLSeq } from 'yaml';
import { createParser } from '../contract/schema-parser.ts';
import { applyBaseline } from './baseline.ts';
import type { BaselineRow, KnownFailure, Report } from './report.ts';
import { nameOf, splitName } from './summary.ts';
import { visible } from './text.ts';

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
const parseRow = createParser<Omit<KnownFailure, 'issue'> & { issue?: string | number }>(
  'the row',
  () => row,
);

/** The known failures that a baseline file lists. Throws where it can't be read. */
export function parseBaseline(text: string): BaselineRow[] {
  const { document, lines } = parsed(text);
  if (document.contents === null) return [];
  if (!isSeq(document.contents)) throw new Error('baseline: expected a list of known failures');
  const rows = document.contents.items.map((item) => rowAt(item, lines));
  const seen = new Map<string, number>();
  for (const row of rows) {
    const name = nameOf(row);
    const before = seen.get(name);
    if (before !== undefined) throw wrong(row.line, `${visible(name)} is already on line ${before}`);
    seen.set(name, row.line);
  }
  return rows;
}

/** Throws where a row names no requirement or no operation: a mistyped one would otherwise excuse nothing, unseen. */
export function checkBaselineIds(
  rows: readonly BaselineRow[],
  requirements: ReadonlySet<string>,
  operations: ReadonlySet<string>,
): void {
  for (const { id, operation, line } of rows) {
    if (!requirements.has(id)) throw wrong(line, `there is no requirement ${visible(id)}`);
    if (operation !== undefined && !operations.has(operation))
      throw wrong(line, `the contract has no operation ${visible(operation)}`);
  }
}

/** Reason of a row that `updateBaseline` adds. */
const reasonToBeWritten = 'not yet explained';

/**
 * The baseline's text with exactly the report's failures: rows, reasons and comments of those that still fail stay, rows of those
 * that pass go, new ones are added. Rows of what was not judged stay too: nothing is known about them.
 */
export function updateBaseline(text: string, report: Report): string {
  const rows = parseBaseline(text);
  const { document, lines } = parsed(text);
  const { fixed, unlisted } = applyBaseline(rows, report);
  const removed = new Set(fixed.map(nameOf));
  const list = isSeq(document.contents) ? document.contents : new YAMLSeq();
  const [first] = list.items;
  const kept = list.items.filter((item) => !removed.has(nameOf(rowAt(item, lines))));
  // A comment above the first row is the file's own: it must not go with the row.
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

function parsed(text: string): { document: Document.Parsed | Document; lines: LineCounter } {
  const lines = new LineCounter();
  // Without timestamps in the schema a date stays the text that it is.
  const document: Document.Parsed | Document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error !== undefined)
    throw wrong(lines.linePos(error.pos[0]).line, visible(error.message.split('\n')[0] ?? ''));
  return { document, lines };
}

function rowAt(item: unknown, lines: LineCounter): BaselineRow {
  const node = isNode(item) ? item : undefined;
  const { line } = lines.linePos(node?.range?.[0] ?? 0);
  try {
    const { issue, ...rest } = parseRow(node?.toJSON());
    return { ...rest, ...(issue !== undefined && { issue: String(issue) }), line };
  } catch (error) {
    throw wrong(line, visible(error instanceof Error ? error.message : String(error)));
  }
}

function wrong(at: number, message: string): Error {
  return new Error(`baseline: line ${at}: ${message}`);
}
