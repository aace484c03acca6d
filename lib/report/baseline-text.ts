import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLMap,
  YAMLSeq,
} from 'yaml';
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
export const reasonToBeWritten = 'not yet explained';

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
  if (!isMap(item)) {
    const start = isScalar(item) ? item.range?.[0] : undefined;
    const at = start === undefined ? '' : `line ${lines.linePos(start).line}: `;
    throw new BaselineError(`baseline: ${at}expected \`- id: …\` with a \`reason:\``);
  }
  const at = lines.linePos(item.range?.[0] ?? 0).line;
  for (const { key } of item.items) {
    const name = isScalar(key) ? String(key.value) : '?';
    if (!keys.includes(name)) throw wrong(at, `unknown key ${visible(name)}; a row has ${keys.join(', ')}`);
  }
  const issue = textOf(item, 'issue', at);
  const expires = textOf(item, 'expires', at);
  if (expires !== undefined && !isDay(expires)) {
    throw wrong(at, `expires must be a day like 2027-01-31, not ${visible(expires)}`);
  }
  return {
    id: needed(item, 'id', at),
    reason: needed(item, 'reason', at),
    ...(issue !== undefined && { issue }),
    ...(expires !== undefined && { expires }),
    line: at,
  };
}

function needed(item: YAMLMap, key: string, at: number): string {
  const text = textOf(item, key, at);
  if (text === undefined || text.trim() === '') throw wrong(at, `${key} is missing`);
  return text;
}

function textOf(item: YAMLMap, key: string, at: number): string | undefined {
  const value: unknown = item.get(key);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && key === 'issue') return String(value);
  throw wrong(at, `${key} must be text`);
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  );
}

function wrong(at: number, message: string): BaselineError {
  return new BaselineError(`baseline: line ${at}: ${message}`);
}
