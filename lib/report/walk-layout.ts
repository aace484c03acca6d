import type { Walk } from './report.ts';

/** Where items stand in the listing, in runs of neighbours; `again` for those that a page before gave already. */
export interface Run {
  readonly from: number;
  readonly to: number;
  readonly again: boolean;
}

/** A walk laid over its listing: the places of every page's items; an id that the listing should not contain is after its end. */
export function layWalk(walk: Walk) {
  const { expected = [] } = walk;
  const places = new Map(expected.map((id, index) => [id, index]));
  const seen = new Set<number>();
  let repeated = 0;
  const pages = walk.pages.map(({ items, ...page }, index) => {
    const startsAgain = index > 0 && seen.has(0) && places.get(items[0] ?? '') === 0;
    const marks = items.map((id) => {
      const place = places.get(id) ?? places.size;
      places.set(id, place);
      const again = seen.has(place);
      if (again) repeated += 1;
      seen.add(place);
      return { place, again };
    });
    return { ...page, items: items.length, runs: runsOf(marks), restarts: startsAgain };
  });
  const never = expected.flatMap((_, place) => (seen.has(place) ? [] : { place, again: false }));
  return { size: places.size, pages, missing: runsOf(never), missed: never.length, repeated };
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
