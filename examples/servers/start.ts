import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { controlListener } from '../plain-server/control.ts';
import { isDataSet } from '../plain-server/model.ts';
import { type ServiceOptions, type Tenant, TenantService } from './service.ts';

/** How the servers in this folder are started: the service on one port, the control protocol on another. */

export interface StartOptions extends ServiceOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  readonly controlPort?: number;
}

export interface StartedServer {
  /** The base address, with /api/v2. */
  readonly url: string;
  readonly controlUrl: string;
  close(): Promise<void>;
}

/** Serves one service with a listener made by a framework, and its control protocol. */
export async function start(
  listenerOf: (service: TenantService) => RequestListener | Promise<RequestListener>,
  options: StartOptions = {},
): Promise<StartedServer> {
  const service = await TenantService.create(options);
  const server = createServer(await listenerOf(service));
  const control = createServer(
    controlListener({
      read: async () => service.tenant,
      async replace(data) {
        if (!isTenant(data)) throw new TypeError('this is not a data set');
        service.seed(data);
      },
      async setClock(offsetSeconds) {
        service.clockOffsetSeconds = offsetSeconds;
      },
      logs: async () => service.logs,
    }),
  );
  const [url, controlUrl] = await Promise.all([
    listen(server, options.port ?? 0),
    listen(control, options.controlPort ?? 0),
  ]);
  return {
    url: `${url}/api/v2`,
    controlUrl,
    async close() {
      for (const each of [server, control]) {
        each.closeAllConnections();
        await new Promise((resolve) => each.close(resolve));
      }
    },
  };
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${isAddress(address) ? address.port : port}`);
    });
  });
}

const isAddress = (value: ReturnType<Server['address']>): value is AddressInfo =>
  typeof value === 'object' && value !== null;

const isTenant = (value: unknown): value is Tenant => isDataSet(value);

/** `tsx express.ts --port 3000 --control-port 3001 --trusted-jwks jwks.json --client-id me --client-secret …` */
export async function main(
  listenerOf: (service: TenantService) => RequestListener | Promise<RequestListener>,
): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3000' },
      'control-port': { type: 'string', default: '3001' },
      'trusted-jwks': { type: 'string' },
      'client-id': { type: 'string' },
      'client-secret': { type: 'string' },
    },
  });
  const [jwks, id, secret] = [values['trusted-jwks'], values['client-id'], values['client-secret']];
  const { url, controlUrl } = await start(listenerOf, {
    port: Number(values.port),
    controlPort: Number(values['control-port']),
    ...(jwks !== undefined && { trusted: JSON.parse(readFileSync(jwks, 'utf8')) }),
    ...(id !== undefined && secret !== undefined && { client: { id, secret } }),
  });
  process.stdout.write(`base URL ${url}\ncontrol  ${controlUrl}\n`);
}
