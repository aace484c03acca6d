import { expect, test, vi } from 'vitest';
import { Semaphore } from './pace.ts';

test('actions run in the order of arrival, as many at a time as the limit allows', async () => {
  const semaphore = new Semaphore(3);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const running = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    semaphore.run(() => {
      started.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  const controller = new AbortController();
  const aborted = semaphore.run(async () => started.push('aborted'), controller.signal);
  controller.abort();
  await expect(aborted).rejects.toThrow('aborted');
  await vi.waitFor(() => expect(started).toEqual(['a', 'b', 'c']));
  ends[1]?.();
  await running[1];
  await vi.waitFor(() => expect(started).toEqual(['a', 'b', 'c', 'd']));
  for (const end of ends) end();
  await vi.waitFor(() => expect(started).toEqual(['a', 'b', 'c', 'd', 'e']));
  for (const end of ends) end();
  await Promise.all(running);
});

test('the owner that wants least goes first', async () => {
  const semaphore = new Semaphore(1);
  const order: string[] = [];
  const run = async (name: string) => semaphore.run(async () => order.push(name), undefined, name[0]);
  await Promise.all(['first', 'a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(run));
  expect(order).toEqual(['first', 'c1', 'b1', 'b2', 'a1', 'a2', 'a3']);
});
