import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { essenceOf } from '../contract/media-types.ts';
import type { Body, Call, WireResponse } from './call.ts';
import type { Certificate } from './certificate.ts';
import { failureResponse, type PlannedFailures, takeFailure } from './failures.ts';
import { type Address, type Listening, listen } from './http.ts';
import { type InProcessRequest, type InProcessResponse, readResponse, receivedHead } from './in-process.ts';
import { readBody } from './payload.ts';
import { elapsed, wait } from './real-time.ts';
import type { RequestLog } from './requests.ts';
import { fixedEndpoints, routerOf } from './routes.ts';
import type { Service } from './service.ts';
import type { State } from './state.ts';
import { parsePairs } from './urlencoded.ts';
import { wireResponse, writeResponse } from './wire.ts';

/** A fake that listens. */
export interface ListeningFake extends Listening {
  /** The address without TLS: that of `origin`, or a different one with the option `tls`. */
  readonly plainAddress: Address;
  /** Opens a connection without TLS, for clients with a custom connect function. Throws once the fake is closed. */
  connect(): Socket;
  /**
   * Responds to one request without HTTP; undefined if the connection would have been closed without a response.
   * Rejects once the fake is closed.
   */
  handle(request: InProcessRequest): Promise<InProcessResponse | undefined>;
}

/** What `node:http` knows about a request before its body. */
type Head = Pick<IncomingMessage, 'headers' | 'method' | 'url'>;

/** Serves a fake over HTTP. `latency` is in milliseconds. */
export async function serveFake(
  state: State,
  serve: Service,
  requests: RequestLog,
  failures: PlannedFailures,
  options: Address & { readonly latency: number },
  certificate?: Certificate,
): Promise<ListeningFake> {
  let isClosed = false;
  // Not an AbortController: environments such as happy-dom replace Node's with their own.
  const closing = new EventEmitter().setMaxListeners(0);
  const placeOf = routerOf(state.contract);
  const fixed = fixedEndpoints(state.contract);
  let origin = '';
  let count = 0;

  const receive = ({ method = '', url = '/', headers }: Head): Call => {
    // Without scheme and authority (RFC 9112, section 3.2.2).
    const target = state.rules.routing.target(url).replace(/^https?:\/\/[^/?]*/i, '') || '/';
    const queryAt = target.indexOf('?');
    const path = queryAt < 0 ? target : target.slice(0, queryAt);
    // HEAD is answered like GET, without the body (RFC 9110, section 9.3.2).
    const routed = method === 'HEAD' ? 'GET' : method;
    const place = placeOf(routed, path);
    const length = headers['content-length'];
    const { clock, cloud, tenant } = state;
    count += 1;
    return {
      number: count,
      operation: place?.operation,
      endpoint: place?.operation.id ?? fixed.get(`${routed} ${path}`),
      method,
      target,
      origin,
      pathTexts: place?.texts ?? {},
      query: queryAt < 0 ? [] : parsePairs(target.slice(queryAt + 1)),
      headers,
      mediaType: headers['content-type'] && essenceOf(headers['content-type']),
      chunked: headers['transfer-encoding'] !== undefined,
      contentLength: length === undefined ? undefined : Number(length),
      cloud,
      now: clock.now(),
      clockOffset: clock.offsetSeconds,
      seeds: tenant.seeds,
    };
  };

  /** The latency includes the fake's own time and the delay of timers, usually less than a millisecond. */
  const respond = async (call: Call, read: Body, arrived: number): Promise<WireResponse> => {
    const { rules } = state;
    const body = rules.payload.received(read, call);
    const failure = takeFailure(failures, call);
    const failed = failure && failureResponse(failure, call, rules);
    const served = failed && failure.before !== false ? failed : await serve(call, body, state);
    const response = failed ?? served;
    const latency = Math.max(0, Math.floor(options.latency - (elapsed() - arrived)));
    const wire = wireResponse(response, call, rules, latency + (failure?.delayMs ?? 0));
    requests.add(call, body, wire, response.body);
    return failure?.close ? { ...wire, abort: true } : wire;
  };

  const serveHttp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const arrived = elapsed();
      const call = receive(request);
      const { payload } = state.rules;
      const read = await readBody(request, payload.limit(call), payload.trustsDeclared(call));
      if (read === undefined) return;
      const wire = await respond(call, read, arrived);
      await writeResponse(wire, request, response, call, payload.drained(call));
    } catch (error) {
      request.socket.destroy();
      // If a rule throws outside the service, there is no response; a warning tells its author.
      if (!isClosed) process.emitWarning(error instanceof Error ? error : String(error));
    }
  };

  const listener = (request: IncomingMessage, response: ServerResponse) => void serveHttp(request, response);
  const server = await listen(listener, options, certificate);
  const plain = certificate ? await listen(listener, { host: '127.0.0.1', port: 0 }) : server;
  origin = server.origin;
  const { hostname, port } = new URL(plain.origin);
  const plainAddress = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  const mustBeOpen = (): void => {
    if (isClosed) throw new Error('the fake is closed');
  };
  return {
    origin,
    plainAddress,
    connect() {
      mustBeOpen();
      return connect(plainAddress);
    },
    async handle(request) {
      mustBeOpen();
      const arrived = elapsed();
      const call = receive(receivedHead(request, new URL(origin).host));
      const bytes = request.body ?? new Uint8Array(0);
      const tooLarge = bytes.length > state.rules.payload.limit(call);
      const wire = await respond(call, { bytes: tooLarge ? new Uint8Array(0) : bytes, tooLarge }, arrived);
      if (wire.delay > 0) await wait(wire.delay, closing);
      mustBeOpen();
      return wire.abort ? undefined : readResponse(wire, call.method);
    },
    async close() {
      isClosed = true;
      closing.emit('close');
      await Promise.all([server.close(), plain.close()]);
    },
  };
}
