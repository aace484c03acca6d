import { expect, test } from 'vitest';
import { ReceivedResponse } from '../client/received-response.ts';
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
    startedAt: 0,
    durationMs: 1,
  } as const;
  const refuse = () => {
    const { restarts } = availability;
    availability.record(refused, '4.2/reads', true);
    return availability.recover(restarts, true);
  };
  const repeated = [await refuse(), await refuse(), await refuse()];
  // A target that keeps refusing connections is not waited for.
  expect(repeated).toEqual([true, true, false]);
  expect(notes.filter((note) => note === 'reset')).toHaveLength(2);
});

test('a response to a request that was sent before the target began to fail does not show a recovery', () => {
  const from: (number | undefined)[] = [];
  const availability = new Availability({
    isReachable: async () => true,
    waitMs: 0,
    onReturn: async () => {},
    onUnavailable: (_why, since) => from.push(since),
    onRestart: () => {},
  });
  const record = (number: number, status: number, startedAt: number, isValid = false) =>
    availability.record(
      {
        number,
        operation: number % 2 === 0 ? 'a' : 'b',
        request: { method: 'GET', url: 'http://a.example/', headers: [], bodyBytes: 0, chunked: false },
        response: new ReceivedResponse({ status, headers: [], body: Buffer.from('') }),
        failure: undefined,
        startedAt,
        durationMs: 5,
      },
      '4.2/reads',
      isValid,
    );
  record(1, 500, 0);
  record(2, 200, 10);
  record(3, 500, 20);
  record(4, 200, 10);
  for (let number = 5; number <= 50; number += 1) record(number, 500, 30);
  // A target may fail all requests that it has to refuse.
  expect(from).toEqual([]);
  record(51, 500, 40, true);
  expect(from).toEqual([3]);
});
