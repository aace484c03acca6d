import { parseJson } from '../../contract/json.ts';
import { didNotPass, type Mark, markOf } from '../findings.ts';
import type { RecordedExchange, RequirementResult } from '../report.ts';
import { type Html, html, type Part } from '../template.ts';
import { count, duration, line, truncate } from '../text.ts';

/** Characters of a body, indented, that a page shows; a run records 4,000 as they came. */
const shownBody = 20_000;

/** The exchanges of a result: the one that shows a failure last, next to its valid twin if there is one. */
export function transcripts(result: RequirementResult): readonly Html[] {
  const { exchanges, twin } = result;
  const shown = exchanges.map((exchange, index) => {
    const place = `Exchange ${index + 1} of ${exchanges.length}`;
    const mark = index === exchanges.length - 1 && didNotPass(result) ? markOf(exchange, result) : undefined;
    return transcript(exchange, mark === undefined ? '' : 'decisive', place, mark, mark && twin);
  });
  const last = shown.at(-1);
  if (twin === undefined || last === undefined) return shown;
  const pair = [last, transcript(twin, 'twin', 'Valid request that was served', undefined, exchanges.at(-1))];
  return [...shown.slice(0, -1), html`<div class="pair">${pair}</div>`];
}

/** One exchange, with marks where the response differs from the expected one and the request from the other one. */
function transcript(
  { request, response, failure, ...exchange }: RecordedExchange,
  kind: '' | 'decisive' | 'twin',
  place: string,
  mark: Mark | undefined,
  other: RecordedExchange | undefined,
): Html {
  const fields = (of: RecordedExchange['request']) => [...of.headers, ...tokenFields(of.token)];
  return html`<details class="exchange ${kind}"${kind !== '' && html` open`}><summary class="which">${place}${kind === 'decisive' ? ': this one shows it' : html` <code>${line(`${request.method} ${request.url}`, 120)} → ${response?.status ?? 'no response'}</code>`}</summary>
<div class="request"><p class="start"><span class="way">request</span> <code>${line(request.method, 40)} ${marked(line(request.url, 1_500), other && line(other.request.url, 1_500))}</code>
<span class="when">at ${duration(exchange.started_ms)}, took ${duration(exchange.duration_ms)}</span></p>
${headers(fields(request), other && fields(other.request))}${body(request.body, request.body_bytes, (shown) => marked(shown, other?.request.body && pretty(other.request.body)))}</div>
<div class="response">${
    response
      ? html`<p class="start"><span class="way">response</span> <code>${mark?.at === 'status' ? marked(String(response.status), '') : response.status}</code></p>
${headers(response.headers)}${body(response.body, response.body_bytes, (shown) => markedAt(shown, mark?.text))}`
      : html`<p class="start"><span class="way">no response</span> ${marked(line(failure ?? 'nothing came', 600), '')}</p>`
  }</div></details>`;
}

/** The text with a mark on what differs from the other one, between the beginning and the end that both have. */
function marked(text: string, other: string | undefined): Part {
  if (other === undefined || other === text) return text;
  let start = 0;
  while (start < text.length && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(text.length, other.length) - start && text.at(-1 - end) === other.at(-1 - end))
    end += 1;
  return html`${text.slice(0, start)}<mark>${text.slice(start, text.length - end)}</mark>${text.slice(text.length - end)}`;
}

/** The text with a mark on the first occurrence of its part. */
function markedAt(text: string, part = ''): Part {
  const [before = '', ...after] = part === '' ? [] : text.split(part);
  return after.length === 0 ? text : html`${before}<mark>${part}</mark>${after.join(part)}`;
}

type Fields = RecordedExchange['request']['headers'];

/** The token's header and claims, after the fields: the token itself is never recorded. */
function tokenFields({ header, claims, signature }: RecordedExchange['request']['token'] = {}): Fields {
  const parts = { ...Object(header), ...Object(claims), ...(signature !== undefined && { signature }) };
  return Object.entries(parts).map(([name, value]) => [`$TOKEN's ${name}`, JSON.stringify(value) ?? '']);
}

/** Seconds by which the times of two usual tokens may differ. */
const sameTime = 300;

/** Fields that the suite varies for no reason of the requirement's, and claims that it adds. */
const varied =
  /^(accept-encoding|accept-language|cache-control|x-request-id)$|^\$TOKEN's (jti|client_id|roles|note)$/;

/** @param others those of the exchange to compare with */
function headers(all: Fields, others?: Fields): Html | undefined {
  if (all.length === 0) return undefined;
  const compared = (name: string, value: string): string | undefined => {
    if (others === undefined || varied.test(name)) return undefined;
    const other = others.find(([each]) => each === name)?.[1] ?? '';
    return Math.abs(Number(value) - Number(other)) < sameTime ? undefined : line(other, 600);
  };
  const shown = ([name, value]: Fields[number]) =>
    html`<span class="field">${line(name, 100)}:</span> ${marked(line(value, 600), compared(name, value))}\n`;
  return html`<pre class="headers" tabindex="0">${all.map(shown)}</pre>`;
}

/** @param show marks the differences in the text; JSON is indented */
function body(text: string | undefined, bytes: number, show: (shown: string) => Part): Html | undefined {
  if (text === undefined || text === '')
    return bytes === 0 ? undefined : html`<p class="cut">${count(bytes)} bytes, not recorded</p>`;
  return html`<pre class="body" tabindex="0"><code>${show(pretty(text))}</code></pre>${Buffer.byteLength(text) < bytes && html`<p class="cut">The beginning of ${count(bytes)} bytes.</p>`}`;
}

/** JSON indented, anything else as it came. */
function pretty(text: string): string {
  const value = parseJson(text);
  return truncate(
    typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text,
    shownBody,
  );
}
