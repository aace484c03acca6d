import { expect, test } from 'vitest';
import { renderBadge } from './badge.ts';
import { conformingRun, failingRun, littleRun } from './sample-runs.ts';

test.each([
  [conformingRun, 'conforms 29/29'],
  [failingRun, '20 failed'],
  [littleRun, 'incomplete 3/29'],
])('%o says %s', (run, text) => {
  expect(renderBadge(run())).toContain(`aria-label="conformance: ${text}"`);
});
