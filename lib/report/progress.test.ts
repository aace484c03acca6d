import { expect, test } from 'vitest';
import { progressLine, startProgress } from './progress.ts';

const state = { done: 37, total: 142, requests: 4_210, estimated: 0, current: '4.2/take-maximum' };

test('says what runs now, and an estimate that is not more exact than it is', () => {
  expect(progressLine(state, 10_000, 100)).toBe(
    '37/142  4,210 requests  about 29.0 s left  4.2/take-maximum',
  );
  expect(progressLine({ ...state, estimated: 5_000 }, 10_000, 100)).toContain('about 2.0 s left');
});

test('makes no guess at the start', () => {
  expect(progressLine({ ...state, done: 1 }, 900, 100)).toContain('900 ms so far');
  expect(progressLine({ ...state, done: 0, total: 0 }, 900, 100)).toContain('so far');
});

test('stays on one line of the terminal', () => {
  expect(progressLine({ ...state, current: '\u001b[2J\n'.repeat(40) }, 10_000, 60)).toHaveLength(60);
});

test('redraws its line, seldom enough, and takes it away', () => {
  const written: string[] = [];
  let clock = 0;
  const progress = startProgress(
    { isTTY: true, columns: 80, write: (text) => written.push(text) },
    () => clock,
  );
  progress.update(state);
  progress.update(state);
  clock = 200;
  progress.update(state);
  progress.clear();
  progress.clear();
  expect(written).toHaveLength(3);
  expect(written.at(-1)).toBe('\r\u001b[2K');
});

test('prints nothing if there is no terminal', () => {
  const written: string[] = [];
  const progress = startProgress({ write: (text) => written.push(text) });
  progress.update(state);
  progress.clear();
  expect(written).toEqual([]);
});
