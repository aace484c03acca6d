import assert from 'node:assert/strict';
import { get } from 'node:https';
import { type Fake, intercept, startFake } from 'tenant-admin-conformance';

/** How a runner replaces the platform's timers, except setImmediate, which `fetch` needs to reuse a connection. */
export interface Timers {
  replace(): void;
  restore(): void;
}

const path = '/api/v2/experimentation/experiments?take=2';

async function statusOf(fake: Fake, origin = fake.origin): Promise<number> {
  const headers = { authorization: `Bearer ${await fake.token()}` };
  return (await fetch(origin + path, { headers })).status;
}

/** Not `await using`: the contexts of node:vm, which vmThreads and jest use, have no Symbol.asyncDispose on Node.js 20. */
async function withFake(test: (fake: Fake) => Promise<void>): Promise<void> {
  const fake = await startFake();
  await test(fake).finally(() => fake.close());
}

/** The columns of the table of docs/fake.md, for any runner: each rejects if the fake does not serve it. */
export const cells: Readonly<Record<string, (timers: Timers) => Promise<void>>> = {
  'by URL': () => withFake(async (fake) => assert.equal(await statusOf(fake), 200)),
  'in process': () =>
    withFake(async (fake) => {
      const interception = intercept(fake, { host: 'tenant.example', others: 'refuse' });
      assert.equal(await statusOf(fake, 'https://tenant.example'), 200);
      const status = new Promise((resolve, reject) => {
        get(`https://tenant.example${path}`, (response) => resolve(response.resume().statusCode)).on(
          'error',
          reject,
        );
      });
      assert.equal(await status, 401);
      await assert.rejects(statusOf(fake, 'https://other.example'));
      interception.close();
      assert.equal((await fake.fetch(path)).status, 401);
    }),
  async 'with fake timers'(timers) {
    timers.replace();
    await withFake(async (fake) => assert.equal(await statusOf(fake), 200)).finally(() => timers.restore());
  },
  'with failures': () =>
    withFake(async (fake) => {
      fake.failNext({ status: 503 });
      assert.equal(await statusOf(fake), 503);
      fake.failNext({ close: true });
      await assert.rejects(statusOf(fake));
      assert.equal(await statusOf(fake), 200);
    }),
};
