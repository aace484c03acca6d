import { expect, test } from 'vitest';
import { Semaphore } from './pace.ts';

test('the semaphore is acquired in the order of arrival, by as many callers as the limit allows', async () => {
  const semaphore = new Semaphore(3);
  const order: string[] = [];
  for (const name of ['a', 'b', 'c']) await semaphore.acquire().then(() => order.push(name));
  const waiting = ['d', 'e', 'f'].map((name) => semaphore.acquire().then(() => order.push(name)));
  const controller = new AbortController();
  const aborted = semaphore.acquire(controller.signal);
  controller.abort();
  await expect(aborted).rejects.toThrow('aborted');
  semaphore.release();
  await waiting[0];
  expect(order).toEqual(['a', 'b', 'c', 'd']);
  semaphore.release();
  semaphore.release();
  await Promise.all(waiting);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('the owner that wants least goes first', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire();
  const order: string[] = [];
  const queued = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
    await semaphore.acquire(undefined, name[0]);
    order.push(name);
    semaphore.release();
  });
  semaphore.release();
  await Promise.all(queued);
  expect(order).toEqual(['c1', 'b1', 'b2', 'a1', 'a2', 'a3']);
});
