import { createServer } from 'node:http';
import { request } from 'undici';

/**
 * The least that a server on `node:http` can do: one fixed response to every request. Arguments: the URL and token of a
 * request whose response is copied. Sends its parent its port.
 */
const [, , url = '', token = ''] = process.argv;
const page = await request(url, { headers: { authorization: `Bearer ${token}` } });
const body = Buffer.from(await page.body.arrayBuffer());
const { date, connection, 'keep-alive': keepAlive, ...headers } = page.headers;

const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
