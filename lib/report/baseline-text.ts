import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument, YAMLSeq } from 'yaml';
import { applyBaseline } from './baseline.ts';
import type { BaselineRow, Report } from './report.ts';
import { visible } from './text.ts';

/** A baseline that cannot be used: one line, with the line where it is wrong. Exit code 2. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

const keys = ['id', 'reason', 'issue', 'expires'];

/** The known failures that a baseline file lists. Throws a `BaselineError` where it can't be read. */
export function parseBaseline(text: string): BaselineRow[] {
  const { document, lines } = parsed(text);
  if (document.contents === null) return [];
  if (!isSeq(document.contents)) throw new BaselineError('baseline: expected a list of known failures');
  const rows = document.contents.items.map((item) => parseRow(item, lines));
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

function parseRow(item: unknown, lines: LineCounter): BaselineRow {
  const { line } = lines.linePos(isNode(item) ? (item.range?.[0] ?? 0) : 0);
  if (!isMap(item)) throw wrong(line, 'expected `- id: …` with a `reason:`');
  const row: Readonly<Record<string, unknown>> = item.toJSON();
  const unknown = Object.keys(row).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw wrong(line, `unknown key ${visible(unknown)}; a row has ${keys.join(', ')}`);
  const textOf = (key: string) => {
    const value = row[key] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    if (key === 'issue' && typeof value === 'number') return String(value);
    throw wrong(line, `${key} must be text`);
  };
  const needed = (key: string) => {
    const text = textOf(key);
    if (text === undefined || text.trim() === '') throw wrong(line, `${key} is missing`);
    return text;
  };
  const issue = textOf('issue');
  const expires = textOf('expires');
  if (expires !== undefined && !isDay(expires))
    throw wrong(line, `expires must be a day like 2027-01-31, not ${visible(expires)}`);
  return {
    id: needed('id'),
    reason: needed('reason'),
    ...(issue !== undefined && { issue }),
    ...(expires !== undefined && { expires }),
    line,
  };
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

function wrong(at: number, message: string): BaselineError {
  return new BaselineError(`baseline: line ${at}: ${message}`);
}
