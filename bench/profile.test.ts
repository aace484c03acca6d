import { expect, test } from 'vitest';
import { partsOf } from './profile.ts';

const frame = (functionName: string, url: string) => ({ functionName, url });

test('time goes to whoever calls what stands nowhere', () => {
  const nodes = [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 3, 6, 7] },
    { id: 2, callFrame: frame('(garbage collector)', '') },
    { id: 3, callFrame: frame('judge', 'file:///p/lib/runner/run.ts'), children: [4, 5] },
    { id: 4, callFrame: frame('stringify', '') },
    { id: 5, callFrame: frame('constructor', 'file:///p/node_modules/jose/dist/sign.js') },
    { id: 7, callFrame: frame('(idle)', '') },
    { id: 6, callFrame: frame('onread', 'node:internal/stream_base_commons') },
  ];
  const timeDeltas = [1_000_000, 500_000, 250_000, 2_000_000, 500_000, -10, 9_000_000];
  expect([...partsOf({ nodes, samples: [2, 3, 4, 5, 6, 6, 7], timeDeltas })]).toEqual([
    ['collecting garbage', 1],
    ['the suite', 0.75],
    ['signing, verifying and hashing', 2],
    ['sockets and HTTP', 0.5],
  ]);
});
