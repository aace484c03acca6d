import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { parseDataSet } from '../contract/data-set.ts';
import type { Contract } from '../contract/model.ts';
import { connectTarget, type Target, type TargetOptions } from './connect.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const contract: Contract = {
  title: 'test',
  specification: '2.0',
  version: '1',
  operations: [],
  skipped: [],
  scopes: [],
  tokenEndpoint: { path: '/oauth/token/', audience: '/api/v2/' },
  payload: { accepts: 1_000_000, refuses: 1_048_577 },
  resolve: (schema) => schema,
  component: () => undefined,
};

const dataSet = {
  phone_templates: { enrollment_message: 'a', verification_message: 'b' },
  experiments: [{ status: 'draft', experiment: { id: 'e' } }],
  actions: [{ action: { id: 'act' }, versions: [{ id: 'v' }] }],
  rate_limit_policies: [{ id: 'rlp', further: true }],
  self_service_profiles: [{ id: 'ssp', custom_text: { en: { 'get-started': { title: 'x' } } } }],
  further: 1,
};

type Handler = (request: IncomingMessage, body: string) => { status?: number; body?: unknown };

async function serve(handler: Handler): Promise<string> {
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const { status = 200, body } = handler(request, text);
      response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

async function control(supports: readonly string[], other: Handler = () => ({})): Promise<string> {
  return serve((request, body) => {
    const line = `${request.method} ${request.url}`;
    if (line === 'GET /') return { body: { supports } };
    if (line === 'GET /tenant') return { body: dataSet };
    return other(request, body);
  });
}

async function connect(options: Partial<TargetOptions> = {}): Promise<Target> {
  const target = await connectTarget({
    contract,
    baseUrl: 'http://127.0.0.1:1/api/v2',
    timeout: 2000,
    ...options,
  });
  open.push(() => target.close());
  return target;
}

const signingKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
};

describe('capabilities', () => {
  test.each<[string, Partial<TargetOptions>, string[]]>([
    ['a base URL alone', {}, ['write']],
    ['--token', { token: 'opaque' }, ['token', 'write']],
    ['--signing-key', { signingKey }, ['token', 'scopes', 'known_scopes', 'mint', 'write']],
    ['--token-command', { tokenCommand: 'true' }, ['token', 'scopes', 'known_scopes', 'write']],
    ['--client-id', { clientId: 'a', clientSecret: 'b' }, ['token', 'known_scopes', 'client', 'write']],
    ['--read-only', { readOnly: true, resources: { rate_limit_policy: ['p'] } }, []],
    [
      'ids',
      { resources: { action: ['a'], rate_limit_policy: ['p'] } },
      ['write', 'action', 'rate_limit_policy'],
    ],
  ])('%s', async (_, options, expected) => {
    expect([...(await connect(options)).capabilities]).toEqual(expected);
  });

  test('with control', async () => {
    const url = await control(['seed', 'inspect', 'data', 'clock', 'checkpoint_age', 'logs', 'unheard-of']);
    const whole = await connect({ control: `${url}/` });
    const resources = ['action', 'rate_limit_policy', 'self_service_profile'];
    expect([...whole.capabilities]).toEqual([
      'seed',
      'inspect',
      'data',
      'clock',
      'checkpoint_age',
      'logs',
      'write',
      ...resources,
    ]);
    expect(whole.resources).toEqual({
      action: ['act'],
      rate_limit_policy: ['rlp'],
      self_service_profile: ['ssp'],
    });
    const readOnly = await connect({ control: url, readOnly: true });
    expect([...readOnly.capabilities]).toEqual(['inspect', 'data', 'logs', 'action', 'self_service_profile']);
    await expect(readOnly.control?.moveClock(0)).rejects.toThrow('--read-only');
  });

  test('given ids go before found ones; no policy that is not named is deleted unless it can be put back', async () => {
    const inspectOnly = await connect({
      control: await control(['inspect']),
      resources: { action: ['mine'] },
    });
    expect(inspectOnly.resources).toEqual({
      action: ['mine'],
      rate_limit_policy: [],
      self_service_profile: ['ssp'],
    });
  });
});

