import { expect, test } from 'vitest';
import { Semaphore } from './pace.ts';

test('of several senders one with nothing under way goes next, and each sends in its own order', async () => {
  const semaphore = new Semaphore(2);
  const [crowd, chain] = [{}, {}];
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const send = async (name: string, sender: object): Promise<void> => {
    await semaphore.acquire('usual', sender);
    order.push(name);
    await new Promise<void>((resolve) => ends.push(resolve));
    semaphore.release(sender);
  };
  const all = [
    ...['crowd 1', 'crowd 2', 'crowd 3', 'crowd 4', 'crowd 5'].map((name) => send(name, crowd)),
    send('chain 1', chain).then(() => send('chain 2', chain)),
  ];
  while (ends.length > 0 || order.length < all.length + 1) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  expect(order).toEqual(['crowd 1', 'crowd 2', 'chain 1', 'crowd 3', 'crowd 4', 'chain 2', 'crowd 5']);
});

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
