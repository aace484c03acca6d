import type { IncomingMessage, RequestListener } from 'node:http';

/** What a conformance run may do to a service, and cannot do through its own interface. */
export interface ControlledService {
  /** The data set that the tenant contains now. */
  read(): Promise<unknown>;
  /** Stores exactly this data set, with empty logs and no checkpoint. Throws for one that it cannot store. */
  replace(data: unknown): Promise<void>;
  /** Puts the service's clock this far from the real one. */
  setClock(offsetSeconds: number): Promise<void>;
  /** The log since the last `replace`, oldest entry first. */
  logs(): Promise<readonly { references: { correlation_id?: string } }[]>;
}

/** Serves the control protocol. For tests only: it has no authentication, so it needs a port of its own. */
export function controlListener(service: ControlledService): RequestListener {
  async function answer(request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
    const url = new URL(request.url ?? '/', 'http://control');
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /':
        return { status: 200, body: { supports: ['seed', 'inspect', 'clock', 'logs'] } };
      case 'GET /tenant':
        return { status: 200, body: await service.read() };
      case 'PUT /tenant':
        await service.replace(await readJson(request));
        return { status: 204 };
      case 'PUT /clock':
        await service.setClock(offsetOf(await readJson(request)));
        return { status: 204 };
      case 'GET /logs': {
        const prefix = url.searchParams.get('correlation_id_prefix') ?? '';
        const isAsked = (id = '') => id.startsWith(prefix);
        const logs = await service.logs();
        return {
          status: 200,
          body: { logs: logs.filter((entry) => isAsked(entry.references.correlation_id)) },
        };
      }
      default:
        return { status: 404, body: { message: 'The control protocol has no such request.' } };
    }
  }

  return (request, response) => {
    answer(request)
      .catch((error: unknown) => ({ status: 400, body: { message: String(error) } }))
      .then(({ status, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(body));
      });
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function offsetOf(body: unknown): number {
  if (typeof body === 'object' && body !== null && 'offset_seconds' in body) {
    if (typeof body.offset_seconds === 'number') return body.offset_seconds;
  }
  throw new TypeError('offset_seconds must be a number');
}
