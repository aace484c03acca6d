import { equal, rejects } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Fake, override, startFake } from 'tenant-admin-conformance';
import { AdminClient, ApiError, TooManyRequestsError } from '../client/client.ts';

/** A client's own tests, whose tenant can be configured: it talks to the fake over loopback. */

let fake: Fake;
let client: AdminClient;

before(async () => {
  fake = await startFake();
  const [credentials] = fake.clients;
  client = new AdminClient({
    tenant: fake.origin,
    clientId: credentials?.client_id ?? '',
    clientSecret: credentials?.client_secret ?? '',
  });
});

after(() => fake.close());

test('all versions of an action are walked', async () => {
  const [first] = fake.dataSet.actions;
  const found: unknown[] = [];
  for await (const version of client.versions(first?.action.id ?? '', 50)) found.push(version);
  equal(found.length, first?.versions.length);
});

test('a policy that does not exist is an ApiError', async () => {
  fake.use((rules) => override(rules, 'policies', { found: () => undefined }));
  await rejects(client.deleteRateLimitPolicy('gone'), ApiError);
  fake.use();
});

test('the rate limit is a TooManyRequestsError', async () => {
  fake.use((rules) => override(rules, 'rate', { retryAfter: () => 1 }));
  await rejects(client.listExperiments(), TooManyRequestsError);
  fake.use();
});
