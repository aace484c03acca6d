import { describe, expect, onTestFinished, test } from 'vitest';
import { isObject, type JsonObject } from '../contract/json.ts';
import { type Fake, type FakeOptions, override, startFake } from './index.ts';

async function fakeOf(options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake(options);
  onTestFinished(() => fake.close());
  return fake;
}

async function call(
  fake: Fake,
  path: string,
  init: RequestInit & { token?: string } = {},
): Promise<{ status: number; body: JsonObject; headers: Headers }> {
  const { token = await fake.token(), ...rest } = init;
  const headers = { authorization: `Bearer ${token}`, ...Object.fromEntries(new Headers(init.headers)) };
  const answer = await fetch(`${fake.url}${path}`, { ...rest, headers });
  const text = await answer.text();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  return { status: answer.status, headers: answer.headers, body: isObject(body) ? body : {} };
}

const experiments = '/experimentation/experiments';
const templates = '/guardian/factors/phone/templates';

function put(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'PUT',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
}

describe('order of checks', () => {
  test('401 before 403 before 400 before 404', async () => {
    const fake = await fakeOf();
    const path = '/rate-limit-policies/';
    const long = 'x'.repeat(27);
    const scopeless = await fake.token({ scopes: [] });
    const statusOf = async (id: string, token?: string) =>
      (await call(fake, path + id, { method: 'DELETE', ...(token !== undefined && { token }) })).status;
    expect(await statusOf(long, 'garbage')).toBe(401);
    expect(await statusOf(long, scopeless)).toBe(403);
    expect(await statusOf(long)).toBe(400);
    expect(await statusOf('%zz')).toBe(400);
    expect(await statusOf('%zz', 'garbage')).toBe(401);
    expect(await statusOf('unknown')).toBe(404);
  });

  test('an unknown path is 404 with the error body that clients parse', async () => {
    const fake = await fakeOf();
    const { status, body } = await call(fake, '/nothing/here');
    expect(status).toBe(404);
    expect(Object.keys(body)).toEqual(['statusCode', 'error', 'message', 'errorCode']);
  });
});

