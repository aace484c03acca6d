import type { Report, RequirementResult } from '../report.ts';
import { duration, line, plural } from '../text.ts';
import { signs, words } from './signs.ts';
import { type Html, html } from './template.ts';

/** Pixels of a lane, and of one where there are many. */
const lane = 12;
const thinLane = 6;
const manyLanes = 16;
const width = 1_000;

/** What ran when: each requirement a bar, those that ran at the same time under one another. */
export function timeline(report: Report): Html | undefined {
  const timed = report.requirements.flatMap((result) =>
    result.started_ms === undefined || result.duration_ms === undefined
      ? []
      : [{ result, from: result.started_ms, to: result.started_ms + result.duration_ms }],
  );
  if (timed.length < 2) return undefined;
  const end = Math.max(report.run.duration_ms, ...timed.map(({ to }) => to), 1);
  const free: number[] = [];
  const bars = timed
    .sort((a, b) => a.from - b.from)
    .map((one) => {
      const found = free.findIndex((until) => until <= one.from);
      const row = found === -1 ? free.length : found;
      free[row] = one.to;
      return { ...one, row };
    });
  const height = free.length > manyLanes ? thinLane : lane;
  const slowest = [...timed].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, 3);
  return html`<section aria-labelledby="run"><h2 id="run">The run</h2>
<p>What ran when, ${plural(free.length, 'lane')} at the most. Slowest: ${slowest.map(({ result, from, to }, index) => html`${index > 0 && ', '}<a href="#${result.id}">${result.id}</a> (${duration(to - from)})`)}.</p>
<figure class="timeline"><svg viewBox="0 0 ${width} ${free.length * lane}" height="${free.length * height}" preserveAspectRatio="none" aria-hidden="true">${bars.map(({ result, from, to, row }) => bar(result, from, to, row, end))}</svg>
<figcaption class="axis" aria-hidden="true">${[0, 0.25, 0.5, 0.75, 1].map((share) => html`<span>${duration(end * share)}</span>`)}</figcaption></figure></section>`;
}

function bar(result: RequirementResult, from: number, to: number, row: number, end: number): Html {
  const x = (from / end) * width;
  const length = Math.max(1.5, ((to - from) / end) * width - 1);
  return html`<rect class="f-${result.verdict}" x="${x.toFixed(1)}" y="${row * lane + 1}" width="${length.toFixed(1)}" height="${lane - 2}"><title>${line(result.id, 100)}: ${signs[result.verdict]} ${words[result.verdict]}, ${duration(to - from)}</title></rect>`;
}
