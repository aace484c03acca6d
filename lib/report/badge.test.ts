import { expect, test } from 'vitest';
import { conformingRun, failingRun, largeRun, littleRun } from '../../test/sample-runs.ts';
import { renderBadge } from './badge.ts';

test.each([
  [conformingRun, /conforms (\d+)\/\1/],
  [failingRun, /\d+ failed/],
  [littleRun, /incomplete \d+\/\d+/],
  [largeRun, /incomplete \d+\/\d+, \d+ deselected/],
])('%o says %s', (run, text) => {
  const [, label = ''] = /aria-label="conformance: ([^"]*)"/.exec(renderBadge(run())) ?? [];
  expect(label).toMatch(new RegExp(`^${text.source}$`));
});
