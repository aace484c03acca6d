import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LaneLock, type LaneRequest } from './lanes.ts';

/** Lets everything that is granted go on. */
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** The requests, made in this order, by name; gives which ones have their lane, and releases one. */
function ask(lock: LaneLock, requests: Readonly<Record<string, LaneRequest>>) {
  const acquired = new Map<string, () => void>();
  for (const [name, request] of Object.entries(requests))
    void lock.run(request, () => new Promise<void>((release) => acquired.set(name, release)));
  return {
    holders: async () => {
      await tick();
      return [...acquired.keys()];
    },
    release: (name: string) => {
      acquired.get(name)?.();
      acquired.delete(name);
    },
  };
}

const parallel = (operation?: string): LaneRequest => ({ lane: 'parallel', operation });
const alone = (operation: string): LaneRequest => ({ lane: 'operation', operation });
const exclusive: LaneRequest = { lane: 'exclusive' };

describe('the lock behind the lanes', () => {
  test('lets all share it that ask for a share', async () => {
    const { holders } = ask(new LaneLock(), { a: parallel('x'), b: parallel('x'), c: parallel() });
    expect(await holders()).toEqual(['a', 'b', 'c']);
  });

  test('gives an operation to one, at the same time as other operations to others', async () => {
    const requests = ask(new LaneLock(), {
      a: alone('x'),
      b: parallel('x'),
      c: parallel('y'),
      d: alone('x'),
    });
    expect(await requests.holders()).toEqual(['a', 'c']);
    requests.release('a');
    expect(await requests.holders()).toEqual(['c', 'b']);
    requests.release('b');
    expect(await requests.holders()).toEqual(['c', 'd']);
  });

  test('is fair: who comes after one that waits for everything waits too', async () => {
    const requests = ask(new LaneLock(), { a: parallel('x'), b: exclusive, c: parallel('y') });
    expect(await requests.holders()).toEqual(['a']);
    requests.release('a');
    expect(await requests.holders()).toEqual(['b']);
    requests.release('b');
    expect(await requests.holders()).toEqual(['c']);
  });

  test('gives an urgent request what is free next', async () => {
    const requests = ask(new LaneLock(), { a: exclusive, b: exclusive, c: { ...exclusive, urgent: true } });
    requests.release((await requests.holders())[0] ?? '');
    expect(await requests.holders()).toEqual(['c']);
  });

  test('grants as many requests at a time as its limit, in their order', async () => {
    const requests = ask(new LaneLock(2), {
      a: parallel('x'),
      b: alone('y'),
      c: parallel('x'),
      d: parallel('z'),
    });
    expect(await requests.holders()).toEqual(['a', 'b']);
    requests.release('b');
    expect(await requests.holders()).toEqual(['a', 'c']);
    requests.release('a');
    expect(await requests.holders()).toEqual(['c', 'd']);
  });

  test('is released by an action that fails, too', async () => {
    const lock = new LaneLock();
    await expect(lock.run(exclusive, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    const requests = ask(lock, { a: exclusive });
    expect(await requests.holders()).toEqual(['a']);
  });

  test('whatever is requested in whatever order, all get it, and no two run at once that must not', async () => {
    const operation = fc.constantFrom('x', 'y', undefined);
    const lane = fc.constantFrom<LaneRequest['lane']>('parallel', 'operation', 'exclusive');
    const limit = fc.integer({ min: 1, max: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ lane, operation }), { maxLength: 30 }),
        limit,
        async (requests, most) => {
          const lock = new LaneLock(most);
          const under: LaneRequest[] = [];
          let done = 0;
          await Promise.all(
            requests.map(async (request) => {
              await lock.run(request, async () => {
                for (const other of under) expect(conflict(request, other)).toBe(false);
                expect(under.length).toBeLessThan(most);
                under.push(request);
                await tick();
                under.splice(under.indexOf(request), 1);
                done += 1;
              });
            }),
          );
          expect(done).toBe(requests.length);
        },
      ),
    );
  });
});

function conflict(one: LaneRequest, other: LaneRequest): boolean {
  if (one.lane === 'exclusive' || other.lane === 'exclusive') return true;
  if (one.lane === 'parallel' && other.lane === 'parallel') return false;
  return one.operation === undefined || other.operation === undefined || one.operation === other.operation;
}
