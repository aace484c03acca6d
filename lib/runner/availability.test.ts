import { expect, test } from 'vitest';
import { Availability } from './availability.ts';

test('a target that refused a connection and is back at once is reset, and the check runs again', async () => {
  const notes: string[] = [];
  const availability = new Availability({
    isReachable: async () => true,
    waitMs: 1000,
    onReturn: async () => void notes.push('reset'),
    onUnavailable: (why) => notes.push(why),
    onRestart: (note) => notes.push(note),
  });
  const refused = {
    number: 1,
    operation: undefined,
    request: { method: 'GET', url: 'http://a.example/', headers: [], bodyBytes: 0, chunked: false },
    response: undefined,
    failure: { kind: 'refused', message: 'connect ECONNREFUSED' },
    durationMs: 1,
  } as const;
  const refuse = () => {
    const { restarts } = availability;
    availability.record(refused, '4.2/reads');
    return availability.recover(restarts, true);
  };
  const repeated = [await refuse(), await refuse(), await refuse()];
  // A target that keeps refusing connections is not waited for.
  expect(repeated).toEqual([true, true, false]);
  expect(notes.filter((note) => note === 'reset')).toHaveLength(2);
});
