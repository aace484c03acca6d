import type { RecordedExchange, RequirementResult } from '../report.ts';
import { count, cut, duration, line } from '../text.ts';
import { type Html, html } from './template.ts';

/** Characters of a body, indented, that a page shows; a run records 4,000 as they came. */
const shownBody = 20_000;
const shownHeaders = 40;

/** Where the response is marked, and the text that is. */
interface Mark {
  readonly at: 'status' | 'body';
  readonly text: string | undefined;
}

/** One exchange as a transcript, what differs from the expected marked in it. */
export function transcript(
  exchange: RecordedExchange,
  result: RequirementResult,
  { place, decisive }: { readonly place: string; readonly decisive: boolean },
): Html {
  const isBroken = result.verdict !== 'passed' && result.verdict !== 'not-judged';
  const mark = decisive && isBroken ? markOf(exchange, result) : undefined;
  const { request, response, failure } = exchange;
  return html`<details class="exchange${decisive && ' decisive'}"${decisive && html` open`}><summary class="which">${place}${decisive && isBroken ? ': this one shows it' : html` <code>${line(`${request.method} ${request.url}`, 120)} → ${response?.status ?? 'no response'}</code>`}</summary>
<div class="request"><p class="start"><span class="way">request</span> <code>${line(request.method, 40)} ${line(request.url, 1_500)}</code>
<span class="when">at ${duration(exchange.started_ms)}, took ${duration(exchange.duration_ms)}</span></p>
${headers([...request.headers, ...tokenFields(request.token)])}${body(request.body, request.body_bytes, undefined)}</div>
<div class="response">${
    response
      ? html`<p class="start"><span class="way">response</span> ${mark?.at === 'status' ? html`<mark><code>${response.status}</code></mark>` : html`<code>${response.status}</code>`}</p>
${headers(response.headers)}${body(response.body, response.body_bytes, mark?.at === 'body' ? mark.text : undefined)}`
      : html`<p class="start"><span class="way">no response</span> <mark>${line(failure ?? 'nothing came', 600)}</mark></p>`
  }</div></details>`;
}

/** Where the exchange differs from what was expected. */
export function markOf({ response }: RecordedExchange, { difference }: RequirementResult): Mark {
  const received = difference?.received ?? '';
  if (/^\d{3}\b/.exec(received)?.[0] === String(response?.status)) return { at: 'status', text: undefined };
  const values = [received, ...(difference?.entries ?? []).map((entry) => entry.received ?? '')];
  // Values are JSON texts: in a body they stand with their quotes or without.
  const candidates = values.flatMap((value) => [value, value.replace(/^"|"$/g, '')]);
  return { at: 'body', text: candidates.find((text) => text.length >= 3 && response?.body.includes(text)) };
}

/** What the token said, beside the fields: the token itself is never recorded. */
function tokenFields(token: RecordedExchange['request']['token']): [string, string][] {
  if (token === undefined) return [];
  return Object.entries(token).map(([part, value]) => [`$TOKEN's ${part}`, JSON.stringify(value) ?? '']);
}

function headers(all: RecordedExchange['request']['headers']): Html | undefined {
  if (all.length === 0) return undefined;
  const rest = all.length - shownHeaders;
  return html`<pre class="headers" tabindex="0">${all.slice(0, shownHeaders).map(
    ([name, value]) => html`<span class="field">${line(name, 100)}:</span> ${line(value, 600)}
`,
  )}${rest > 0 && `and ${count(rest)} more`}</pre>`;
}

function body(text: string | undefined, bytes: number, marked: string | undefined): Html | undefined {
  if (text === undefined || text === '')
    return bytes === 0 ? undefined : html`<p class="cut">${count(bytes)} bytes, not recorded</p>`;
  const shown = cut(pretty(text), shownBody);
  const at = marked === undefined ? -1 : shown.indexOf(marked);
  const content =
    marked === undefined || at === -1
      ? shown
      : html`${shown.slice(0, at)}<mark>${marked}</mark>${shown.slice(at + marked.length)}`;
  return html`<pre class="body" tabindex="0"><code>${content}</code></pre>${Buffer.byteLength(text) < bytes && html`<p class="cut">The beginning of ${count(bytes)} bytes.</p>`}`;
}

/** JSON indented, anything else as it came. */
function pretty(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
