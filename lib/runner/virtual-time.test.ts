import { expect, test } from 'vitest';
import { VirtualTime } from './virtual-time.ts';

const hour = 3600;

test('time passes when all who share it wait, by the shortest step, and never backwards', async () => {
  const offsets: number[] = [];
  const clock = new VirtualTime(async (offsetSeconds) => void offsets.push(offsetSeconds));
  const began = clock.now();
  const events: string[] = [];
  const task =
    (name: string, ...hours: readonly number[]) =>
    async () => {
      for (const each of hours) {
        await clock.waitUntil(began + each * hour);
        events.push(`${name} ${Math.floor((clock.now() - began) / hour)}`);
      }
    };
  await clock.run([task('one', 2, 24), task('two', 1, 3, 2, 24), task('three')]);
  expect(events).toEqual(['two 1', 'one 2', 'two 3', 'two 3', 'one 24', 'two 24']);
  expect(offsets).toHaveLength(4);
  for (const [index, hours] of [1, 2, 3, 24].entries()) {
    expect(offsets[index]).toBeGreaterThan(hours * hour - 2);
    expect(offsets[index]).toBeLessThanOrEqual(hours * hour);
  }
});

test('no task is early, and times that are almost the same take one move', async () => {
  let moves = 0;
  const clock = new VirtualTime(async () => {
    moves += 1;
  });
  const began = clock.now();
  const late: number[] = [];
  await clock.run(
    [hour, hour + 0.5, hour + 0.9].map((after) => async () => {
      await clock.waitUntil(began + after);
      late.push(clock.now() - began - after);
    }),
  );
  expect(moves).toBe(1);
  for (const seconds of late) expect(seconds).toBeGreaterThanOrEqual(0);
});

test('a waiting task gets an error where the clock cannot be moved; the others go on', async () => {
  const clock = new VirtualTime(async (offsetSeconds) => {
    if (offsetSeconds < 2 * hour) throw new Error('no clock today');
  });
  const began = clock.now();
  const events: string[] = [];
  await clock.run(
    [1, 3].map(
      (hours) => () =>
        clock.waitUntil(began + hours * hour).then(
          () => void events.push(`${hours} hours`),
          (error: unknown) => void events.push(String(error)),
        ),
    ),
  );
  expect(events).toEqual(['Error: no clock today', '3 hours']);
});
