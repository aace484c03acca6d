import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { runConformance } from 'tenant-admin-conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fake, startFake } from '../fake/index.ts';
import { dataOffers } from './plainer-data.ts';

/** A control endpoint in front of the fake's that refuses or changes what the tenant is seeded with. */
async function controlInFrontOf(
  fake: Fake,
  seeded: (data: Record<string, Record<string, unknown>[]>) => unknown,
  refusal = 400,
): Promise<{ url: string; close: () => void }> {
  const server: Server = createServer(async (request: IncomingMessage, response) => {
    const path = request.url ?? '/';
    let body: string | undefined;
    if (request.method === 'PUT') {
      const data = await json(request);
      const changed = path === '/tenant' ? seeded(Object(data)) : data;
      if (changed === undefined) {
        response.writeHead(refusal, { 'content-type': 'application/json' });
        response.end('{"message":"ids may have letters and digits only"}');
        return;
      }
      body = JSON.stringify(changed);
    }
    const answer = await fetch(`${fake.controlUrl}${path}`, {
      method: request.method ?? 'GET',
      ...(body && { body, headers: { 'content-type': 'application/json' } }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.status === 204 ? undefined : await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

let fake: Fake;
beforeAll(async () => {
  fake = await startFake({ control: true });
});
afterAll(() => fake.close());

const judge = (control: string) =>
  fake
    .token({ scopes: ['delete:rate_limit_policies', 'read:actions'] })
    .then((token) =>
      runConformance({ baseUrl: fake.url, token, control, only: ['4.3', '4.4/reads'], seed: 1 }),
    );

const isLong = ({ id }: Record<string, unknown>) => String(id).length > 36;
const isUnusual = ({ id }: Record<string, unknown>) => !/^[\w-]+$/.test(String(id));

describe('a service that cannot store the data set', () => {
  test('is judged on a plainer one that it accepts', async () => {
    const control = await controlInFrontOf(fake, (data) =>
      data.rate_limit_policies?.some(isUnusual) ? undefined : data,
    );
    const report = await judge(control.url);
    control.close();
    const verdicts = Object.fromEntries(report.requirements.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts['4.3/delete-succeeds']).toBe('passed');
    expect(verdicts['4.3/delete-encoded-id']).toBe('not-judged');
    expect(JSON.stringify(report.run)).toContain('without unusual ids');
  });

  test('is judged without long values if they are too long for it', async () => {
    const control = await controlInFrontOf(
      fake,
      (data) => (data.self_service_profiles?.some(isLong) ? undefined : data),
      500,
    );
    const report = await judge(control.url);
    control.close();
    expect(JSON.stringify(report.run)).toContain('long names and dates after 2038');
  });

  test('is judged on ASCII texts if it refuses others', async () => {
    const control = await controlInFrontOf(fake, (data) =>
      /[^ -~]/.test(JSON.stringify(data)) ? undefined : data,
    );
    const report = await judge(control.url);
    control.close();
    expect(report.summary.stated.failed).toBe(0);
    expect(report.requirements.find(({ id }) => id === '4.4/reads')?.verdict).toBe('passed');
    expect(JSON.stringify(report.run)).toContain('with ASCII texts and times in UTC only');
  });

  test('is told which entries it drops', async () => {
    const control = await controlInFrontOf(fake, (data) => ({
      ...data,
      rate_limit_policies: data.rate_limit_policies?.slice(0, 10),
    }));
    const report = await judge(control.url);
    control.close();
    expect(report.summary.stated.failed).toBe(0);
    expect(JSON.stringify(report.run)).toContain('drops');
  });
});

test('a time in the snapshot of a flag may be any text', () => {
  const experiment = { id: 'exp_1', feature_flag_snapshot: { seen_at: 'yesterday' } };
  const [last] = dataOffers({
    phone_templates: { enrollment_message: '{{code}}', verification_message: '{{code}}' },
    experiments: [{ status: 'draft', experiment }],
    actions: [],
    rate_limit_policies: [],
    self_service_profiles: [],
  }).slice(-1);
  expect(last?.dataSet.experiments).toEqual([{ status: 'draft', experiment }]);
});