describe('control', () => {
  test('seeds, inspects, moves the clock and reads logs', async () => {
    const requests: string[] = [];
    const url = await control(
      ['seed', 'inspect', 'data', 'clock', 'checkpoint_age', 'logs'],
      (request, body) => {
        requests.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
        if (request.method === 'PUT') return { status: 204 };
        const entry = (id: unknown) => ({ references: { correlation_id: id } });
        return { body: { logs: [entry('a b1'), entry('other'), {}, 7, entry(1), entry('a b2')] } };
      },
    );
    const target = await connect({ control: url, signingKey });
    expect(await target.control?.inspect()).toEqual(dataSet);
    await target.control?.seed(parseDataSet(dataSet));
    const before = target.tokens.minter?.now() ?? 0;
    await target.control?.moveClock(86_460);
    expect((target.tokens.minter?.now() ?? 0) - before).toBeGreaterThanOrEqual(86_460);
    expect(await target.control?.correlationIds('a b')).toEqual(['a b1', 'a b2']);
    expect(requests).toEqual([
      `PUT /tenant undefined ${JSON.stringify(dataSet)}`,
      'PUT /clock undefined {"offset_seconds":86460}',
      'GET /logs?correlation_id_prefix=a%20b undefined ',
    ]);
    expect(target.driver.requests).toBe(0);
  });

  test('a server that does not do as it should is reported in a line', async () => {
    await expect(connect({ control: 'http://127.0.0.1:1' })).rejects.toThrow(/^control: GET .*ECONNREFUSED/);
    const html = await serve(() => ({ status: 404, body: 'no\nsuch page' }));
    await expect(connect({ control: html })).rejects.toThrow(
      `control: GET ${html}/ answered 404: "no\\nsuch page"`,
    );
    const other = await serve(() => ({ body: {} }));
    await expect(connect({ control: other })).rejects.toThrow('answered without "supports"');
    const url = await serve((request) => ({
      body: request.url === '/' ? { supports: ['clock', 'inspect'] } : { actions: 1 },
    }));
    await expect(connect({ control: url })).rejects.toThrow('phone_templates is missing');
    const refusing = await control(['clock'], () => ({ status: 400, body: { message: 'no' } }));
    const target = await connect({ control: refusing, signingKey });
    const before = target.clock.offsetSeconds;
    await expect(target.control?.moveClock(5)).rejects.toThrow('answered 400: {"message":"no"}');
    expect(target.clock.offsetSeconds).toBe(before);
  });
});

describe('options', () => {
  test('the token endpoint stands on the tenant host', async () => {
    const target = await connect({
      baseUrl: 'https://tenant.example:8443/some/api//',
      clientId: 'a',
      clientSecret: 'b',
    });
    expect(target.baseUrl).toBe('https://tenant.example:8443/some/api');
    expect(target.client).toMatchObject({
      tokenUrl: 'https://tenant.example:8443/oauth/token/',
      audience: '/api/v2/',
    });
    const elsewhere = await connect({
      clientId: 'a',
      clientSecret: 'b',
      tokenUrl: 'https://id.example/t',
      audience: 'x',
    });
    expect(elsewhere.client).toEqual({
      client_id: 'a',
      client_secret: 'b',
      tokenUrl: 'https://id.example/t',
      audience: 'x',
    });
  });

  test('read-only sends nothing that changes state', async () => {
    const sent: string[] = [];
    const url = await serve((request) => {
      sent.push(`${request.method} ${request.url}`);
      return {};
    });
    const target = await connect({ baseUrl: url, readOnly: true, clientId: 'a', clientSecret: 'b' });
    const request = (method: string, more = {}) => ({ operation: undefined, method, target: '/x', ...more });
    await expect(target.send(request('PUT'))).rejects.toThrow('PUT /x is not sent with --read-only');
    await expect(target.send(request('DELETE'))).rejects.toThrow('--read-only');
    await target.send(request('GET'));
    await target.send(request('POST', { url: target.client?.tokenUrl }));
    expect(sent).toEqual(['GET /x', 'POST /oauth/token/']);
  });
});

test.each([
  [undefined, 'the data set must be an object'],
  [
    { ...dataSet, phone_templates: { enrollment_message: 'a' } },
    'phone_templates.verification_message is missing',
  ],
  [{ ...dataSet, experiments: {} }, 'experiments must be an array'],
  [{ ...dataSet, experiments: [{ status: 'draft' }] }, 'experiments[0].experiment is missing'],
  [{ ...dataSet, actions: [{ action: {}, versions: [] }] }, 'actions[0].action.id is missing'],
  [
    { ...dataSet, actions: [{ action: { id: 'a' }, versions: [1] }] },
    'actions[0].versions[0] must be an object',
  ],
  [{ ...dataSet, rate_limit_policies: [{ id: 1 }] }, 'rate_limit_policies[0].id must be a string'],
  [
    { ...dataSet, self_service_profiles: [{ id: 'a', custom_text: { en: { p: { k: 1 } } } }] },
    'self_service_profiles[0].custom_text.en.p.k must be a string',
  ],
])('no data set: %#', (value, message) => {
  expect(() => parseDataSet(value)).toThrow(message);
});
