import type { RecordedExchange, Report, RequirementResult } from './report.ts';
import { cut, jsonText } from './text.ts';

/** Bytes of a `report.json`, and of one exchange in it (as JSON). */
const reportBytes = 20_000_000;
const exchangeBytes = 64 * 1024;

/** Levels to which values nest; whatever is deeper is cut. */
const nestingDepth = 100;

/** Header fields of a message, and characters of one value. */
const headerFields = 60;
const headerCharacters = 2_000;

/** JSON bytes of an input or an observed value. */
const valueBytes = 32 * 1024;

/** Characters of a sentence about a requirement. */
const textCharacters = 4_000;

/** Operations named on which one requirement was not judged, in a report that is too large otherwise. */
const namedOperations = 20;

/** The value with every text (keys too) changed by this function, and cut where it nests too deep for most readers of JSON. */
export function mapTexts<T>(value: T, change: (text: string) => string, depth?: number): T;
export function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= nestingDepth) return Array.isArray(value) ? '[…]' : '{…}';
  if (Array.isArray(value)) return value.map((each: unknown) => mapTexts(each, change, depth + 1));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
      each === undefined ? [] : [[change(key), mapTexts(each, change, depth + 1)]],
    ),
  );
}

/** The value as JSON can carry it: not too deep, and not too large. */
export function boundedValue(value: unknown): unknown {
  const bounded = mapTexts(value, (text) => text);
  const bytes = jsonBytes(bounded);
  return bytes <= valueBytes ? bounded : cut(JSON.stringify(bounded), Math.floor(valueBytes / 6));
}

/** The exchange in at most 64 KB of JSON: texts cut, further header fields left out. */
export function boundedExchange(exchange: RecordedExchange): RecordedExchange {
  if (jsonBytesUpTo(exchange, exchangeBytes)) return exchange;
  const { request, response } = exchange;
  const share = Math.floor(exchangeBytes / 8);
  return {
    ...exchange,
    request: {
      ...request,
      url: cutToBytes(request.url, share),
      headers: boundedHeaders(request.headers, share),
      ...(request.token !== undefined && {
        token: jsonBytesUpTo(request.token, share) ? request.token : { claims: '(too large)' },
      }),
      ...(request.body !== undefined && { body: cutToBytes(request.body, share) }),
    },
    ...(response !== undefined && {
      response: {
        ...response,
        headers: boundedHeaders(response.headers, share),
        body: cutToBytes(response.body, 2 * share),
      },
    }),
    ...(exchange.failure !== undefined && { failure: cut(exchange.failure, 2_000) }),
  };
}

function boundedHeaders(
  headers: RecordedExchange['request']['headers'],
  bytes: number,
): RecordedExchange['request']['headers'] {
  const kept: (readonly [string, string])[] = [];
  let left = bytes;
  for (const [name, value] of headers.slice(0, headerFields)) {
    const field = [cut(name, 200), cut(value, headerCharacters)] as const;
    left -= jsonBytes(field);
    if (left < 100) break;
    kept.push(field);
  }
  const rest = headers.length - kept.length;
  return rest === 0 ? kept : [...kept, ['…', `${rest} more fields`]];
}

function cutToBytes(text: string, bytes: number): string {
  let length = text.length;
  while (jsonBytes(cut(text, length)) > bytes)
    length = Math.floor((length * bytes) / jsonBytes(cut(text, length)) - 16);
  return length >= text.length ? text : cut(text, Math.max(0, length));
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

function jsonBytesUpTo(value: unknown, bytes: number): boolean {
  try {
    return jsonBytes(value) <= bytes;
  } catch {
    return false;
  }
}

/**
 * The report as it may be written: no secrets, no value that is too deep or too large, and in all at most 20 MB, for which the
 * less telling exchanges are left out first.
 * @param scrub takes the run's secrets out of a text
 */
export function writableReport(report: Report, scrub: (text: string) => string = (text) => text): Report {
  const scrubbed = mapTexts(report, scrub);
  const bounded: Report = {
    ...scrubbed,
    requirements: scrubbed.requirements.map(({ exchanges, reproduce, counterexample, ...result }) => ({
      ...mapTexts(result, (text) => cut(text, textCharacters)),
      ...(counterexample !== undefined && { counterexample: boundedValue(counterexample) }),
      // A command that was cut would do something else.
      ...(reproduce !== undefined && reproduce.length <= exchangeBytes && { reproduce }),
      exchanges: exchanges.map(boundedExchange),
    })),
    observations: scrubbed.observations.map((each) => ({ ...each, value: boundedValue(each.value) })),
    ...(scrubbed.exchanges !== undefined && { exchanges: scrubbed.exchanges.map(boundedExchange) }),
  };
  let smaller = bounded;
  for (const reduce of reductions) {
    if (Buffer.byteLength(reportText(smaller)) <= reportBytes) break;
    smaller = reduce(smaller);
  }
  return smaller;
}

/** The text of `report.json`: everything but the exchanges that only an archive holds. */
export function reportText({ exchanges: _, ...report }: Report): string {
  return jsonText(report);
}

const eachResult = (report: Report, change: (result: RequirementResult) => RequirementResult): Report => ({
  ...report,
  requirements: report.requirements.map(change),
});

/** What is given up for the size, the least telling first. */
const reductions: readonly ((report: Report) => Report)[] = [
  (report) => eachResult(report, (result) => ({ ...result, exchanges: result.exchanges.slice(-1) })),
  ({ walks: _, ...report }) => report,
  (report) =>
    eachResult(report, (result) => ({
      ...result,
      exchanges: [],
      ...(result.not_judged_on !== undefined && {
        not_judged_on: result.not_judged_on.slice(0, namedOperations),
      }),
    })),
  (report) =>
    eachResult(report, ({ counterexample: _, reproduce: __, ...result }) => ({
      ...result,
      operations: result.operations.slice(0, namedOperations),
    })),
  (report) => ({ ...report, scope_matrix: { operations: {} }, observations: [] }),
];
