import { expect, test } from 'vitest';
import { Semaphore } from './pace.ts';

test('who is to be first goes before all who wait, who is to be last after them, the others as they came', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire();
  const order: string[] = [];
  const waiting = (
    [
      ['last', 'last'],
      ['one', 'usual'],
      ['two', undefined],
      ['first', 'first'],
      ['first too', 'first'],
    ] as const
  ).map(async ([name, turn]) => {
    await semaphore.acquire(turn);
    order.push(name);
    semaphore.release();
  });
  semaphore.release();
  await Promise.all(waiting);
  expect(order).toEqual(['first', 'first too', 'one', 'two', 'last']);
});
