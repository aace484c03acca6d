import { type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import { DataSetError } from '../contract/data-set.ts';
import { isObject, parseJson } from '../contract/json.ts';
import { createHttpServer, type Listening } from './http.ts';
import { readBody } from './payload.ts';
import { type State, seed } from './state.ts';
import { dataSetOf } from './tenant.ts';

/** Bytes of a request body: a million experiments fit, and their JSON fits into one string. */
const bodyLimit = 500_000_000;

/** How deep objects and arrays of a request body may nest. */
const depthLimit = 100;

/** Largest time value of a `Date`, in milliseconds (ECMAScript, section 21.4.1.1). */
const latestTime = 8.64e15;

/** A request that is refused; the message is sent to the client. */
class ControlError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The requests of the protocol: what `supports` has to list, and the body of the response (undefined: none). */
const routes: Readonly<
  Record<string, { feature?: string; answer(state: State, request: IncomingMessage): unknown }>
> = {
  'GET /': { answer: ({ rules }) => ({ supports: rules.control.supports }) },
  'PUT /tenant': {
    feature: 'seed',
    async answer(state, request) {
      seed(state, await readJson(request));
    },
  },
  'GET /tenant': {
    feature: 'inspect',
    answer: ({ rules, tenant }) => rules.control.inspected(dataSetOf(tenant)),
  },
  'PUT /clock': {
    feature: 'clock',
    async answer({ clock }, request) {
      const body = await readJson(request);
      const offset = isObject(body) ? body.offset_seconds : undefined;
      if (typeof offset !== 'number' || !(Math.abs(Date.now() + offset * 1000) <= latestTime))
        throw new ControlError(400, 'offset_seconds must be a number that leads to a valid date');
      clock.move(offset);
    },
  },
  'GET /logs': {
    feature: 'logs',
    answer({ rules: { control }, log }, request) {
      const prefix = urlOf(request).searchParams.get('correlation_id_prefix') ?? '';
      return { logs: control.logged(control.logs(log), prefix) };
    },
  },
};

/**
 * Serves the control protocol on an address of its own. The protocol has no authentication: so that no web page can reach it
 * through a browser on this machine, requests with an `Origin` and requests for another host (DNS rebinding) are refused.
 */
export async function serveControl(
  state: State,
  options: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const answer = async (request: IncomingMessage): Promise<unknown> => {
    refuseBrowsers(request, options.host);
    const name = `${request.method} ${urlOf(request).pathname}`;
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    const { supports } = state.rules.control;
    if (route === undefined || (route.feature !== undefined && !supports.includes(route.feature)))
      throw new ControlError(404, 'the control protocol of this server has no such request');
    return route.answer(state, request);
  };
  const listener: RequestListener = async (request, response) => {
    const respond = (status: number, body: unknown): void => {
      const text = JSON.stringify(body);
      // The rest of a body that was not read is not waited for.
      if (!request.complete) response.setHeader('Connection', 'close');
      if (text !== undefined) response.setHeader('Content-Type', 'application/json; charset=utf-8');
      response.writeHead(status).end(text);
    };
    try {
      const body = await answer(request);
      respond(body === undefined ? 204 : 200, body);
    } catch (error) {
      const status = statusOf(error);
      // Only messages that were written for clients are sent: others could hold a path of this machine.
      const message = status < 500 && error instanceof Error ? error.message : 'the request failed';
      respond(status, { statusCode: status, error: STATUS_CODES[status], message });
    }
  };
  const server = createHttpServer((request, response) => void listener(request, response));
  return { origin: await server.listen(options), close: () => server.close() };
}

function statusOf(error: unknown): number {
  if (error instanceof ControlError) return error.status;
  return error instanceof DataSetError ? 400 : 500;
}

function refuseBrowsers({ headers, socket }: IncomingMessage, ownHost: string): void {
  if (headers.origin !== undefined)
    throw new ControlError(
      403,
      'the control protocol is not for browsers: a request must not have an Origin',
    );
  const { localAddress = '', localPort } = socket;
  const hosts = ['localhost', ownHost, localAddress.replace(/^::ffff:/, '')].map((host) =>
    `${host.includes(':') ? `[${host}]` : host}:${localPort}`.toLowerCase(),
  );
  if (!hosts.includes(headers.host?.toLowerCase() ?? ''))
    throw new ControlError(421, `Host must be the address of the control protocol: ${hosts.join(' or ')}`);
}

function urlOf({ url = '/' }: IncomingMessage): URL {
  const absolute = `http://control${url}`;
  if (!url.startsWith('/') || !URL.canParse(absolute))
    throw new ControlError(400, 'the target is not a path');
  return new URL(absolute);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, bodyLimit, true);
  if (body?.tooLarge) throw new ControlError(413, `the body has more than ${bodyLimit} bytes`);
  const value = parseJson(Buffer.from(body?.bytes ?? []).toString());
  if (value === undefined) throw new ControlError(400, 'the body is not JSON');
  if (isDeeper(value, depthLimit))
    throw new ControlError(400, `the body nests deeper than ${depthLimit} levels`);
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
