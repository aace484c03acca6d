import { syncBuiltinESMExports } from 'node:module';
import net, { type Socket, type TcpSocketConnectOpts } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { isObject } from '../contract/json.ts';
import type { Fake } from './fake.ts';
import type { Address } from './http.ts';
import { checkOptions } from './options.ts';

export interface InterceptOptions {
  /** The tenant's host, in any case, with or without scheme and port: `tenant.example`. Without a port, it applies to all ports. */
  readonly host: string;
  /** What happens to connections to other hosts: `pass` (default) lets them use the network, `refuse` makes them fail. */
  readonly others?: 'pass' | 'refuse';
}

/** An active interception. */
export interface Interception {
  /** Ends the interception and its connections. New connections use the network again. */
  close(): void;
  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

interface Active {
  readonly hostname: string;
  readonly port: number | undefined;
  readonly fake: Fake;
  readonly refusesOthers: boolean;
  readonly sockets: Set<Socket>;
}

/** The interceptions of this process, latest first. */
let active: readonly Active[] = [];

const original = { connect: net.Socket.prototype.connect, tlsConnect: tls.connect };

/**
 * Redirects every new connection of this process to a host to the fake, whichever client opens it: `fetch`, any version of
 * undici, `node:http`, `node:https` and everything built on them. No TLS takes place, so no certificate is needed.
 * Several interceptions may be active at once, each for a different host.
 * @throws TypeError for options that can't be used
 */
export function intercept(fake: Fake, options: InterceptOptions): Interception {
  checkOptions('intercept()', options);
  if (!isObject(fake?.plainAddress)) throw new TypeError('intercept(): the first argument must be a fake');
  const { host, others = 'pass' } = options;
  const one: Active = { ...parseHost(host), fake, refusesOthers: others === 'refuse', sockets: new Set() };
  if (active.length === 0) patch();
  active = [one, ...active];
  const close = (): void => {
    if (!active.includes(one)) return;
    active = active.filter((each) => each !== one);
    if (active.length === 0) restore();
    for (const socket of one.sockets) socket.destroy();
  };
  return { close, [Symbol.asyncDispose]: async () => close() };
}

function parseHost(host: string): Pick<Active, 'hostname' | 'port'> {
  const text = host.includes('://') ? host : `http://${host}`;
  if (!URL.canParse(text)) throw new TypeError(`intercept(): ${host} is not a host`);
  const url = new URL(text);
  const explicit = /:(\d+)(?:[/?#]|$)/.exec(host.replace(/^[a-z]+:\/\//i, ''))?.[1];
  return { hostname: plainName(url.hostname), port: explicit === undefined ? undefined : Number(explicit) };
}

/** Lower case, without a final dot and without the brackets of IPv6. */
function plainName(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}

/** Every TCP connection uses one of these two functions: `net.connect`, agents and undici call them. */
function patch(): void {
  net.Socket.prototype.connect = function connect(this: Socket, ...args: unknown[]): Socket {
    const address = addressOf(args);
    const found = address && find(address);
    if (address === undefined || found === undefined) return Reflect.apply(original.connect, this, args);
    callOnce(this, 'connect', args);
    if (found === 'refused') {
      process.nextTick(() => this.destroy(refusal(address)));
      return this;
    }
    return toFake(this, found);
  };
  tls.connect = function connect(...args: unknown[]): TLSSocket {
    const address = addressOf(args);
    // The client may have opened a connection already, for example to a proxy.
    const isNew = !(typeof args[0] === 'object' && args[0] !== null && 'socket' in args[0] && args[0].socket);
    const found = address && isNew ? find(address) : undefined;
    if (found === undefined || found === 'refused') return Reflect.apply(original.tlsConnect, tls, args);
    const socket = asTlsSocket(new net.Socket());
    callOnce(socket, 'secureConnect', args);
    socket.once('connect', () => socket.emit('secureConnect'));
    toFake(socket, found);
    return socket;
  };
  syncBuiltinESMExports();
}

function restore(): void {
  net.Socket.prototype.connect = original.connect;
  tls.connect = original.tlsConnect;
  syncBuiltinESMExports();
}

/** Registers the listener among the arguments of `connect` for this event. */
function callOnce(socket: Socket, event: string, args: readonly unknown[]): void {
  const listener = args.flat().find((each) => typeof each === 'function');
  if (typeof listener === 'function') socket.once(event, () => Reflect.apply(listener, socket, []));
}

/** Host and port from the arguments of `connect`; undefined for a path in the file system. */
function addressOf(args: readonly unknown[]): Address | undefined {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object' && first !== null) {
    const options: Partial<TcpSocketConnectOpts> & { path?: unknown; servername?: string } = first;
    const { host, port, path, servername } = options;
    if (port === undefined && path !== undefined) return undefined;
    return { host: plainName(host ?? servername ?? 'localhost'), port: Number(port) };
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return undefined;
  return { host: plainName(typeof second === 'string' ? second : 'localhost'), port: Number(first) };
}

/** The interception that gets a connection; undefined for the network. */
function find({ host, port }: Address): Active | 'refused' | undefined {
  const found = active.find((each) => each.hostname === host && (each.port ?? port) === port);
  if (found !== undefined) return found;
  const isFake = active.some(({ fake }) => {
    const own = new URL(fake.origin);
    return Number(own.port) === port && ['localhost', plainName(own.hostname)].includes(host);
  });
  return !isFake && active.some(({ refusesOthers }) => refusesOthers) ? 'refused' : undefined;
}

function refusal({ host, port }: Address): Error {
  return new Error(`intercept(): the connection to ${host}:${port} was refused`);
}

function toFake(socket: Socket, { fake, sockets }: Active): Socket {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  return Reflect.apply(original.connect, socket, [fake.plainAddress]);
}

/** Adds the members of a TLS connection that clients use. */
function asTlsSocket(socket: Socket): TLSSocket {
  return Object.assign(socket, {
    encrypted: true,
    authorized: true,
    alpnProtocol: false,
    getPeerCertificate: () => ({}),
    getCipher: () => ({ name: 'none', standardName: 'none', version: 'none' }),
    getProtocol: () => null,
    getSession: () => undefined,
    isSessionReused: () => false,
  }) as unknown as TLSSocket;
}
