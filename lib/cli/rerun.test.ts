import { expect, test } from 'vitest';
import { rerunCommand } from './rerun.ts';
import { readSettings } from './settings.ts';

test('the embedded fake needs no more than seed and id', () => {
  const resolved = readSettings({ seed: '9', only: ['4.2'], quiet: true }, {});
  expect(rerunCommand(resolved, 9, 'npm test --')('4.2/take-maximum')).toBe(
    "npm test -- --seed 9 --only '4.2/take-maximum'",
  );
});

test('a target is named with everything but its secrets, whose variables are named instead', () => {
  const resolved = readSettings(
    {
      baseUrl: 'http://x.example/api/v2',
      token: 'very-secret',
      header: ['X-Key: also-secret'],
      tokenCommand: 'vault --password pw',
      actionId: ['a b', 'c'],
      strict: true,
      shard: '1/2',
    },
    { CONFORMANCE_TIMEOUT: '500' },
  );
  const command = rerunCommand(resolved, 3, 'npm test --')('5/x');
  expect(command).toBe(
    ['HEADER', 'TOKEN', 'TOKEN_COMMAND']
      .map((name) => `CONFORMANCE_${name}="\${CONFORMANCE_${name}:?}"`)
      .join(' ') +
      " npm test -- --base-url http://x.example/api/v2 --action-id 'a b' --action-id c --strict --timeout 500 --seed 3 --only '5/x'",
  );
});
