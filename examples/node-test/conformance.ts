import { deepEqual, equal } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Report, runConformance } from 'tenant-admin-conformance';
import { type PlainServer, startPlainServer } from '../plain-server/server.ts';

/** An implementer's own tests: their server, started as their tests start it, and the suite run against it. */

let server: PlainServer;
let report: Report;

before(async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const trusted = { ...publicKey.export({ format: 'jwk' }), kid: 'tests' };
  server = await startPlainServer({ jwks: { keys: [trusted] } });
  // `only` keeps this example quick; without it everything is judged.
  report = await runConformance({
    baseUrl: server.url,
    control: server.controlUrl,
    signingKey: { ...privateKey.export({ format: 'jwk' }), kid: 'tests' },
    only: ['4.3', '4.5'],
    runs: 10,
  });
});

after(() => server.close());

test('no requirement is broken', () => {
  const broken = report.requirements.filter(({ verdict }) => verdict === 'failed' || verdict === 'error');
  // What is compared is what a red test shows: the id, what was wrong, and a curl line.
  deepEqual(
    broken.map(({ id, reason, reproduce }) => ({ id, reason, reproduce })),
    [],
  );
});

test('everything that was selected was judged', () => {
  const unjudged = report.requirements.filter(({ verdict }) => verdict === 'not-judged');
  deepEqual(
    unjudged.filter(({ reason }) => reason !== 'deselected'),
    [],
  );
  equal(report.summary.judged, report.requirements.length - unjudged.length);
});
