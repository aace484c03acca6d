import { afterEach, expect, test } from 'vitest';
import { answer, listen, type SocketServer } from '../../test/socket-server.ts';
import { Driver, type DriverOptions } from './driver.ts';
import { RequestGroup } from './request-group.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function drive(server: SocketServer, options: Partial<DriverOptions> = {}): Driver {
  const driver = new Driver({ baseUrl: server.url, timeout: 5000, ...options });
  open.push(server, driver);
  return driver;
}

function groupOf(driver: Driver): RequestGroup {
  return new RequestGroup((request, options) => driver.send(request, options));
}

const request = { operation: undefined, method: 'GET', target: '/a' } as const;

test('an aborted group ends what is under way and what waits, refuses the rest, and leaves other groups alone', async () => {
  let received = 0;
  const server = await listen((socket, head) => {
    received++;
    if (head.includes('/other')) setTimeout(() => socket.write(answer(200, 'other')), 50);
  });
  const driver = drive(server, { concurrency: 3 });
  const [group, other] = [groupOf(driver), groupOf(driver)];
  const sendings = Array.from({ length: 2 }, () => group.send(request));
  const remains = other.send({ ...request, target: '/other' });
  sendings.push(...Array.from({ length: 20 }, () => group.send(request)));
  while (received < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(group.underWay).toBe(22);
  group.abort();
  await group.settled();
  expect(group.underWay).toBe(0);
  for (const sending of sendings) expect((await sending).failure?.kind).toBe('aborted');
  await expect(group.send(request)).rejects.toThrow('aborted');
  expect((await remains).response?.text).toBe('other');
  await other.settled();
  expect(received).toBe(3);
});

test('an abort ends the waiting for a 429 and for the rate', async () => {
  const server = await listen((socket) => socket.write(answer(429, '', ['Retry-After: 3'])));
  const driver = drive(server, { rate: 1000 });
  const group = groupOf(driver);
  const sending = group.send(request);
  while (driver.requests === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 50));
  group.abort();
  expect((await sending).failure?.kind).toBe('aborted');
  expect(driver.requests).toBe(1);
});

test('a group is settled when the requests sent meanwhile have ended, too', async () => {
  const server = await listen((socket) => setTimeout(() => socket.write(answer(200, '')), 10));
  const group = groupOf(drive(server));
  let done = 0;
  const chain = async () => {
    for (let index = 0; index < 3; index++) {
      await group.send(request);
      done++;
    }
  };
  void chain();
  await group.settled();
  expect(done).toBe(3);
});
