import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Body, Call, WireResponse } from './call.ts';
import { type Failures, failureResponse } from './failures.ts';
import { createHttpServer, type Listening } from './http.ts';
import { type InProcessRequest, type InProcessResponse, readResponse, receivedHead } from './in-process.ts';
import { issueToken } from './issue.ts';
import { readBody } from './payload.ts';
import { elapsed, wait } from './real-time.ts';
import type { RequestLog } from './requests.ts';
import { placeOf, routesOf } from './routes.ts';
import { answered, createService, type Serve } from './service.ts';
import type { State } from './state.ts';
import { parsePairs } from './urlencoded.ts';
import { wireResponse, writeResponse } from './wire.ts';

/** A listening fake. */
export interface ListeningFake extends Listening {
  /** A new connection to it. Throws once the fake is closed. */
  connect(): Socket;
  /** Answers without HTTP in between; undefined where the connection would have been closed without a response. */
  handle(request: InProcessRequest): Promise<InProcessResponse | undefined>;
}

/** A request whose body has not been read yet. */
interface Received {
  readonly call: Call;
  readonly serve: Serve;
}

/** What `node:http` knows of a request before its body. */
type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method' | 'url'>;

/** Serves a fake over HTTP. `latency` is in milliseconds. */
export async function serveFake(
  state: State,
  requests: RequestLog,
  failures: Failures,
  options: { host: string; port: number; latency: number },
): Promise<ListeningFake> {
  const closing = new AbortController();
  // Every request that waits listens for the end.
  setMaxListeners(0, closing.signal);
  const service = createService(state);
  const routes = routesOf(state.contract);
  const fixed = fixedEndpoints(state);
  let origin = '';
  let count = 0;

  const receive = ({ method = '', url = '/', headers, rawHeaders }: Head): Received => {
    const target = originForm(state.rules.routing.target(url));
    const [path = '', query] = splitTarget(target);
    // HEAD is answered like GET, without the body (RFC 9110, section 9.3.2).
    const routed = method === 'HEAD' ? 'GET' : method;
    const place = placeOf(routes, routed, path);
    const endpoint = place === undefined ? fixed.get(`${routed} ${path}`) : undefined;
    const length = headers['content-length'];
    const { clock, cloud, tenant } = state;
    count += 1;
    const call: Call = {
      number: count,
      operation: place?.operation,
      endpoint: place?.operation.id ?? endpoint?.name,
      method,
      target,
      origin,
      pathTexts: place?.texts ?? {},
      query: query === undefined ? [] : parsePairs(query),
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
      closing: closing.signal,
    };
    return { call, serve: endpoint?.serve ?? service };
  };

  /** What the fake itself takes is part of the latency, and so is what a timer is late: less than a millisecond as a rule. */
  const respond = async ({ call, serve }: Received, read: Body, arrived: number): Promise<WireResponse> => {
    const { rules } = state;
    const body = rules.payload.received(read, call);
    const failure = failures.next(call);
    const failed = failure && failureResponse(failure, call, rules.answers);
    const response = failed && failure.before !== false ? failed : await serve(call, body);
    const latency = Math.max(0, Math.floor(options.latency - (elapsed() - arrived)));
    const wire = wireResponse(failed ?? response, call, rules, latency + (failure?.delayMs ?? 0));
    const sent = failure?.close ? { ...wire, abort: true } : wire;
    requests.add(call, body, sent, (failed ?? response).body);
    return sent;
  };

  const serveHttp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const arrived = elapsed();
      const received = receive(request);
      const { payload } = state.rules;
      const { call } = received;
      const read = await readBody(request, payload.limit(call), payload.trustsDeclared(call));
      if (read === undefined) return;
      const wire = await respond(received, read, arrived);
      await writeResponse(wire, request, response, call, payload.drained(call));
    } catch (error) {
      request.socket.destroy();
      // A rule that throws outside the service has no response to stand in; whoever wrote it is told.
      if (!closing.signal.aborted) process.emitWarning(error instanceof Error ? error : String(error));
    }
  };

  const server = createHttpServer((request, response) => void serveHttp(request, response));
  origin = await server.listen(options);
  const { hostname, port, host } = new URL(origin);
  const mustBeOpen = (): void => {
    if (closing.signal.aborted) throw new Error('the fake is closed');
  };
  return {
    origin,
    connect() {
      mustBeOpen();
      return connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    },
    async handle(request) {
      mustBeOpen();
      const arrived = elapsed();
      const head = receivedHead(request, host);
      const received = receive(head);
      const bytes = request.body ?? new Uint8Array(0);
      const tooLarge = bytes.length > state.rules.payload.limit(received.call);
      const read = { bytes: tooLarge ? new Uint8Array(0) : bytes, tooLarge };
      const wire = await respond(received, read, arrived);
      if (wire.delay > 0) await wait(wire.delay, closing.signal);
      mustBeOpen();
      return wire.abort ? undefined : readResponse(wire, head.method);
    },
    async close() {
      closing.abort();
      await server.close();
    },
  };
}

/** The endpoints beside the contract's operations, by method and path. */
function fixedEndpoints(state: State): ReadonlyMap<string, { readonly name: string; readonly serve: Serve }> {
  const issue: Serve = (call, body) => answered(call, state, () => issueToken(call, body, state));
  const jwks: Serve = (call) =>
    answered(call, state, async () => ({
      status: 200,
      headers: [],
      body: { keys: [state.signingKey.publicJwk] },
    }));
  const token = { name: 'token', serve: issue };
  // Clients know it both with the final slash and without.
  const tokenPath = (state.contract.tokenEndpoint?.path ?? '/oauth/token/').replace(/\/$/, '');
  return new Map([
    [`POST ${tokenPath}`, token],
    [`POST ${tokenPath}/`, token],
    ['GET /.well-known/jwks.json', { name: 'jwks', serve: jwks }],
  ]);
}

/** The request target without scheme and authority (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}

/** Path and query of a request target; the query is undefined without a question mark. */
function splitTarget(target: string): [path: string, query?: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at + 1)];
}
