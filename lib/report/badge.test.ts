import { expect, test } from 'vitest';
import { conformingRun, failingRun, littleRun } from '../../test/sample-runs.ts';
import { renderBadge } from './badge.ts';

test.each([
  [conformingRun, 'conforms 29/29'],
  [failingRun, '20 failed'],
  [littleRun, 'incomplete 3/29'],
])('%o says %s', (run, text) => {
  expect(renderBadge(run())).toContain(`aria-label="conformance: ${text}"`);
});
