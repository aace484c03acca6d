import { type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import { DataSetError } from '../contract/data-set.ts';
import { isObject, parseJson } from '../contract/json.ts';
import { RefusedError, refuse } from './call.ts';
import { isOffset } from './clock.ts';
import { type Address, type Listening, listen } from './http.ts';
import { readBody } from './payload.ts';
import { type State, seed } from './state.ts';
import { dataSetOf } from './tenant.ts';

/** Maximum bytes of a request body: enough for a million experiments, and little enough for one string. */
const bodyLimit = 500_000_000;

/** The requests of the protocol: the feature that `supports` must list, and the response body (undefined: none). */
const routes: Readonly<
  Record<string, { feature?: string; answer(state: State, request: IncomingMessage): unknown }>
> = {
  'GET /': { answer: ({ rules }) => ({ supports: rules.control.supports }) },
  'PUT /tenant': {
    feature: 'seed',
    answer: async (state, request) => seed(state, await readJson(request)),
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
      if (!isOffset(offset))
        return refuse(400, 'clock', 'offset_seconds must be a number that leads to a valid date');
      clock.move(offset);
    },
  },
  'GET /logs': {
    feature: 'logs',
    answer({ rules: { control }, log }, request) {
      const prefix = urlOf(request).searchParams.get('correlation_id_prefix') ?? '';
      return { logs: control.logged(log, prefix) };
    },
  },
};

/**
 * Serves the control protocol on its own address. The protocol has no authentication. Requests with an `Origin` and requests
 * for another host (DNS rebinding) are refused, so that no web page can reach it through a browser on this machine.
 */
export function serveControl(state: State, options: Address): Promise<Listening> {
  const answer = async (request: IncomingMessage): Promise<unknown> => {
    refuseBrowsers(request, options.host);
    const name = `${request.method} ${urlOf(request).pathname}`;
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    const { supports } = state.rules.control;
    if (route === undefined || (route.feature !== undefined && !supports.includes(route.feature)))
      return refuse(404, 'route', 'the control protocol of this server has no such request');
    return route.answer(state, request);
  };
  const listener: RequestListener = async (request, response) => {
    const [status, body] = await answer(request).then(
      (body) => [body === undefined ? 204 : 200, body] as const,
      failed,
    );
    const text = JSON.stringify(body);
    // Do not wait for the rest of a body that was not read.
    if (!request.complete) response.setHeader('Connection', 'close');
    if (text !== undefined) response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.writeHead(status).end(text);
  };
  return listen((request, response) => void listener(request, response), options);
}

/** Sends only messages written for clients; others could contain a path of this machine. */
function failed(error: unknown): readonly [status: number, body: unknown] {
  const isMeant = error instanceof RefusedError || error instanceof DataSetError;
  const status = error instanceof RefusedError ? error.refusal.status : isMeant ? 400 : 500;
  const message = isMeant ? error.message : 'the request failed';
  return [status, { statusCode: status, error: STATUS_CODES[status], message }];
}

function refuseBrowsers({ headers, socket }: IncomingMessage, ownHost: string): void {
  if (headers.origin !== undefined)
    refuse(403, 'origin', 'the control protocol is not for browsers: a request must not have an Origin');
  const { localAddress = '', localPort } = socket;
  const hosts = ['localhost', ownHost, localAddress.replace(/^::ffff:/, '')].map((host) =>
    `${host.includes(':') ? `[${host}]` : host}:${localPort}`.toLowerCase(),
  );
  if (!hosts.includes(headers.host?.toLowerCase() ?? ''))
    refuse(421, 'host', `Host must be the address of the control protocol: ${hosts.join(' or ')}`);
}

function urlOf({ url = '/' }: IncomingMessage): URL {
  const absolute = `http://control${url}`;
  if (!url.startsWith('/') || !URL.canParse(absolute)) refuse(400, 'target', 'the target is not a path');
  return new URL(absolute);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, bodyLimit, true);
  if (body?.tooLarge) refuse(413, 'body', `the body has more than ${bodyLimit} bytes`);
  const value = parseJson(Buffer.from(body?.bytes ?? []).toString());
  return value === undefined ? refuse(400, 'body', 'the body is not JSON') : value;
}
