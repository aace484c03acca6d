import { afterEach, expect, test } from 'vitest';
import { answer, listen, type SocketServer } from '../../test/socket-server.ts';
import { Driver, type DriverOptions } from './driver.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function drive(server: SocketServer, options: Partial<DriverOptions> = {}): Driver {
  const driver = new Driver({ baseUrl: server.url, timeout: 5000, ...options });
  open.push(server, driver);
  return driver;
}

const request = { operation: undefined, method: 'GET', target: '/a' } as const;

test('an aborted signal ends what is under way and what waits, refuses the rest, and leaves other requests alone', async () => {
  let received = 0;
  const server = await listen((socket, head) => {
    received++;
    if (head.includes('/other')) setTimeout(() => socket.write(answer(200, 'other')), 50);
  });
  const driver = drive(server, { concurrency: 3 });
  const controller = new AbortController();
  const send = () => driver.send(request, { signal: controller.signal, owner: controller });
  const sendings = Array.from({ length: 2 }, send);
  const remains = driver.send({ ...request, target: '/other' });
  sendings.push(...Array.from({ length: 20 }, send));
  while (received < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  for (const sending of sendings) expect((await sending).failure?.kind).toBe('aborted');
  await expect(send()).rejects.toThrow('aborted');
  expect((await remains).response?.text).toBe('other');
  expect(received).toBe(3);
});

test('an abort ends the waiting for a 429 and for the rate', async () => {
  const server = await listen((socket) => socket.write(answer(429, '', ['Retry-After: 3'])));
  const driver = drive(server, { rate: 1000 });
  const controller = new AbortController();
  const sending = driver.send(request, { signal: controller.signal });
  while (driver.requests === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 50));
  controller.abort();
  expect((await sending).failure?.kind).toBe('aborted');
  expect(driver.requests).toBe(1);
});
