import { createServer } from 'node:http';
import { request } from 'undici';
import { startFake } from '../lib/fake/index.ts';

/**
 * A server in a process of its own: the fake or, with the URL and token of a request whose response it copies, the least that a server
 * on `node:http` can do. Sends its parent a URL and a token to measure it with.
 */
const [, , copied, token = ''] = process.argv;
if (copied === undefined) {
  const fake = await startFake();
  process.send?.([`${fake.url}/experimentation/experiments?take=25`, await fake.token()]);
} else {
  const page = await request(copied, { headers: { authorization: `Bearer ${token}` } });
  const body = Buffer.from(await page.body.arrayBuffer());
  const { date, connection, 'keep-alive': keepAlive, ...headers } = page.headers;
  const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    process.send?.([`http://127.0.0.1:${port}/`, token]);
  });
}

// Each message is answered with the CPU seconds that this process has used so far.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1_000_000);
});