describe('phone templates', () => {
  const good = { enrollment_message: ' {{code}} é🎉\n', verification_message: '} {' };

  test.each([
    [good, 200],
    [{ ...good, third: 'x' }, 400],
    [{ enrollment_message: 'a' }, 400],
    [{ ...good, verification_message: null }, 400],
    [{ ...good, verification_message: 1 }, 400],
    [[], 400],
    ['', 400],
    ['{', 400],
    ['"text"', 400],
  ])('JSON %j: %i', async (body, expected) => {
    const fake = await fakeOf();
    const before = fake.dataSet.phone_templates;
    const { status, body: answer } = await call(fake, templates, put(body));
    expect(status).toBe(expected);
    expect(fake.dataSet.phone_templates).toEqual(expected === 200 ? good : before);
    if (expected === 200) expect(answer).toEqual(good);
  });

  test.each([
    [`enrollment_message=a+b%2B%C3%A9&verification_message=`, 200],
    ['enrollment_message=a&enrollment_message=b&verification_message=', 400],
    ['enrollment_message=%zz&verification_message=', 400],
    ['enrollment_message=%ff&verification_message=', 400],
    ['enrollment_message=a', 400],
  ])('form %s: %i', async (body, expected) => {
    const fake = await fakeOf();
    const form = put(body, { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' });
    const { status, body: answer } = await call(fake, templates, form);
    expect(status).toBe(expected);
    if (expected === 200) expect(answer).toEqual({ enrollment_message: 'a b+é', verification_message: '' });
  });

  test.each(['enrollment_message', 'verification_message'])('an invalid %s is named', async (field) => {
    const fake = await fakeOf();
    const before = fake.dataSet.phone_templates;
    const { status, body } = await call(fake, templates, put({ ...good, [field]: 'x {{code' }));
    expect(status).toBe(400);
    expect(body.message).toMatch(new RegExp(`^Invalid ${field} template: [^]*[^.]\\.$`));
    expect(fake.dataSet.phone_templates).toEqual(before);
  });

  test('another media type is 415', async () => {
    const fake = await fakeOf();
    expect((await call(fake, templates, put('x', { 'content-type': 'text/plain' }))).status).toBe(415);
  });
});

describe('experiments', () => {
  async function walk(
    fake: Fake,
    query: Record<string, string>,
    takes: readonly number[],
  ): Promise<unknown[]> {
    const found: unknown[] = [];
    let from: string | undefined;
    for (let page = 0; page < 1000; page += 1) {
      const take = String(takes[page % takes.length]);
      const search = new URLSearchParams({ ...query, take, ...(from !== undefined && { from }) });
      const { status, body } = await call(fake, `${experiments}?${search}`);
      expect(status).toBe(200);
      found.push(...(Array.isArray(body.experiments) ? body.experiments : []));
      if (!('next' in body)) return found;
      from = String(body.next);
    }
    throw new Error('the walk does not end');
  }

  test.each([
    [{}, [50]],
    [{ status: 'draft' }, [1]],
    [{ authentication_flow: 'login ' }, [3, 1]],
    [{ status: 'active', authentication_flow: 'login', feature_flag_id: 'flag_passkeys' }, [1, 2]],
    [{ feature_flag_id: 'nothing' }, [5]],
  ])('a walk under %j gives every match once, in order', async (query, takes) => {
    const fake = await fakeOf();
    const matches = fake.dataSet.experiments.filter(({ status, experiment }) =>
      Object.entries(query).every(
        ([name, value]) => (name === 'status' ? status : experiment[name]) === value,
      ),
    );
    expect(await walk(fake, query, takes)).toEqual(matches.map(({ experiment }) => experiment));
  });

  test.each(['0', '51', '-1', '1.0', '1e1', '', 'ten', '%20', '01', '+5', '5&take=5'])(
    'take=%s is refused',
    async (take) => {
      const fake = await fakeOf({ cloud: 'private' });
      expect((await call(fake, `${experiments}?take=${take}`)).status).toBe(400);
    },
  );

  test.each(['status=open', 'status=', 'status=Draft', 'from=', 'from=x'])('%s is refused', async (query) => {
    const fake = await fakeOf();
    expect((await call(fake, `${experiments}?${query}`)).status).toBe(400);
  });

  test('unknown parameters are ignored, the default is 25', async () => {
    const fake = await fakeOf();
    const { body } = await call(fake, `${experiments}?page=7&unknown=1&unknown=2`);
    expect(body.experiments).toHaveLength(25);
  });

  test('a checkpoint restarts after 24 hours from its issue', async () => {
    const fake = await fakeOf();
    const first = await call(fake, `${experiments}?take=2`);
    const next = `${experiments}?take=2&from=${String(first.body.next)}`;
    fake.clock.move(86_340);
    expect((await call(fake, next)).body.experiments).not.toEqual(first.body.experiments);
    fake.clock.move(86_460);
    expect((await call(fake, next)).body.experiments).toEqual(first.body.experiments);
  });

  test('a checkpoint that was changed, or issued before a seed, is refused', async () => {
    const fake = await fakeOf();
    const next = String((await call(fake, `${experiments}?take=2`)).body.next);
    const changed = `${next.slice(0, -1)}${next.endsWith('A') ? 'B' : 'A'}`;
    expect((await call(fake, `${experiments}?from=${changed}`)).status).toBe(400);
    fake.seed(fake.dataSet);
    expect((await call(fake, `${experiments}?from=${next}`)).status).toBe(400);
  });
});

describe('versions', () => {
  test.each([
    ['public', '', 200, 20],
    ['public', 'per_page=50', 200, 50],
    ['public', 'per_page=51', 400, 0],
    ['private', 'per_page=100', 200, 57],
    ['private', 'per_page=101', 400, 0],
    ['public', 'page=2', 200, 17],
    ['public', 'page=3', 200, 0],
    ['public', 'page=1&per_page=57', 400, 0],
    ['public', 'page=19&per_page=3', 200, 0],
    ['public', `page=${'9'.repeat(400)}`, 200, 0],
    ['public', 'page=-1', 400, 0],
    ['public', 'page=1.5', 400, 0],
    ['public', 'per_page=0', 400, 0],
  ] as const)('%s %s: %i with %i', async (cloud, query, expected, count) => {
    const fake = await fakeOf({ cloud });
    const id = fake.dataSet.actions[0]?.action.id;
    const { status, body } = await call(fake, `/actions/actions/${id}/versions?${query}`);
    expect(status).toBe(expected);
    if (expected === 200) expect(body).toMatchObject({ total: 57, versions: { length: count } });
  });

  test('undeclared fields of a version are not served', async () => {
    const version = { id: 'v', secrets: [{ name: 'KEY', value: 'hidden' }], hidden: 'hidden' };
    const fake = await fakeOf({ dataSet: { actions: [{ action: { id: 'a/b' }, versions: [version] }] } });
    const { body } = await call(fake, '/actions/actions/a%2Fb/versions');
    expect(body.versions).toEqual([{ id: 'v', secrets: [{ name: 'KEY' }] }]);
  });

  test('an unknown action is 404', async () => {
    const fake = await fakeOf();
    expect((await call(fake, '/actions/actions/none/versions')).status).toBe(404);
  });
});

test('each policy of the data set can be deleted, once', async () => {
  const fake = await fakeOf();
  for (const { id } of fake.dataSet.rate_limit_policies) {
    const path = `/rate-limit-policies/${encodeURIComponent(id)}`;
    expect([id, (await call(fake, path, { method: 'DELETE' })).status]).toEqual([id, 204]);
    expect((await call(fake, path, { method: 'DELETE' })).status).toBe(404);
  }
  expect(fake.dataSet.rate_limit_policies).toEqual([]);
});

test.each([
  ['ssp_main/custom-text/en/get-started', 200],
  ['none/custom-text/en/get-started', 404],
  ['ssp_main/custom-text/EN/get-started', 400],
  ['ssp_main/custom-text/en/other', 400],
])('custom text %s: %i', async (path, expected) => {
  const fake = await fakeOf();
  const { status, body } = await call(fake, `/self-service-profiles/${path}`);
  expect(status).toBe(expected);
  const [main] = fake.dataSet.self_service_profiles;
  if (expected === 200) expect(body).toEqual(main?.custom_text.en?.['get-started']);
});

test('correlation IDs of writes that succeed are logged, cut to 64 characters', async () => {
  const fake = await fakeOf();
  const id = `Aé~${'x'.repeat(3997)}`.replace('é', 'e');
  const header = (value: string) => ({ 'x-correlation-id': value });
  await call(fake, '/rate-limit-policies/a', { method: 'DELETE', headers: header(id) });
  await call(fake, '/rate-limit-policies/a', { method: 'DELETE', headers: header('refused') });
  await call(fake, experiments, { headers: header('read') });
  expect(fake.logs.map(({ references }) => references.correlation_id)).toEqual([id.slice(0, 64)]);
});

test('rules can be changed while the fake runs, and put back', async () => {
  const fake = await fakeOf();
  fake.use((rules) => override(rules, 'paging', { maximum: () => 10 }));
  expect((await call(fake, `${experiments}?take=11`)).status).toBe(400);
  fake.use();
  expect((await call(fake, `${experiments}?take=11`)).status).toBe(200);
});

test('beyond the rate limit, 429 with Retry-After', async () => {
  const fake = await fakeOf({ rateLimit: { requests: 1, seconds: 60 } });
  expect((await call(fake, experiments)).status).toBe(200);
  const { status, headers } = await call(fake, experiments);
  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

test('recent requests show what was sent, without the token', async () => {
  const fake = await fakeOf();
  await call(fake, `${experiments}?take=1`);
  expect(fake.requests).toMatchObject([
    {
      operation: 'listExperiments',
      method: 'GET',
      target: '/api/v2/experimentation/experiments?take=1',
      status: 200,
    },
  ]);
  const [recorded] = fake.requests;
  expect(recorded?.headers.authorization).toBe(`Bearer ${JSON.stringify(recorded?.claims)}`);
  expect(JSON.stringify(recorded)).not.toContain('eyJ');
  expect(JSON.parse(recorded?.response.body ?? '').experiments).toHaveLength(1);
});

test('a hundred fakes at once, and no handle left', async () => {
  const handles = () => process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).length;
  const before = handles();
  const fakes = await Promise.all(Array.from({ length: 100 }, () => startFake({ control: true })));
  const statuses = await Promise.all(fakes.map(async (fake) => (await call(fake, experiments)).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
  await Promise.all(fakes.map((fake) => fake.close()));
  await expect.poll(handles, { timeout: 5_000 }).toBeLessThanOrEqual(before);
});
