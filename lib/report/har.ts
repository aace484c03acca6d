import { didNotPass } from './findings.ts';
import type { RecordedExchange, Report } from './report.ts';
import { visible } from './text.ts';

/** Which exchanges go into the archive: everything that was sent, those of what did not pass, or none. */
export type HarMode = 'full' | 'failures' | 'none';

/** Bytes of exchanges, as JSON, that one archive contains. Strings of Node.js are limited to 512 MB, and browsers get slow before that. */
const archiveBytes = 100_000_000;

/**
 * The recorded exchanges as an HTTP Archive 1.2, which browsers' developer tools open: one page per requirement. `full` takes
 * `report.exchanges`, which a report read from a file does not have; then it is what the results contain.
 */
export function renderHar(report: Report, mode: Exclude<HarMode, 'none'> = 'failures') {
  const start = Date.parse(report.run.started_at);
  const sent = exchangesOf(report, mode);
  const results = new Map(report.requirements.map((result) => [result.id, result]));
  const entries: HarEntry[] = [];
  let left = archiveBytes;
  for (const exchange of sent.toSorted((a, b) => a.started_ms - b.started_ms)) {
    const made = entry(exchange, start, exchange.requirement ?? '');
    left -= JSON.stringify(made).length;
    if (left < 0) break;
    entries.push(made);
  }
  const first = new Map<string, HarEntry>();
  for (const made of entries) if (!first.has(made.pageref)) first.set(made.pageref, made);
  const leftOut = sent.length - entries.length;
  return {
    log: {
      version: '1.2',
      creator: { name: report.suite.name, version: report.suite.version },
      ...(leftOut > 0 && { comment: `${leftOut} more exchanges were left out for the size` }),
      pages: [...first].map(([id, { startedDateTime }]) => {
        const result = results.get(id);
        return {
          startedDateTime,
          id,
          title: result === undefined ? id : `${id} ${result.verdict}: ${result.description}`,
          pageTimings: { onContentLoad: -1, onLoad: -1 },
        };
      }),
      entries,
    },
  };
}

function exchangesOf(report: Report, mode: Exclude<HarMode, 'none'>): readonly RecordedExchange[] {
  if (mode === 'full' && report.exchanges !== undefined) return report.exchanges;
  return report.requirements
    .filter((result) => mode === 'full' || didNotPass(result))
    .flatMap(({ id, exchanges }) => exchanges.map((exchange) => ({ ...exchange, requirement: id })));
}

type HarEntry = ReturnType<typeof entry>;

function entry(exchange: RecordedExchange, start: number, pageref: string) {
  const { request, response, failure } = exchange;
  const type = field(request.headers, 'content-type');
  return {
    pageref,
    startedDateTime: new Date(start + exchange.started_ms).toISOString(),
    time: exchange.duration_ms,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: fields(request.headers),
      queryString: fields([...new URLSearchParams(request.url.split('?').slice(1).join('?'))]),
      headersSize: -1,
      bodySize: request.body_bytes,
      ...(request.body !== undefined && { postData: { mimeType: type, text: request.body, params: [] } }),
      ...(request.token !== undefined && { comment: `token: ${JSON.stringify(request.token)}` }),
    },
    response: {
      // A HAR file cannot say that a response is missing; readers take status 0 for it.
      status: response?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: fields(response?.headers ?? []),
      content: {
        size: response?.body_bytes ?? 0,
        mimeType: field(response?.headers ?? [], 'content-type'),
        text: response?.body ?? '',
        ...(response !== undefined &&
          Buffer.byteLength(response.body) < response.body_bytes && { comment: 'the beginning of the body' }),
      },
      redirectURL: field(response?.headers ?? [], 'location'),
      headersSize: -1,
      bodySize: response?.body_bytes ?? -1,
      ...(failure !== undefined && { comment: visible(failure) }),
    },
    cache: {},
    timings: { send: 0, wait: exchange.duration_ms, receive: 0 },
  };
}

function fields(all: readonly (readonly [string, string])[]) {
  return all.map(([name, value]) => ({ name, value }));
}

function field(all: readonly (readonly [string, string])[], wanted: string): string {
  return all.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
}
