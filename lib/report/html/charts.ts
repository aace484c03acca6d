import type { CheckpointLife, CheckpointUse, Report, RequirementResult, Walk, WalkPage } from '../report.ts';
import { count, duration, line, plural } from '../text.ts';
import { link, signs, words } from './parts.ts';
import { type Html, html } from './template.ts';

const shownWalks = 12;
const shownPages = 24;

/** Where a page's items stand in the listing, in runs of neighbours; `again` for those that a page before gave already. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly again: boolean;
}

/** A walk laid over its listing. */
export interface WalkPicture {
  readonly size: number;
  readonly pages: readonly {
    readonly page: WalkPage;
    readonly runs: readonly Run[];
    readonly restarts: boolean;
  }[];
  readonly missing: readonly Run[];
  readonly repeated: number;
}

/** Places of every page's items; an id that the listing should not hold is placed after its end. */
export function layWalk(walk: Walk): WalkPicture {
  const places = new Map((walk.expected ?? []).map((id, index) => [id, index]));
  const seen = new Set<number>();
  let repeated = 0;
  const pages = walk.pages.map((page, index) => {
    const before = new Set(seen);
    const marks = page.items.map((id) => {
      const place = places.get(id) ?? places.size;
      places.set(id, place);
      const again = seen.has(place);
      if (again) repeated += 1;
      seen.add(place);
      return { place, again };
    });
    const restarts = index > 0 && before.has(0) && marks[0]?.place === 0;
    return { page, runs: runsOf(marks), restarts };
  });
  const never = (walk.expected ?? []).map((_, place) => place).filter((place) => !seen.has(place));
  return {
    size: places.size,
    pages,
    missing: runsOf(never.map((place) => ({ place, again: false }))),
    repeated,
  };
}

function runsOf(marks: readonly { readonly place: number; readonly again: boolean }[]): Run[] {
  const runs: { from: number; to: number; again: boolean }[] = [];
  for (const { place, again } of marks) {
    const last = runs.at(-1);
    if (last !== undefined && place === last.to + 1 && again === last.again) last.to = place;
    else runs.push({ from: place, to: place, again });
  }
  return runs;
}

/** Pagination walks as pictures: pages as bars over the listing. */
export function walks(report: Report): Html | undefined {
  const all = report.walks ?? [];
  if (all.length === 0) return undefined;
  const laid = all.map((walk) => ({ walk, picture: layWalk(walk) }));
  const flawed = ({ picture }: { picture: WalkPicture }) =>
    picture.missing.length > 0 || picture.repeated > 0;
  // What went wrong first: where there are many, the rest is left out.
  const ordered = [...laid.filter(flawed), ...laid.filter((one) => !flawed(one))];
  return html`<section aria-labelledby="walks"><h2 id="walks">Pagination</h2>
<p>Each bar is a page, laid over the whole listing from its first item to its last.</p>
<ul class="legend"><li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class="w-page" width="12" height="12"/></svg> items of a page</li><li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class="w-again" width="12" height="12"/><path class="m-wrong" d="M0 12L12 0"/></svg> repeated</li><li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class="w-missing" x="1" y="1" width="10" height="10"/></svg> missing</li></ul>
${ordered.slice(0, shownWalks).map(({ walk, picture }) => walkFigure(walk, picture))}${ordered.length > shownWalks && html`<p class="cut">and ${plural(ordered.length - shownWalks, 'more walk')}</p>`}</section>`;
}

function walkFigure(walk: Walk, picture: WalkPicture): Html {
  const missing = picture.missing.reduce((sum, run) => sum + run.to - run.from + 1, 0);
  const restarts = picture.pages.filter((page) => page.restarts).length;
  const flaws = [
    ...(picture.repeated > 0 ? [`${plural(picture.repeated, 'item')} repeated`] : []),
    ...(missing > 0 ? [`${plural(missing, 'item')} missing`] : []),
    ...(restarts > 0 ? [`restarts ${restarts === 1 ? 'once' : `${restarts} times`}`] : []),
  ];
  const shown = picture.pages.slice(0, shownPages);
  return html`<figure class="walk"><figcaption><strong>${line(walk.operation, 100)}</strong> <code>${line(walk.title, 200)}</code>
<span class="${flaws.length > 0 ? 'v-failed' : 'v-passed'}">${flaws.length > 0 ? `✗ ${flaws.join(', ')}` : `✓ each of ${plural(picture.size, 'item')} once, in ${plural(walk.pages.length, 'page')}`}</span>${walk.requirement !== undefined && html` ${link(walk.requirement)}`}</figcaption>
<ol class="pages">${shown.map(
    ({ page, runs, restarts }) => html`<li><span class="query"><code>${line(page.query, 60)}</code></span>
<svg viewBox="0 0 ${Math.max(1, picture.size)} 10" preserveAspectRatio="none" aria-hidden="true">${runs.slice(0, 400).map((run) => segment(run))}</svg>
<span class="what">${page.status === 200 ? '' : `${page.status}, `}${plural(page.items.length, 'item')}${restarts && html` <strong class="v-failed">↺ restarts</strong>`}${runs.some(({ again }) => again) && !restarts && html` <strong class="v-failed">overlaps</strong>`}</span></li>`,
  )}
${picture.pages.length > shownPages && html`<li>and ${count(picture.pages.length - shownPages)} more pages</li>`}
${picture.missing.length > 0 && html`<li class="gap"><span class="query">missing</span><svg viewBox="0 0 ${Math.max(1, picture.size)} 10" preserveAspectRatio="none" aria-hidden="true">${picture.missing.slice(0, 400).map((run) => html`<rect class="w-missing" x="${run.from}" y="1" width="${run.to - run.from + 1}" height="8"/>`)}</svg><span class="what v-failed">${plural(missing, 'item')}</span></li>`}</ol></figure>`;
}

