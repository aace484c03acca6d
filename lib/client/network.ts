import { type ConnectionOptions, Connections } from './connections.ts';
import { type Outcome, type Outgoing, type TransmitLimits, transmit } from './transmit.ts';

/** Bytes of a body that a socket surely takes at once, whoever reads them. */
const takenBytes = 65_536;

/** What requests go out by: connections that are kept alive, each used by one request at a time. */
export class Network {
  readonly #connections: Connections;

  constructor(options: ConnectionOptions) {
    this.#connections = new Connections(options);
  }

  /**
   * Sends a request once; with `fresh` on a connection that has not been used at all.
   * @throws TypeError for a request that HTTP can't carry
   */
  async send(
    outgoing: Outgoing,
    limits: TransmitLimits,
    signal: AbortSignal,
    fresh: boolean,
  ): Promise<Outcome> {
    const connection = this.#connections.lease(outgoing.origin, fresh);
    const outcome = await transmit(connection, outgoing, limits, signal).catch((error: unknown) => {
      this.#connections.drop(connection);
      throw error;
    });
    // After an early refusal the rest of the body may still be queued on the socket, where nobody may ever read it.
    const refused = outcome.answer !== undefined && outcome.answer.status >= 400;
    const unread = refused && (outgoing.body?.length ?? 0) > takenBytes;
    const spent = outcome.answer === undefined && (outcome.stuck || outcome.stale);
    if (unread || spent) this.#connections.drop(connection);
    else this.#connections.release(connection);
    return outcome;
  }

  /** Ends all sockets, whatever is under way on them. */
  close(): Promise<void> {
    return this.#connections.close();
  }
}
