import { type Fake, type Interception, intercept, override, startFake } from 'tenant-admin-conformance';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AdminClient, ApiError, TooManyRequestsError } from '../client/client.ts';

/** A client's own tests: it believes that it talks to https://tenant.example, and the fake answers. */

let fake: Fake;
let interception: Interception;
let client: AdminClient;

beforeEach(async () => {
  const credentials = {
    client_id: 'my-client',
    client_secret: 'my-secret',
    scopes: ['read:experimentation'],
  };
  fake = await startFake({ clients: [credentials] });
  interception = intercept(fake, { host: 'tenant.example', others: 'refuse' });
  client = new AdminClient({
    tenant: 'https://tenant.example',
    clientId: 'my-client',
    clientSecret: 'my-secret',
  });
});

afterEach(async () => {
  interception.close();
  await fake.close();
});

test('all pages are walked', async () => {
  const found: unknown[] = [];
  for await (const experiment of client.experiments(50)) found.push(experiment);
  expect(found).toHaveLength(fake.dataSet.experiments.length);
});

test('one token serves many requests', async () => {
  await client.listExperiments({ take: '5' });
  await client.listExperiments({ status: 'active' });
  const received = fake.requests.map(({ method, target }) => `${method} ${target}`);
  expect(received).toEqual([
    'POST /oauth/token',
    'GET /api/v2/experimentation/experiments?take=5',
    'GET /api/v2/experimentation/experiments?status=active',
  ]);
});

test('a missing scope is an ApiError', async () => {
  const refused = client.deleteRateLimitPolicy(fake.dataSet.rate_limit_policies[0]?.id ?? '');
  await expect(refused).rejects.toThrow(ApiError);
  await expect(refused).rejects.toMatchObject({ statusCode: 403, errorCode: 'insufficient_scope' });
});

test('a token that has expired on the server is an ApiError', async () => {
  await client.listExperiments();
  fake.clock.move(25 * 3600);
  await expect(client.listExperiments()).rejects.toMatchObject({ statusCode: 401 });
});

test('a checkpoint that is a day old begins again', async () => {
  const { next } = await client.listExperiments({ take: '2' });
  fake.clock.move(23 * 3600);
  const second = await client.listExperiments({ take: '2', from: String(next) });
  fake.clock.move(0);
  expect(second).not.toEqual(await client.listExperiments({ take: '2' }));
});

test('what the server gets wrong, while it runs', async () => {
  fake.use('take-maximum-exclusive');
  await expect(client.listExperiments({ take: '50' })).rejects.toMatchObject({ statusCode: 400 });
  fake.use((rules) => override(rules, 'rate', { retryAfter: () => 7 }));
  await expect(client.listExperiments()).rejects.toThrow(TooManyRequestsError);
  await expect(client.listExperiments()).rejects.toMatchObject({ retryAfter: 7 });
  fake.use();
  expect(await client.listExperiments({ take: '50' })).toHaveProperty('next');
});

test('correlation IDs reach the logs', async () => {
  const token = await fake.token({ scopes: ['delete:rate_limit_policies'] });
  const [policy] = fake.dataSet.rate_limit_policies;
  await fetch(`${fake.url}/rate-limit-policies/${encodeURIComponent(policy?.id ?? '')}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}`, 'x-correlation-id': 'my-job-1' },
  });
  expect(fake.logs.map(({ references }) => references.correlation_id)).toEqual(['my-job-1']);
});