function segment(run: Run): Html {
  const width = run.to - run.from + 1;
  return html`<rect class="${run.again ? 'w-again' : 'w-page'}" x="${run.from}" width="${width}" height="10"/>${run.again && html`<path class="m-wrong" d="M${run.from} 10L${run.from + width} 0"/>`}`;
}

const outcomes: Readonly<Record<CheckpointUse['outcome'], string>> = {
  continued: 'continued',
  restarted: 'restarted',
  refused: 'refused',
  other: 'something else',
};

/** Checkpoints' lives as time lines. The order is true, the distances are not: a minute before the end and a minute after it must be told apart. */
export function checkpoints(report: Report): Html | undefined {
  const all = report.checkpoints ?? [];
  if (all.length === 0) return undefined;
  return html`<section aria-labelledby="checkpoints"><h2 id="checkpoints">Checkpoint lifetime</h2>
<p>Each checkpoint was used at these ages. The line is not to scale.</p>${all.slice(0, 20).map(life)}</section>`;
}

function life(checkpoint: CheckpointLife): Html {
  const uses = [...checkpoint.uses].sort((a, b) => a.age_s - b.age_s);
  const valid = uses.filter(({ age_s }) => age_s <= checkpoint.lifetime_s);
  const after = uses.filter(({ age_s }) => age_s > checkpoint.lifetime_s);
  return html`<figure class="life"><figcaption><strong>${line(checkpoint.operation, 100)}</strong> ${line(checkpoint.title, 160)}${checkpoint.requirement !== undefined && html` ${link(checkpoint.requirement)}`}</figcaption>
<ol class="line"><li class="issued"><span class="age">issued</span></li>${valid.map((use) => useOf(use, 'valid'))}<li class="end"><span class="age">${age(checkpoint.lifetime_s)}</span><span class="outcome">ends</span></li>${after.map((use) => useOf(use, 'spent'))}</ol></figure>`;
}

function useOf(use: CheckpointUse, phase: 'valid' | 'spent'): Html {
  const right = use.expected === undefined ? undefined : use.expected === use.outcome;
  const verdict = right === undefined ? 'quiet' : right ? 'v-passed' : 'v-failed';
  const sign = right === undefined ? '' : right ? '✓ ' : '✗ ';
  return html`<li class="${phase}"><span class="age">${age(use.age_s)}</span><span class="outcome ${verdict}">${sign}${outcomes[use.outcome]} (${use.status})</span>${right === false && use.expected !== undefined && html`<span class="expected">expected: ${outcomes[use.expected]}</span>`}</li>`;
}

/** 86340 as `23 h 59 min`. */
function age(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'min'],
    [Math.round(seconds % 60), 's'],
  ];
  const said = parts.filter(([value]) => value > 0).map(([value, unit]) => `${value} ${unit}`);
  return said.length === 0 ? 'at once' : said.join(' ');
}

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
<p>What ran when, ${plural(free.length, 'lane')} at the most. Slowest: ${slowest.map(({ result, from, to }, index) => html`${index > 0 && ', '}${link(result.id)} (${duration(to - from)})`)}.</p>
<figure class="timeline"><svg viewBox="0 0 ${width} ${free.length * lane}" height="${free.length * height}" preserveAspectRatio="none" aria-hidden="true">${bars.map(({ result, from, to, row }) => bar(result, from, to, row, end))}</svg>
<figcaption class="axis" aria-hidden="true">${[0, 0.25, 0.5, 0.75, 1].map((share) => html`<span>${duration(end * share)}</span>`)}</figcaption></figure></section>`;
}

function bar(result: RequirementResult, from: number, to: number, row: number, end: number): Html {
  const x = (from / end) * width;
  const length = Math.max(1.5, ((to - from) / end) * width - 1);
  return html`<rect class="f-${result.verdict}" x="${x.toFixed(1)}" y="${row * lane + 1}" width="${length.toFixed(1)}" height="${lane - 2}"><title>${line(result.id, 100)}: ${signs[result.verdict]} ${words[result.verdict]}, ${duration(to - from)}</title></rect>`;
}
