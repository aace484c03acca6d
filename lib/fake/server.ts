import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createApp, listen } from './app.ts';
import type { Call } from './call.ts';
import { type DirectAnswer, type DirectRequest, readAnswer, receivedHead } from './direct.ts';
import { issueToken } from './issue.ts';
import { readBody } from './payload.ts';
import type { RequestLog } from './requests.ts';
import { type Route, routesOf } from './routes.ts';
import { answered, createService, type Serve } from './service.ts';
import type { State } from './state.ts';
import { parsePairs } from './urlencoded.ts';
import { wireAnswer, writeAnswer } from './wire.ts';

/** Room for a token that carries every scope, and for long headers beside it. */
const maxHeaderSize = 64 * 1024;

/** A listening server. */
export interface Listening {
  /** `http://host:port`. */
  readonly origin: string;
  /** Ends every connection, idle or not. */
  close(): Promise<void>;
}

/** A listening fake. */
export interface ListeningFake extends Listening {
  /** A connection without a socket: the client's end of it. Throws once the fake is closed. */
  connect(): Duplex;
  /** Answers without HTTP in between; undefined where the connection would have been closed without an answer. */
  handle(request: DirectRequest): Promise<DirectAnswer | undefined>;
}

/** Where a request leads, and what the path says. */
interface Destination {
  readonly serve: Serve;
  readonly route: Route | undefined;
}

/** Serves a fake over HTTP. `latency` is in milliseconds. */
export async function serveFake(
  state: State,
  requests: RequestLog,
  options: { host: string; port: number; latency: number },
): Promise<ListeningFake> {
  const closing = new AbortController();
  // Every request that waits listens for the end.
  setMaxListeners(0, closing.signal);
  const service = createService(state);
  const routes = routesOf(state.contract);
  const destinations = new Map<string, Destination>();
  const nowhere: Destination = { serve: service, route: undefined };
  let origin = '';
  let count = 0;

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    { serve, route }: Destination,
  ): Promise<void> => {
    count += 1;
    const call = callOf(request, route, state, { number: count, origin, closing: closing.signal });
    const { payload } = state.rules;
    try {
      const read = await readBody(request, payload.limit(call), payload.trustsDeclared(call));
      if (read === undefined) return;
      const body = payload.received(read, call);
      const given = await serve(call, body);
      const wire = wireAnswer(given, call, state.rules, options.latency);
      requests.add(call, body, wire.status);
      await writeAnswer(wire, request, response, call, payload.drained(call));
    } catch (error) {
      request.socket.destroy();
      // A rule that throws outside the service has no answer to stand in; whoever wrote it is told.
      if (!closing.signal.aborted) process.emitWarning(error instanceof Error ? error : String(error));
    }
  };

  const app = createApp({
    exposeHeadRoutes: false,
    http: { maxHeaderSize },
    // A path's own length is bounded by the header size; a long parameter is the schema's to refuse, not the router's.
    routerOptions: { maxParamLength: maxHeaderSize },
    rewriteUrl: ({ url = '/' }) => state.rules.routing.target(url),
    // The router can't decode this path; which operation it belongs to shows all the same.
    frameworkErrors(_error, request, reply) {
      reply.hijack();
      const route = routes.find(
        (each) => each.operation.method === request.raw.method && each.texts(pathOf(request.raw)),
      );
      void answer(request.raw, reply.raw, { serve: service, route });
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    // The body's limit, the answer's form and the connection's end are all the rules' to say.
    reply.hijack();
    const name = `${request.method} ${request.routeOptions.url}`;
    const found = destinations.get(name) ?? nowhere;
    // The router takes `%2D` for `-` in the fixed parts of a path too; no operation stands there.
    const stands = found.route === undefined || found.route.texts(pathOf(request.raw)) !== undefined;
    await answer(request.raw, reply.raw, stands ? found : nowhere);
  });
  const add = (method: string, url: string, destination: Destination): void => {
    destinations.set(`${method} ${url}`, destination);
    app.route({ method, url, handler: () => {} });
  };
  for (const route of routes) add(route.operation.method, route.url, { serve: service, route });
  const tokenPath = state.contract.tokenEndpoint?.path ?? '/oauth/token/';
  const issue: Serve = (call, body) => answered(call, state, () => issueToken(call, body, state));
  // Clients know it both with the final slash and without.
  const bare = tokenPath.replace(/\/$/, '');
  for (const path of [bare, `${bare}/`]) add('POST', path, { serve: issue, route: undefined });
  const jwks: Serve = (call) =>
    answered(call, state, async () => ({
      status: 200,
      headers: [],
      body: { keys: [state.signingKey.publicJwk] },
    }));
  add('GET', '/.well-known/jwks.json', { serve: jwks, route: undefined });

  origin = await listen(app, options);
  const { host } = new URL(origin);
  return {
    origin,
    connect() {
      if (closing.signal.aborted) throw new Error('the fake is closed');
      const [ours, theirs] = duplexPair();
      // A pair does not tell its other end of a destruction, as a socket does.
      ours.once('close', () => ours.writableFinished || theirs.push(null));
      theirs.once('close', () => ours.destroy());
      // Node's own way to serve whatever is a stream.
      app.server.emit('connection', ours);
      return theirs;
    },
    async handle(request) {
      const { payload, routing } = state.rules;
      const head = receivedHead({ ...request, target: routing.target(request.target) }, host);
      const path = pathOf(head);
      const route = routes.find((each) => each.operation.method === head.method && each.texts(path));
      const fixed = destinations.get(`${head.method} ${path}`);
      const { serve } = (route === undefined ? fixed : undefined) ?? { serve: service };
      count += 1;
      const call = callOf(head, route, state, { number: count, origin, closing: closing.signal });
      const bytes = request.body ?? new Uint8Array(0);
      const tooLarge = bytes.length > payload.limit(call);
      const body = payload.received({ bytes: tooLarge ? new Uint8Array(0) : bytes, tooLarge }, call);
      const wire = wireAnswer(await serve(call, body), call, state.rules, options.latency);
      requests.add(call, body, wire.status);
      if (wire.delay > 0) await wait(wire.delay, undefined, { signal: closing.signal });
      return wire.abort ? undefined : readAnswer(wire, head.method);
    },
    async close() {
      closing.abort();
      await app.close();
    },
  };
}

/** What `node:http` knows of a request before its body. */
type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method' | 'url'>;

function callOf(
  request: Head,
  route: Route | undefined,
  { clock, cloud, tenant }: State,
  { number, origin, closing }: { number: number; origin: string; closing: AbortSignal },
): Call {
  const { headers, rawHeaders, method = '', url = '/' } = request;
  const length = headers['content-length'];
  const at = url.indexOf('?');
  return {
    number,
    operation: route?.operation,
    method,
    target: url,
    origin,
    pathTexts: route?.texts(pathOf(request)) ?? {},
    query: at < 0 ? [] : parsePairs(url.slice(at + 1)),
    headers,
    rawHeaders,
    mediaType: headers['content-type']?.split(';')[0]?.trim().toLowerCase(),
    chunked: headers['transfer-encoding'] !== undefined,
    contentLength: length === undefined ? undefined : Number(length),
    cloud,
    now: clock.now(),
    clockOffset: clock.offsetSeconds,
    clockMoves: clock.moves,
    seeds: tenant.seeds,
    closing,
  };
}

function pathOf({ url = '/' }: Pick<Head, 'url'>): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}
