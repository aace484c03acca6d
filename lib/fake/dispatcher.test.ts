import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Dispatcher, getGlobalDispatcher, request, setGlobalDispatcher } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { faults } from '../mutation/faults/index.ts';
import { fakeDispatcher } from './dispatcher.ts';
import { type Fake, override, startFake } from './index.ts';

const tenant = 'https://tenant.example/api/v2';
const usual = getGlobalDispatcher();
let fake: Fake;
let action: string;
let dispatcher: Dispatcher;
let authorization: string;

beforeEach(async () => {
  fake = await startFake();
  action = fake.dataSet.actions.find(({ versions }) => versions.length > 2)?.action.id ?? '';
  dispatcher = fakeDispatcher(fake);
  authorization = `Bearer ${await fake.token()}`;
});
afterEach(async () => {
  setGlobalDispatcher(usual);
  await dispatcher.close();
  await fake.close();
});

test('the global fetch reaches the fake under the tenant that a client has hard-wired', async () => {
  setGlobalDispatcher(dispatcher);
  const [client] = fake.clients;
  const body = JSON.stringify({
    grant_type: 'client_credentials',
    client_id: client?.client_id,
    client_secret: client?.client_secret,
    audience: `${tenant}/`,
  });
  const headers = { 'content-type': 'application/json' };
  const issued = await fetch('https://tenant.example/oauth/token', { method: 'POST', headers, body });
  const { access_token } = JSON.parse(await issued.text());
  const answer = await fetch(`${tenant}/actions/actions/${action}/versions?per_page=2`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  expect(answer.status).toBe(200);
  expect(JSON.parse(await answer.text()).versions).toHaveLength(2);
  expect(fake.requests.map(({ operation }) => operation)).toEqual([undefined, 'listActionVersions']);
});

test("undici's own request reaches it, many at a time", async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      request(`${tenant}/experimentation/experiments?take=1`, { dispatcher, headers: { authorization } }),
    ),
  );
  const bodies = await Promise.all(answers.map(({ body }) => body.json()));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(bodies).toHaveLength(50);
});

test('a client of node:http reaches it by a connection of its own', async () => {
  const sent = httpRequest('http://tenant.example/api/v2/experimentation/experiments', {
    createConnection: () => fake.connect(),
    headers: { authorization },
  }).end();
  const [answer] = await once(sent, 'response');
  expect(answer.statusCode).toBe(200);
  expect(JSON.parse(await text(answer)).experiments).not.toHaveLength(0);
});

test('a body over the limit is refused as it is over the network', async () => {
  const { statusCode, body } = await request(`${tenant}/guardian/factors/phone/templates`, {
    dispatcher,
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: Buffer.alloc(3_000_000, ' '),
  });
  await body.dump();
  expect(statusCode).toBe(413);
});

test('faults hold here too, and a connection that breaks off is an error', async () => {
  const fault = faults.find(({ name }) => name === 'take-maximum-exclusive');
  if (fault === undefined) throw new Error('there is no such fault');
  const ask = (take: number) =>
    request(`${tenant}/experimentation/experiments?take=${take}`, { dispatcher, headers: { authorization } });
  fake.use(fault.rules);
  const refused = await ask(50);
  await refused.body.dump();
  expect(refused.statusCode).toBe(400);
  fake.use((rules) =>
    override(rules, 'answers', ({ wire }) => ({
      wire: (answer, call) => ({ ...wire(answer, call), abort: true }),
    })),
  );
  await expect(ask(1)).rejects.toThrow();
});

test('with a host only its requests reach the fake', async () => {
  const other = await startFake();
  const only = fakeDispatcher(fake, { host: 'tenant.example' });
  const ask = (url: string) => request(url, { dispatcher: only, headers: { authorization } });
  const statuses = await Promise.all([
    ask(`${tenant}/experimentation/experiments`),
    ask(`${other.url}/experimentation/experiments`),
  ]).then((answers) => Promise.all(answers.map((each) => each.body.dump().then(() => each.statusCode))));
  // The other fake does not know the first one's key.
  expect(statuses).toEqual([200, 401]);
  expect([fake.requests.length, other.requests.length]).toEqual([1, 1]);
  await only.close();
  await other.close();
});

test('once the fake is closed nothing is connected', async () => {
  await fake.close();
  expect(() => fake.connect()).toThrow('the fake is closed');
  await expect(request(tenant, { dispatcher })).rejects.toThrow('the fake is closed');
});
