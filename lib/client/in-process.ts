import type { Answer, Outcome, Outgoing } from './transmit.ts';

/** Answers what goes to a server of this process, to the end; undefined for what goes elsewhere. Never rejects. */
export type Local = (outgoing: Outgoing) => Promise<Outcome> | undefined;

/** A server of this process that answers a request by a function call. */
export interface LocalServer {
  /** `http://host:port`, by which its requests are known. */
  readonly origin: string;
  /** Undefined where it would have closed the connection. */
  handle(
    request: Pick<Outgoing, 'method' | 'headers' | 'body' | 'chunked'> & {
      readonly target: string;
      readonly unwritten?: boolean;
    },
  ): Promise<Answer | undefined>;
}

/**
 * The server as what the driver asks in place of the network, which saves a third of the time.
 * @param unwritten true where JSON is handed over as a value: only where nobody judges how it is written
 */
export function asked(server: LocalServer, unwritten = false): Local {
  return ({ origin, path: target, method, headers, body, chunked }) =>
    origin !== server.origin
      ? undefined
      : server.handle({ method, target, headers, chunked, unwritten, ...(body && { body }) }).then(
          (answer) => (answer === undefined ? closed('the server closed the connection') : { answer }),
          (error: unknown) => closed(String(error)),
        );
}

function closed(message: string): Outcome {
  return { failure: { kind: 'closed', message }, stale: false, stuck: false };
}
