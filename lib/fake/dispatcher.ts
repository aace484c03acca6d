import type { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Fake } from './fake.ts';

export interface DispatcherOptions {
  /** The tenant's host name: requests to any other host go out as usual. Default: every request reaches the fake. */
  readonly host?: string;
}

/**
 * The fake as an undici dispatcher, for clients with a hard-wired `https://<tenant>/api/v2`: requests reach it without
 * sockets and without TLS, and all else is as on a network. `setGlobalDispatcher(fakeDispatcher(fake))` brings `fetch`
 * to it too. Close it, or put the former dispatcher back, when the fake is closed.
 */
export function fakeDispatcher(fake: Fake, { host }: DispatcherOptions = {}): Dispatcher {
  const network = buildConnector({});
  return new Agent({
    connect(options, callback) {
      if (host !== undefined && options.hostname !== host) {
        network(options, callback);
        return;
      }
      // Not at once: undici waits for ever for a connection that is there before it is back from asking for it.
      setImmediate(() => {
        try {
          // undici's types ask for a socket; what undici uses of it, every duplex stream has.
          callback(null, fake.connect() as Socket);
        } catch (error) {
          callback(error instanceof Error ? error : new Error(String(error)), null);
        }
      });
    },
  });
}
