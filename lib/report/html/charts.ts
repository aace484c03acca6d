import type { RecordedWalk, Report } from '../report.ts';
import { type Html, html } from '../template.ts';
import { count, line, plural } from '../text.ts';
import { link } from './components.ts';

const shownPages = 24;
const shownRuns = 400;

/** Visualizations of pagination walks: pages as bars over the listing, failed walks first. */
export function walks(report: Report): Html | undefined {
  const all = (report.walks ?? []).map((walk) => ({ walk, layout: layoutOf(walk) }));
  if (all.length === 0) return undefined;
  const isFlawed = ({ layout }: (typeof all)[number]) => layout.missed + layout.repeated > 0;
  const ordered = [...all.filter(isFlawed), ...all.filter((one) => !isFlawed(one))];
  const key = (kind: Run['kind'], text: string) =>
    html`<li><svg class="key" viewBox="0 0 1 10" preserveAspectRatio="none" aria-hidden="true">${segment({ from: 0, to: 0, kind })}</svg> ${text}</li>`;
  return html`<section aria-labelledby="walks"><h2 id="walks">Pagination</h2>
<p>Each bar is a page, shown within the whole listing from its first item to its last.</p>
<ul class="legend pages-legend">${key('page', 'items of a page')}${key('again', 'repeated')}${key('missing', 'missing')}</ul>
${ordered.map(({ walk, layout }) => walkFigure(walk, layout))}</section>`;
}

function walkFigure(
  walk: RecordedWalk,
  { size, pages, missing, missed, repeated }: ReturnType<typeof layoutOf>,
): Html {
  const problems = [
    ...(repeated > 0 ? [`${plural(repeated, 'item')} repeated`] : []),
    ...(missed > 0 ? [`${plural(missed, 'item')} missing`] : []),
  ];
  const row = (query: Html, runs: readonly Run[], what: Html) =>
    html`<li><span class="query">${query}</span><svg viewBox="0 0 ${Math.max(1, size)} 10" preserveAspectRatio="none" aria-hidden="true">${runs.slice(0, shownRuns).map(segment)}</svg><span class="what">${what}</span></li>`;
  return html`<figure class="walk"><figcaption><strong>${line(walk.operation, 100)}</strong> <code>${line(walk.title, 200)}</code>
<span class="${problems.length > 0 ? 'v-failed' : 'v-passed'}">${problems.length > 0 ? `✗ ${problems.join(', ')}` : `✓ each of ${plural(size, 'item')} once, in ${plural(pages.length, 'page')}`}</span>${walk.requirement !== undefined && html` ${link(walk.requirement)}`}</figcaption>
<ol class="pages">${pages.slice(0, shownPages).map(({ query, status, items, runs }) => {
    const flaw =
      runs.some(({ kind }) => kind === 'again') && html` <strong class="v-failed">overlaps</strong>`;
    return row(
      html`<code>${line(query, 60)}</code>`,
      runs,
      html`${status !== 200 && `${status}, `}${plural(items, 'item')}${flaw}`,
    );
  })}
${pages.length > shownPages && html`<li>and ${count(pages.length - shownPages)} more pages</li>`}
${
  missed > 0 && row(html`missing`, missing, html`<span class="v-failed">${plural(missed, 'item')}</span>`)
}</ol></figure>`;
}

function segment({ from, to, kind }: Run): Html {
  const width = to - from + 1;
  return html`<rect class="w-${kind}" x="${from}" width="${width}" height="10"/>${kind === 'again' && html`<path class="mark" d="M${from} 10L${from + width} 0"/>`}`;
}

/** The positions of items in the listing, as runs of neighbors; `again` for items of earlier pages. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly kind: 'page' | 'again' | 'missing';
}

/** Where the items of each page are in the listing. An id that the listing should not contain is placed after its end. */
export function layoutOf(walk: RecordedWalk) {
  const { expected = [] } = walk;
  const places = new Map(expected.map((id, index) => [id, index]));
  const seen = new Set<number>();
  let repeated = 0;
  const pages = walk.pages.map(({ items, ...page }) => {
    const marks = items.map((id): ItemPlace => {
      const place = places.get(id) ?? places.size;
      places.set(id, place);
      const again = seen.has(place);
      if (again) repeated += 1;
      seen.add(place);
      return { place, kind: again ? 'again' : 'page' };
    });
    return { ...page, items: items.length, runs: runsOf(marks) };
  });
  const missing = expected.flatMap((_, place) =>
    seen.has(place) ? [] : { place, kind: 'missing' as const },
  );
  return { size: places.size, pages, missing: runsOf(missing), missed: missing.length, repeated };
}

type ItemPlace = Pick<Run, 'kind'> & { readonly place: number };

function runsOf(marks: readonly ItemPlace[]): Run[] {
  const runs: { from: number; to: number; kind: Run['kind'] }[] = [];
  for (const { place, kind } of marks) {
    const last = runs.at(-1);
    if (last !== undefined && place === last.to + 1 && kind === last.kind) last.to = place;
    else runs.push({ from: place, to: place, kind });
  }
  return runs;
}
