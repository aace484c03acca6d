import { expect, test } from 'vitest';
import { hostileText } from '../../test/sample-runs.ts';
import {
  columns,
  duration,
  jsonText,
  line,
  truncate,
  truncateToWidth,
  visible,
  visibleLines,
  wrap,
} from './text.ts';

test('unsafe characters are escaped, others stay', () => {
  expect(visible('\u001b[31m\u202e\u0000\r\n\u009b\ud800x')).toBe(
    '\\u{1b}[31m\\u{202e}\\u{0}\\r\\n\\u{9b}\\u{d800}x',
  );
  expect(visible('Grüße, 日本語, 👩‍🔬, é, Việt')).toBe('Grüße, 日本語, 👩‍🔬, é, Việt');
  expect(visibleLines('a\n\tb\r')).toBe('a\n\tb\\r');
});

test('piled combining marks are cut down', () => {
  expect(visible(`Z${'\u0301'.repeat(6)}`)).toBe(`Z${'\u0301'.repeat(4)}\\u{301}\\u{301}`);
});

test('a cut never halves a character, and says how much is missing', () => {
  expect(truncate('abc', 3)).toBe('abc');
  expect(truncate('abcdef', 2)).toBe('ab… (4 more characters)');
  expect(truncate('a😀bc', 2)).toBe('a… (4 more characters)');
});

test('JSON text loses nothing and shows nothing but itself', () => {
  const text = jsonText({ a: hostileText });
  expect(JSON.parse(text)).toEqual({ a: hostileText });
  expect(visibleLines(text)).toBe(text);
});

test('lines keep their width, whatever is on them', () => {
  for (const text of ['a b c d e f', 'x'.repeat(50), '日本語'.repeat(9), line(hostileText)]) {
    for (const one of wrap(text, 12)) expect(columns(one)).toBeLessThanOrEqual(12);
    expect(columns(truncateToWidth(text, 9))).toBeLessThanOrEqual(9);
  }
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
});

test('durations read as people say them', () => {
  expect([0, 999, 1_000, 59_949, 59_999, 200_000, 7_300_000].map(duration)).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 0 s',
    '3 min 20 s',
    '2 h 1 min',
  ]);
});
