import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { conformance } from 'tenant-admin-conformance/test';
import { startPlainServer } from '../plain-server/server.ts';

/** An implementer's own tests: their server, started as their tests start it, and a test for each requirement. */
conformance(
  { describe, test, before, after },
  {
    async start() {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const trusted = { ...publicKey.export({ format: 'jwk' }), kid: 'tests' };
      const server = await startPlainServer({ jwks: { keys: [trusted] } });
      const signingKey = { ...privateKey.export({ format: 'jwk' }), kid: 'tests' };
      return { baseUrl: server.url, control: server.controlUrl, signingKey, close: () => server.close() };
    },
    // `only` and `runs` keep this example quick; without them everything is judged.
    only: ['4.3', '4.5'],
    runs: 10,
  },
);
