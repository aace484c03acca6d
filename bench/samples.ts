/** The middle one of some values, the mean of the middle two of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/**
 * Measures each thing once a round, one after the other, in the opposite order every other round: so that whatever slows
 * the machine down meanwhile slows all of them.
 * @returns for each thing what it gave, in the order of rounds
 */
export async function alternate<T>(
  rounds: number,
  things: readonly (() => Promise<T>)[],
): Promise<readonly (readonly T[])[]> {
  const found = things.map((measure) => ({ measure, samples: [] as T[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { measure, samples } of round % 2 === 0 ? found : found.toReversed())
      samples.push(await measure());
  }
  return found.map(({ samples }) => samples);
}
