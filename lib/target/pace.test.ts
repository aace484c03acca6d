import { expect, test } from 'vitest';
import { Semaphore } from './pace.ts';

test('who is to be first goes before all who wait, the others as they came', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire();
  const order: string[] = [];
  const waiting = (
    [
      ['one', false],
      ['two', false],
      ['first', true],
      ['first too', true],
    ] as const
  ).map(async ([name, first]) => {
    await semaphore.acquire(first);
    order.push(name);
    semaphore.release();
  });
  semaphore.release();
  await Promise.all(waiting);
  expect(order).toEqual(['first', 'first too', 'one', 'two']);
});
