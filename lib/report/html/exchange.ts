import type { RecordedExchange, RequirementResult } from '../report.ts';
import { count, cut, duration, line, visibleLines } from '../text.ts';
import { type Html, html } from './template.ts';

/** Characters of a body that a page shows; the rest is in the report. */
const shownBody = 4_000;
const shownHeaders = 40;

/** Where the answer differs from what was expected. */
interface Difference {
  readonly at: 'status' | 'headers' | 'body' | 'failure';
  readonly expected: string | undefined;
  readonly got: string | undefined;
}

/** One exchange as a transcript, what differs from the expected marked in it. */
export function transcript(
  exchange: RecordedExchange,
  result: RequirementResult,
  { place, decisive }: { readonly place: string; readonly decisive: boolean },
): Html {
  const difference = decisive ? differenceOf(exchange, result) : undefined;
  const { request, response, failure } = exchange;
  return html`<div class="exchange${decisive && ' decisive'}"><p class="which">${place}${decisive && difference !== undefined && ': this one shows it'}</p>
<div class="request"><p class="start"><span class="way">request</span> <code>${line(request.method, 40)} ${line(request.url, 1_500)}</code>
<span class="when">at ${duration(exchange.started_ms)}, took ${duration(exchange.duration_ms)}</span></p>
${headers([...request.headers, ...tokenFields(request.token)])}${body(request.body, request.body_bytes, undefined)}</div>
<div class="response">${
    response
      ? html`<p class="start"><span class="way">answer</span> ${
          difference?.at === 'status'
            ? html`<mark><code>${response.status}</code></mark>${note(difference)}`
            : html`<code>${response.status}</code>`
        }</p>
${headers(response.headers)}${difference?.at === 'headers' && note(difference)}${difference?.at === 'body' && note(difference)}${body(response.body, response.body_bytes, difference)}`
      : html`<p class="start"><span class="way">no answer</span> <mark>${line(failure ?? 'nothing came', 600)}</mark></p>`
  }</div></div>`;
}

/** The exchange that shows it: one that is marked, else the last. */
export function decisiveIndex(exchanges: readonly RecordedExchange[]): number {
  const marked = exchanges.findIndex(({ differs }) => differs !== undefined);
  return marked === -1 ? exchanges.length - 1 : marked;
}

function differenceOf(
  exchange: RecordedExchange,
  { expected, got, verdict }: RequirementResult,
): Difference | undefined {
  if (verdict === 'passed' || verdict === 'not-judged') return undefined;
  const { response, differs } = exchange;
  if (response === undefined) return { at: 'failure', expected, got };
  if (differs !== undefined) return { at: differs, expected, got };
  const beginsWithStatus = /^\d{3}\b/.exec(got ?? '')?.[0] === String(response.status);
  const isExpected = /^\d{3}$/.test(expected ?? '') && expected === String(response.status);
  return { at: beginsWithStatus && !isExpected ? 'status' : 'body', expected, got };
}

/** What the token said, beside the fields: the token itself is never recorded. */
function tokenFields(token: RecordedExchange['request']['token']): [string, string][] {
  if (token === undefined) return [];
  return Object.entries(token).map(([part, value]) => [`$TOKEN's ${part}`, JSON.stringify(value) ?? '']);
}

function note({ expected, got }: Difference): Html {
  return html` <span class="difference">${expected !== undefined && html`<span>expected <ins>${line(expected, 300)}</ins></span> `}${got !== undefined && html`<span>got <del>${line(got, 300)}</del></span>`}</span>`;
}

function headers(all: RecordedExchange['request']['headers']): Html | undefined {
  if (all.length === 0) return undefined;
  const rest = all.length - shownHeaders;
  return html`<pre class="headers" tabindex="0">${all.slice(0, shownHeaders).map(
    ([name, value]) => html`<span class="field">${line(name, 100)}:</span> ${line(value, 600)}
`,
  )}${rest > 0 && `and ${count(rest)} more`}</pre>`;
}

function body(text: string | undefined, bytes: number, difference: Difference | undefined): Html | undefined {
  if (text === undefined || text === '') {
    return bytes === 0 ? undefined : html`<p class="cut">${count(bytes)} bytes, not recorded</p>`;
  }
  const shown = pretty(text);
  const recorded = Buffer.byteLength(text);
  return html`<pre class="body" tabindex="0"><code>${marked(cut(shown, shownBody), difference)}</code></pre>${recorded < bytes && html`<p class="cut">The beginning of ${count(bytes)} bytes.</p>`}`;
}

/** The body with the value that was got marked, where it stands in it word for word. */
function marked(text: string, difference: Difference | undefined): Html {
  const got = difference?.at === 'body' ? difference.got : undefined;
  const at = got === undefined || got.length < 3 ? -1 : text.indexOf(got);
  if (got === undefined || at === -1) return html`${text}`;
  return html`${text.slice(0, at)}<mark>${got}</mark>${text.slice(at + got.length)}`;
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
