import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument, YAMLSeq } from 'yaml';
import { createParser } from '../contract/schema-parser.ts';
import { applyBaseline } from './baseline.ts';
import type { BaselineRow, KnownFailure, Report } from './report.ts';
import { visible } from './text.ts';

const text = { type: 'string', minLength: 1 };
const row = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'reason'],
  properties: {
    id: text,
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
    const before = seen.get(row.id);
    if (before !== undefined) throw wrong(row.line, `${visible(row.id)} stands on line ${before} already`);
    seen.set(row.id, row.line);
  }
  return rows;
}

/** Throws where a listed id is no requirement's: a renamed or mistyped one would otherwise excuse nothing, unseen. */
export function checkBaselineIds(rows: readonly BaselineRow[], known: ReadonlySet<string>): void {
  const unknown = rows.find(({ id }) => !known.has(id));
  if (unknown !== undefined) throw wrong(unknown.line, `there is no requirement ${visible(unknown.id)}`);
}

/** Reason of a row that `updateBaseline` adds. */
const reasonToBeWritten = 'not yet explained';

/**
 * The baseline's text with exactly the report's failures: rows, reasons and comments of those that still fail stay, rows of those
 * that pass go, new ones are added. Rows of what was not judged stay too: nothing is known about them.
 */
export function updateBaseline(text: string, report: Report): string {
  const rows = parseBaseline(text);
  const { document } = parsed(text);
  const { fixed, unlisted } = applyBaseline(rows, report);
  const gone = new Set(fixed.map(({ id }) => id));
  const list = isSeq(document.contents) ? document.contents : new YAMLSeq();
  const [first] = list.items;
  const kept = list.items.filter((item) => !(isMap(item) && gone.has(String(item.get('id')))));
  // A comment above the first row is the file's own: it must not go with the row.
  if (isMap(first) && !kept.includes(first) && first.commentBefore && isMap(kept[0])) {
    kept[0].commentBefore = [first.commentBefore, kept[0].commentBefore].filter(Boolean).join('\n');
  }
  const added = [...unlisted].map((id) => document.createNode({ id, reason: reasonToBeWritten }));
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
