import { buildConnector, Client } from 'undici';
import { type Environment, proxyAuthorization, proxyFor } from './proxy.ts';
import { openTunnel } from './tunnel.ts';

/** How connections are made. */
export interface ConnectionOptions {
  /** Milliseconds until a connection stands. */
  readonly timeout: number;
  /** Trusted certificates in PEM, in place of the system's. */
  readonly ca?: string;
  /** True accepts any certificate. */
  readonly insecure?: boolean;
  /** The client's certificate and key in PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** True takes HTTP/2 where the server offers it (ALPN). */
  readonly http2?: boolean;
  /** Where proxies are named; `process.env` unless said otherwise. */
  readonly environment?: Environment;
}

/** The largest header section that is read, in bytes. */
const maximumHeaderBytes = 128 * 1024;

/** One keep-alive connection, used by one request at a time; undici opens it anew when it has been closed. */
export class Connection {
  readonly origin: string;
  readonly client: Client;
  /** Set where requests go to a proxy in absolute form (RFC 9112, section 3.2.2). */
  readonly proxyFields: readonly string[] | undefined;
  /** Answers that this very socket has brought; 0 on a fresh one. */
  answers = 0;

  constructor(origin: string, options: ConnectionOptions) {
    this.origin = origin;
    const proxy = proxyFor(origin, options.environment ?? process.env);
    const absolute = proxy !== undefined && origin.startsWith('http:');
    this.proxyFields = absolute ? ['host', new URL(origin).host, ...proxyAuthorization(proxy)] : undefined;
    this.client = new Client(absolute ? proxy.origin : origin, {
      connect: connector(options, absolute ? undefined : proxy),
      pipelining: 1,
      // The driver has one timer for the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maximumHeaderBytes,
      allowH2: options.http2 ?? false,
    });
    this.client.on('connect', () => {
      this.answers = 0;
    });
  }

  destroy(): Promise<void> {
    return this.client.destroy();
  }
}

function connector(options: ConnectionOptions, proxy: URL | undefined): buildConnector.connector {
  const direct = buildConnector({
    timeout: options.timeout,
    allowH2: options.http2 ?? false,
    autoSelectFamily: true,
    rejectUnauthorized: options.insecure !== true,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.cert === undefined ? {} : { cert: options.cert }),
    ...(options.key === undefined ? {} : { key: options.key }),
  });
  if (proxy === undefined) return direct;
  return (target, callback) => {
    const authority = `${target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname}:${target.port || 443}`;
    openTunnel(proxy, authority, options.timeout, options.ca).then(
      (httpSocket) => direct({ ...target, httpSocket }, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/** The connections of a run. */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #idle = new Map<string, Connection[]>();
  readonly #all = new Set<Connection>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** A connection that nobody else uses until it is released or dropped; with `fresh` one that has not been used at all. */
  lease(origin: string, fresh = false): Connection {
    const idle = fresh ? undefined : this.#idle.get(origin)?.pop();
    if (idle !== undefined) return idle;
    const connection = new Connection(origin, this.#options);
    this.#all.add(connection);
    return connection;
  }

  release(connection: Connection): void {
    if (!this.#all.has(connection)) return;
    const idle = this.#idle.get(connection.origin);
    if (idle === undefined) this.#idle.set(connection.origin, [connection]);
    else idle.push(connection);
  }

  drop(connection: Connection): void {
    this.#all.delete(connection);
    void connection.destroy();
  }

  /** Ends all sockets, whatever is under way on them. */
  async close(): Promise<void> {
    const all = [...this.#all];
    this.#all.clear();
    this.#idle.clear();
    await Promise.all(all.map((connection) => connection.destroy()));
  }
}
