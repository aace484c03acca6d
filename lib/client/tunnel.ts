import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { proxyAuthorization } from './proxy.ts';

/** A tunnel through the proxy to `host:port` (CONNECT, RFC 9110 section 9.3.6). Rejects with code `PROXY_REFUSED`. */
export function openTunnel(proxy: URL, authority: string, timeout: number, ca?: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const client = proxy.protocol === 'https:' ? https : http;
    const [name, value] = proxyAuthorization(proxy);
    const request = client.request({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      agent: false,
      timeout,
      headers: { host: authority, ...(name && value ? { [name]: value } : {}) },
      ...(ca === undefined ? {} : { ca }),
    });
    const refuse = (status: number | undefined) =>
      reject(Object.assign(new Error(`the proxy answered ${status} to CONNECT`), { code: 'PROXY_REFUSED' }));
    request.once('connect', (response, socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      refuse(response.statusCode);
    });
    request.once('response', (response) => {
      response.destroy();
      refuse(response.statusCode);
    });
    request.once('timeout', () => request.destroy(Object.assign(new Error('proxy'), { code: 'ETIMEDOUT' })));
    request.once('error', reject);
    request.end();
  });
}
