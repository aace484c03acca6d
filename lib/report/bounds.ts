import type { RecordedExchange, Report, RequirementResult } from './report.ts';
import { verdicts } from './summary.ts';
import { jsonText, truncate } from './text.ts';

/** Bytes of a `report.json`, and of one exchange in it (as JSON). */
const reportBytes = 20_000_000;
const exchangeBytes = 64 * 1024;

/** Header fields of a message, and characters of a text, that stay of an exchange that is too large. */
const shownFields = 12;
const shownCharacters = 200;

/** Levels to which values nest; whatever is deeper is cut. */
const nestingDepth = 100;

/** JSON bytes of an input or an observed value. */
const valueBytes = 32 * 1024;

/** Characters of a sentence about a requirement. */
const textCharacters = 4_000;

/** Operations named of one requirement, in a report that is too large otherwise. */
const namedOperations = 20;

/** The value with this function applied to every text, including keys, and truncated where it is nested too deeply for JSON readers. */
export function mapTexts<T>(value: T, change: (text: string) => string, depth?: number): T;
export function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= nestingDepth) return Array.isArray(value) ? '[…]' : '{…}';
  if (Array.isArray(value)) return value.map((each: unknown) => mapTexts(each, change, depth + 1));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
      each === undefined ? [] : [[change(key), mapTexts(each, change, depth + 1)]],
    ),
  );
}

/** The value, or the start of its JSON text if that is too large. */
function boundedValue(value: unknown): unknown {
  return fits(value, valueBytes) ? value : truncate(JSON.stringify(value), Math.floor(valueBytes / 6));
}

/** The exchange; if its JSON is larger than 64 KB, without the token and with all strings and lists of header fields truncated. */
function boundedExchange(exchange: RecordedExchange): RecordedExchange {
  if (fits(exchange, exchangeBytes)) return exchange;
  const { token: _, ...request } = exchange.request;
  const { response } = exchange;
  const shorter = {
    ...exchange,
    request: { ...request, headers: request.headers.slice(0, shownFields) },
    ...(response && { response: { ...response, headers: response.headers.slice(0, shownFields) } }),
  };
  return mapTexts(shorter, (text) => truncate(text, shownCharacters));
}

/** True for a script that is small enough to be written. A truncated script would do something else. */
export function isWritableScript(script: string | undefined): script is string {
  return script !== undefined && script.length <= exchangeBytes;
}

function fits(value: unknown, bytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(value) ?? '') <= bytes;
}

/**
 * The report as it may be written: no value that is too deep or too large, and at most 20 MB in all. The least useful exchanges
 * are left out first.
 */
export function writableReport(whole: Report): Report {
  const report = mapTexts(whole, (text) => text);
  const bounded: Report = {
    ...report,
    requirements: report.requirements.map(({ exchanges, twin, reproduce, counterexample, ...result }) => ({
      ...mapTexts(result, (text) => truncate(text, textCharacters)),
      ...(counterexample !== undefined && { counterexample: boundedValue(counterexample) }),
      ...(isWritableScript(reproduce) && { reproduce }),
      exchanges: exchanges.map(boundedExchange),
      ...(twin !== undefined && { twin: boundedExchange(twin) }),
    })),
    observations: report.observations.map((each) => ({ ...each, value: boundedValue(each.value) })),
    ...(report.exchanges !== undefined && { exchanges: report.exchanges.map(boundedExchange) }),
  };
  let smaller = bounded;
  for (const reduce of reductions) {
    if (Buffer.byteLength(reportText(smaller)) <= reportBytes) break;
    smaller = reduce(smaller);
  }
  return smaller;
}

/** The text of `report.json`: everything but the exchanges that only an archive contains. */
export function reportText({ exchanges: _, ...report }: Report): string {
  return jsonText(report);
}

/** What is left out to reduce the size, the least useful first. */
const reductions: readonly ((report: Report) => Report)[] = [
  (report) => eachResult(report, (result) => ({ ...result, exchanges: result.exchanges.slice(-1) })),
  ({ data_sets: _, ...report }) => ({
    ...eachResult(report, ({ counterexample: _, reproduce: __, twin: ___, ...result }) => ({
      ...result,
      exchanges: [],
      operations: result.operations.slice(0, namedOperations),
      by_operation: [...result.by_operation]
        .sort((one, other) => verdicts.indexOf(one.verdict) - verdicts.indexOf(other.verdict))
        .slice(0, namedOperations),
    })),
    scope_matrix: { operations: {} },
    observations: [],
  }),
];

function eachResult(report: Report, change: (result: RequirementResult) => RequirementResult): Report {
  return { ...report, requirements: report.requirements.map(change) };
}
