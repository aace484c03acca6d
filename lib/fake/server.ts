import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Call } from './call.ts';
import {
  type DirectAnswer,
  type DirectRequest,
  readAnswer,
  receivedHead,
  unwrittenAnswer,
} from './direct.ts';
import { createHttpServer, type Listening } from './http.ts';
import { issueToken } from './issue.ts';
import { readBody } from './payload.ts';
import type { RequestLog } from './requests.ts';
import { type Place, placeOf, routesOf } from './routes.ts';
import { answered, createService, type Serve } from './service.ts';
import type { State } from './state.ts';
import { parsePairs } from './urlencoded.ts';
import { wireAnswer, writeAnswer } from './wire.ts';

/** A listening fake. */
export interface ListeningFake extends Listening {
  /** A connection without a socket: the client's end of it. Throws once the fake is closed. */
  connect(): Duplex;
  /** Answers without HTTP in between; undefined where the connection would have been closed without an answer. */
  handle(request: DirectRequest): Promise<DirectAnswer | undefined>;
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
  const fixed = new Map<string, Serve>();
  let origin = '';
  let count = 0;

  /** What is left of the latency: what the fake itself takes is part of it, and what a timer is late, less than a millisecond as a rule. */
  const delaySince = (arrived: number): number =>
    Math.max(0, Math.floor(options.latency - (performance.now() - arrived)));

  const received = (request: Head): { call: Call; serve: Serve } => {
    const { method = '' } = request;
    const path = pathOf(request);
    const found = placeOf(routes, method, path);
    count += 1;
    return {
      call: callOf(request, found, state, { number: count, origin, closing: closing.signal }),
      serve: (found === undefined && fixed.get(`${method} ${path}`)) || service,
    };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const arrived = performance.now();
      const { payload, routing } = state.rules;
      request.url = routing.target(request.url ?? '/');
      const { call, serve } = received(request);
      const read = await readBody(request, payload.limit(call), payload.trustsDeclared(call));
      if (read === undefined) return;
      const body = payload.received(read, call);
      const given = await serve(call, body);
      const wire = wireAnswer(given, call, state.rules, delaySince(arrived));
      requests.add(call, body, wire.status);
      await writeAnswer(wire, request, response, call, payload.drained(call));
    } catch (error) {
      request.socket.destroy();
      // A rule that throws outside the service has no answer to stand in; whoever wrote it is told.
      if (!closing.signal.aborted) process.emitWarning(error instanceof Error ? error : String(error));
    }
  };

  const tokenPath = state.contract.tokenEndpoint?.path ?? '/oauth/token/';
  const issue: Serve = (call, body) => answered(call, state, () => issueToken(call, body, state));
  // Clients know it both with the final slash and without.
  const bare = tokenPath.replace(/\/$/, '');
  for (const path of [bare, `${bare}/`]) fixed.set(`POST ${path}`, issue);
  const jwks: Serve = (call) =>
    answered(call, state, async () => ({
      status: 200,
      headers: [],
      body: { keys: [state.signingKey.publicJwk] },
    }));
  fixed.set('GET /.well-known/jwks.json', jwks);

  const server = createHttpServer((request, response) => void answer(request, response));
  origin = await server.listen(options);
  const host = origin.slice('http://'.length);
  return {
    origin,
    connect() {
      if (closing.signal.aborted) throw new Error('the fake is closed');
      const [ours, theirs] = duplexPair();
      // A pair does not tell its other end of a destruction, as a socket does.
      ours.once('close', () => ours.writableFinished || theirs.push(null));
      theirs.once('close', () => ours.destroy());
      server.take(ours);
      return theirs;
    },
    async handle(request) {
      if (closing.signal.aborted) throw new Error('the fake is closed');
      const arrived = performance.now();
      const { payload, routing } = state.rules;
      const head = receivedHead({ ...request, target: routing.target(request.target) }, host);
      const { call, serve } = received(head);
      const bytes = request.body ?? new Uint8Array(0);
      const tooLarge = bytes.length > payload.limit(call);
      const body = payload.received({ bytes: tooLarge ? new Uint8Array(0) : bytes, tooLarge }, call);
      const given = await serve(call, body);
      if (request.unwritten) {
        requests.add(call, body, given.status);
        return unwrittenAnswer(given);
      }
      const wire = wireAnswer(given, call, state.rules, delaySince(arrived));
      requests.add(call, body, wire.status);
      if (wire.delay > 0) await wait(wire.delay, undefined, { signal: closing.signal });
      return wire.abort ? undefined : readAnswer(wire, head.method);
    },
    async close() {
      closing.abort();
      await server.close();
    },
  };
}

/** What `node:http` knows of a request before its body. */
type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method' | 'url'>;

function callOf(
  request: Head,
  place: Place | undefined,
  { clock, cloud, tenant }: State,
  { number, origin, closing }: { number: number; origin: string; closing: AbortSignal },
): Call {
  const { headers, rawHeaders, method = '', url = '/' } = request;
  const length = headers['content-length'];
  const at = url.indexOf('?');
  return {
    number,
    operation: place?.operation,
    method,
    target: url,
    origin,
    pathTexts: place?.texts ?? {},
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
