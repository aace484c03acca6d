import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { present } from '../contract/json.ts';
import { type Environment, proxyAuthorization, proxyFor } from './proxy.ts';
import { transmit } from './transmit.ts';
import type { WireLimits, WireRequest, WireResult } from './wire.ts';

/** How connections are made. */
export interface NetworkOptions {
  /** Milliseconds until a connection is established. */
  readonly timeout: number;
  /** Trusted certificates in PEM, in place of the system's. */
  readonly ca?: string;
  /** True accepts any certificate. */
  readonly insecure?: boolean;
  /** The client's certificate and key in PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** True uses HTTP/2 if the server offers it (ALPN). */
  readonly http2?: boolean;
  /** Connections per origin. */
  readonly connections: number;
  /** The environment that names proxies. Default: `process.env`. */
  readonly environment?: Environment;
}

/** Bytes of the header section of a response. */
const maximumHeaderBytes = 32 * 1024;

/** Sends requests over kept-alive connections, one request at a time on each, through the proxies of the environment. */
export class Network {
  readonly #options: NetworkOptions;
  readonly #dispatchers = new Map<string, Dispatcher>();
  /** Origins that have sent a response: a connection to them may be a kept-alive one. */
  readonly #known = new Set<string>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /**
   * Sends a request. A server may close an idle connection at any time (RFC 9112, section 9.5), even while a request is
   * on its way; and what it answers before it has read a whole body may be lost with the connection. The request is then sent
   * again on a new connection, at most twice, and more slowly.
   * @param ready called each time before the request is sent
   * @throws TypeError for a request that HTTP can't carry
   */
  async send(request: WireRequest, limits: WireLimits, ready: () => Promise<void>): Promise<WireResult> {
    const proxy = proxyFor(request.origin, this.#options.environment ?? process.env);
    const { signal } = limits;
    const wasKnown = this.#known.has(request.origin);
    await ready();
    let result = await transmit(this.#dispatcher(proxy, true, request), request, limits);
    for (let again = 0; again < 2 && result.failure && result.stale && wasKnown && !signal.aborted; again++) {
      await ready();
      // A response that comes before the body has ended is read even if the server then closes the connection.
      const slower = { ...request, pauseMs: 20 * (again + 1) };
      result = { ...(await transmit(this.#dispatcher(proxy, false, request), slower, limits)), resent: true };
    }
    if (result.response !== undefined) this.#known.add(request.origin);
    const { failure } = result;
    if (proxy === undefined || failure === undefined || !/^(refused|timeout)$/.test(failure.kind))
      return result;
    return { failure: { ...failure, message: `proxy ${proxy.host}: ${failure.message}` } };
  }

  /** Closes all sockets; requests under way end with a failure. */
  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }

  #dispatcher(proxy: URL | undefined, keepAlive: boolean, { method, body }: WireRequest): Dispatcher {
    // Over HTTP/2, undici cannot send a body with another method, and then never sends the next request of the connection.
    const http2 = this.#options.http2 && (body === undefined || ['PUT', 'POST', 'PATCH'].includes(method));
    const key = `${proxy?.href} ${keepAlive} ${http2}`;
    const dispatcher =
      this.#dispatchers.get(key) ?? createDispatcher(present({ ...this.#options, http2 }), proxy, keepAlive);
    this.#dispatchers.set(key, dispatcher);
    return dispatcher;
  }
}

function createDispatcher(
  { timeout, connections, ca, insecure, cert, key, http2 = false }: NetworkOptions,
  proxy: URL | undefined,
  keepAlive: boolean,
): Dispatcher {
  const trust = present({ timeout, autoSelectFamily: true, ca });
  const tls = present({ ...trust, allowH2: http2, rejectUnauthorized: insecure !== true, cert, key });
  const options = {
    pipelining: 1,
    connections,
    // An idle connection is closed after this many milliseconds.
    ...(!keepAlive && { keepAliveTimeout: 1, keepAliveMaxTimeout: 1 }),
    // The whole exchange has one timeout, in transmit.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maximumHeaderBytes,
    allowH2: http2,
  };
  if (proxy === undefined) return new Agent({ ...options, connect: skippingContinue(buildConnector(tls)) });
  const token = proxyAuthorization(proxy);
  return new ProxyAgent({
    ...options,
    uri: proxy.href,
    ...(token !== undefined && { token }),
    requestTls: tls,
    proxyTls: trust,
    // Plain http goes to the proxy in absolute form (RFC 9112, section 3.2.2), https through a tunnel.
    proxyTunnel: false,
  });
}

/**
 * A connector whose sockets skip an unsolicited `100 Continue` before a response (RFC 9110, section 15.2), for which
 * undici would close the connection.
 */
function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const read = socket.read.bind(socket);
      socket.read = (size?: number) => {
        let chunk: unknown = read(size);
        while (Buffer.isBuffer(chunk) && /^HTTP\/1\.1 100\b/.test(chunk.toString('latin1', 0, 13))) {
          const end = chunk.indexOf('\r\n\r\n');
          if (end < 0) break;
          chunk = end + 4 < chunk.length ? chunk.subarray(end + 4) : read(size);
        }
        return chunk;
      };
      callback(null, socket);
    });
}
