import type { RecordedExchange, RequirementResult } from '../report.ts';
import { count, cut, duration, line, visibleLines } from '../text.ts';
import { type Html, html } from './template.ts';

/** Characters of a body that a page shows; the rest is in the report. */
const shownBody = 4_000;
const shownHeaders = 40;

/** Where an answer is marked, and with what. */
interface Mark {
  readonly at: 'status' | 'headers' | 'body' | 'failure';
  readonly expected: string | undefined;
  readonly received: string | undefined;
}

/** One exchange as a transcript, what differs from the expected marked in it. */
export function transcript(
  exchange: RecordedExchange,
  result: RequirementResult,
  { place, decisive }: { readonly place: string; readonly decisive: boolean },
): Html {
  const mark = decisive ? markOf(exchange, result) : undefined;
  const { request, response, failure } = exchange;
  return html`<div class="exchange${decisive && ' decisive'}"><p class="which">${place}${decisive && mark !== undefined && ': this one shows it'}</p>
<div class="request"><p class="start"><span class="way">request</span> <code>${line(request.method, 40)} ${line(request.url, 1_500)}</code>
<span class="when">at ${duration(exchange.started_ms)}, took ${duration(exchange.duration_ms)}</span></p>
${headers([...request.headers, ...tokenFields(request.token)])}${body(request.body, request.body_bytes, undefined)}</div>
<div class="response">${
    response
      ? html`<p class="start"><span class="way">answer</span> ${
          mark?.at === 'status'
            ? html`<mark><code>${response.status}</code></mark>${note(mark)}`
            : html`<code>${response.status}</code>`
        }</p>
${headers(response.headers)}${mark?.at === 'headers' && note(mark)}${mark?.at === 'body' && note(mark)}${body(response.body, response.body_bytes, mark)}`
      : html`<p class="start"><span class="way">no answer</span> <mark>${line(failure ?? 'nothing came', 600)}</mark></p>`
  }</div></div>`;
}

/** The exchange that shows it: one that is marked, else the last. */
export function decisiveIndex(exchanges: readonly RecordedExchange[]): number {
  const marked = exchanges.findIndex(({ differs }) => differs !== undefined);
  return marked === -1 ? exchanges.length - 1 : marked;
}

function markOf(exchange: RecordedExchange, { difference, verdict }: RequirementResult): Mark | undefined {
  if (verdict === 'passed' || verdict === 'not-judged') return undefined;
  const { expected, received } = difference ?? { expected: undefined, received: undefined };
  const { response, differs } = exchange;
  if (response === undefined) return { at: 'failure', expected, received };
  if (differs !== undefined) return { at: differs, expected, received };
  const beginsWithStatus = /^\d{3}\b/.exec(received ?? '')?.[0] === String(response.status);
  const isExpected = /^\d{3}$/.test(expected ?? '') && expected === String(response.status);
  return { at: beginsWithStatus && !isExpected ? 'status' : 'body', expected, received };
}

/** What the token said, beside the fields: the token itself is never recorded. */
function tokenFields(token: RecordedExchange['request']['token']): [string, string][] {
  if (token === undefined) return [];
  return Object.entries(token).map(([part, value]) => [`$TOKEN's ${part}`, JSON.stringify(value) ?? '']);
}

function note({ expected, received }: Mark): Html {
  return html` <span class="difference">${expected !== undefined && html`<span>expected <ins>${line(expected, 300)}</ins></span> `}${received !== undefined && html`<span>received <del>${line(received, 300)}</del></span>`}</span>`;
}

function headers(all: RecordedExchange['request']['headers']): Html | undefined {
  if (all.length === 0) return undefined;
  const rest = all.length - shownHeaders;
  return html`<pre class="headers" tabindex="0">${all.slice(0, shownHeaders).map(
    ([name, value]) => html`<span class="field">${line(name, 100)}:</span> ${line(value, 600)}
`,
  )}${rest > 0 && `and ${count(rest)} more`}</pre>`;
}

function body(text: string | undefined, bytes: number, mark: Mark | undefined): Html | undefined {
  if (text === undefined || text === '') {
    return bytes === 0 ? undefined : html`<p class="cut">${count(bytes)} bytes, not recorded</p>`;
  }
  const shown = pretty(text);
  const recorded = Buffer.byteLength(text);
  return html`<pre class="body" tabindex="0"><code>${marked(cut(shown, shownBody), mark)}</code></pre>${recorded < bytes && html`<p class="cut">The beginning of ${count(bytes)} bytes.</p>`}`;
}

/** The body with the received value marked, where it stands in it word for word. */
function marked(text: string, mark: Mark | undefined): Html {
  const received = mark?.at === 'body' ? mark.received : undefined;
  const at = received === undefined || received.length < 3 ? -1 : text.indexOf(received);
  if (received === undefined || at === -1) return html`${text}`;
  return html`${text.slice(0, at)}<mark>${received}</mark>${text.slice(at + received.length)}`;
}

/** JSON indented, anything else as it came. */
function pretty(text: string): string {
  if (text.length > 100_000) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

/** A value as indented JSON, cut. */
export function json(value: unknown): Html {
  return html`<pre class="body" tabindex="0"><code>${visibleLines(cut(JSON.stringify(value, null, 2) ?? String(value), shownBody))}</code></pre>`;
}
