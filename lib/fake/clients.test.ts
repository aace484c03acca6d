import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdminClient, ApiError, TooManyRequestsError } from '../../examples/client/client.ts';
import { type Fake, override, startFake } from './index.ts';

/** Clients written for the real service work with the fake. */

let fake: Fake;
beforeEach(async () => {
  fake = await startFake();
});
afterEach(() => fake.close());

function credentials() {
  const [client] = fake.clients;
  return { client_id: client?.client_id ?? '', client_secret: client?.client_secret ?? '' };
}

function clientOfFake(): AdminClient {
  const { client_id: clientId, client_secret: clientSecret } = credentials();
  return new AdminClient({ tenant: fake.origin, clientId, clientSecret });
}

describe('a token', () => {
  const forms = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const;
  const wanted = ['/oauth/token', '/oauth/token/'].flatMap((path) =>
    (['form', 'json'] as const).flatMap((form) =>
      (['absolute', 'relative'] as const).map((audience) => ({ path, form, audience })),
    ),
  );

  test.each(wanted)('from $path as $form for an $audience audience', async ({ path, form, audience }) => {
    const fields = {
      grant_type: 'client_credentials',
      ...credentials(),
      audience: audience === 'absolute' ? `${fake.url}/` : '/api/v2/',
    };
    const issued = await fetch(fake.origin + path, {
      method: 'POST',
      headers: { 'content-type': forms[form], 'auth0-client': 'eyJuYW1lIjoiY2xpZW50In0', 'x-unknown': 'yes' },
      body: form === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
    });
    const { access_token, token_type, expires_in } = JSON.parse(await issued.text());
    expect({ status: issued.status, token_type, expires_in }).toEqual({
      status: 200,
      token_type: 'Bearer',
      expires_in: 86_400,
    });
    const served = await fetch(`${fake.url}/experimentation/experiments`, {
      headers: {
        authorization: `Bearer ${access_token}`,
        accept: '*/*',
        'accept-language': 'de',
        'x-request-language': 'de',
        'x-unknown': 'yes',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    });
    expect(served.status).toBe(200);
  });
});

describe('walks end', () => {
  test.each([1, 7, 50])('of experiments, %i at a time', async (take) => {
    const ids: unknown[] = [];
    for await (const { id } of clientOfFake().experiments(take)) ids.push(id);
    expect(ids).toHaveLength(fake.dataSet.experiments.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([1, 19, 50])('of versions, %i at a time', async (perPage) => {
    // If the last page is exactly full, such a client ends at the empty page after it.
    for (const { action, versions } of fake.dataSet.actions) {
      const ids: unknown[] = [];
      for await (const { id } of clientOfFake().versions(action.id, perPage)) ids.push(id);
      expect(new Set(ids).size).toBe(versions.length);
    }
  });
});

describe('errors become classes', () => {
  test('by status and error code', async () => {
    const client = clientOfFake();
    const refused = client.listExperiments({ take: '51' });
    await expect(refused).rejects.toThrow(ApiError);
    await expect(refused).rejects.toMatchObject({ statusCode: 400, errorCode: 'invalid_query_string' });
    await expect(client.deleteRateLimitPolicy('none')).rejects.toMatchObject({
      statusCode: 404,
      errorCode: 'inexistent_policy',
    });
  });

  test('of the body that all refusals have', async () => {
    const body = JSON.parse(await (await fetch(`${fake.url}/experimentation/experiments`)).text());
    expect(body).toEqual({
      statusCode: 401,
      error: 'Unauthorized',
      message: expect.any(String),
      errorCode: expect.any(String),
    });
  });

  test('of a token endpoint that refuses the client', async () => {
    const client = new AdminClient({ tenant: fake.origin, clientId: 'none', clientSecret: 'none' });
    await expect(client.listExperiments()).rejects.toMatchObject({
      statusCode: 401,
      errorCode: 'invalid_client',
    });
  });

  test('with Retry-After if it is set to limit', async () => {
    const client = clientOfFake();
    await client.listExperiments();
    fake.use((rules) => override(rules, 'rate', { retryAfter: () => 3 }));
    await expect(client.listExperiments()).rejects.toThrow(TooManyRequestsError);
    await expect(client.listExperiments()).rejects.toMatchObject({ statusCode: 429, retryAfter: 3 });
  });
});
