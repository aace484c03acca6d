import type { Report, Walk, WalkPage } from '../report.ts';
import { count, line, plural } from '../text.ts';
import { type Html, html } from './template.ts';

const shownWalks = 12;
const shownPages = 60;

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
<ul class="legend"><li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class="w-page" width="12" height="12"/></svg> items of a page</li><li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class="w-again" width="12" height="12"/><path class="m-wrong" d="M0 12L12 0"/></svg> given before</li><li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class="w-missing" x="1" y="1" width="10" height="10"/></svg> never given</li></ul>
${ordered.slice(0, shownWalks).map(({ walk, picture }) => walkFigure(walk, picture))}${ordered.length > shownWalks && html`<p class="cut">and ${plural(ordered.length - shownWalks, 'more walk')}</p>`}</section>`;
}

function walkFigure(walk: Walk, picture: WalkPicture): Html {
  const missing = picture.missing.reduce((sum, run) => sum + run.to - run.from + 1, 0);
  const restarts = picture.pages.filter((page) => page.restarts).length;
  const flaws = [
    ...(picture.repeated > 0 ? [`${plural(picture.repeated, 'item')} given again`] : []),
    ...(missing > 0 ? [`${plural(missing, 'item')} never given`] : []),
    ...(restarts > 0 ? [`starts over ${restarts === 1 ? 'once' : `${restarts} times`}`] : []),
  ];
  const shown = picture.pages.slice(0, shownPages);
  return html`<figure class="walk"><figcaption><strong>${line(walk.operation, 100)}</strong> <code>${line(walk.title, 200)}</code>
<span class="${flaws.length > 0 ? 'v-failed' : 'v-passed'}">${flaws.length > 0 ? `✗ ${flaws.join(', ')}` : `✓ every one of ${plural(picture.size, 'item')} once, in ${plural(walk.pages.length, 'page')}`}</span>${walk.requirement !== undefined && html` <a href="#${walk.requirement}">${walk.requirement}</a>`}</figcaption>
<ol class="pages">${shown.map(
    ({ page, runs, restarts }) => html`<li><span class="query"><code>${line(page.query, 60)}</code></span>
<svg viewBox="0 0 ${Math.max(1, picture.size)} 10" preserveAspectRatio="none" aria-hidden="true">${runs.slice(0, 400).map((run) => segment(run))}</svg>
<span class="what">${page.status === 200 ? '' : `${page.status}, `}${plural(page.items.length, 'item')}${restarts && html` <strong class="v-failed">↺ starts over</strong>`}${runs.some(({ again }) => again) && !restarts && html` <strong class="v-failed">overlaps</strong>`}</span></li>`,
  )}
${picture.pages.length > shownPages && html`<li>and ${count(picture.pages.length - shownPages)} more pages</li>`}
${picture.missing.length > 0 && html`<li class="gap"><span class="query">never given</span><svg viewBox="0 0 ${Math.max(1, picture.size)} 10" preserveAspectRatio="none" aria-hidden="true">${picture.missing.slice(0, 400).map((run) => html`<rect class="w-missing" x="${run.from}" y="1" width="${run.to - run.from + 1}" height="8"/>`)}</svg><span class="what v-failed">${plural(missing, 'item')}</span></li>`}</ol></figure>`;
}

function segment(run: Run): Html {
  const width = run.to - run.from + 1;
  return html`<rect class="${run.again ? 'w-again' : 'w-page'}" x="${run.from}" width="${width}" height="10"/>${run.again && html`<path class="m-wrong" d="M${run.from} 10L${run.from + width} 0"/>`}`;
}
