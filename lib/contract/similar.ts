/** The names that are most similar to `wrong`, the nearest first; empty if none is similar. */
export function nearest(wrong: string, names: Iterable<string>, most = 1): string[] {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const plainWrong = plain(wrong);
  return [...new Set(names)]
    .map((name) => {
      const known = plain(name);
      const contained = plainWrong.length > 2 && (known.includes(plainWrong) || plainWrong.includes(known));
      const away = distance(plainWrong, known);
      return { name, away: contained ? Math.min(away, 2) : away, bound: Math.max(2, known.length * 0.4) };
    })
    .filter(({ away, bound }) => away <= bound)
    .sort((one, other) => one.away - other.away)
    .slice(0, most)
    .map(({ name }) => name);
}

/** `; did you mean a or b?`, or an empty string. */
export function didYouMean(wrong: string, names: Iterable<string>, most = 1): string {
  const near = nearest(wrong, names, most);
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
}

/** Edit distance (Levenshtein). */
function distance(from: string, to: string): number {
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++)
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1),
      );
    last = current;
  }
  return last[to.length] ?? 0;
}
