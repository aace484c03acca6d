import { setMaxListeners } from 'node:events';
import type { Exchange, Request } from './exchange.ts';

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Whose request it is: owners take turns while more are to be sent than may be under way. */
  readonly owner?: unknown;
}

/** Sends one request. Rejects once the signal is aborted; a request under way then ends with a failure of kind `aborted`. */
export type Send = (request: Request, options?: SendOptions) => Promise<Exchange>;

/** The requests of one requirement, which can be waited for and ended together. */
export class RequestGroup {
  readonly #send: Send;
  readonly #controller = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(send: Send) {
    this.#send = send;
    // Each request under way listens.
    setMaxListeners(0, this.#controller.signal);
  }

  /** Sends one request as a member of the group. Rejects with AbortError after `abort`. */
  send(request: Request): Promise<Exchange> {
    const sending = this.#send(request, { signal: this.#controller.signal, owner: this });
    const forget = () => this.#underWay.delete(sending);
    this.#underWay.add(sending);
    sending.then(forget, forget);
    return sending;
  }

  /** Requests that have been given to `send` and have not ended. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Resolves when no request of the group is under way, including those sent meanwhile. Never rejects. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  /** Ends the requests under way with a failure of kind `aborted`, and refuses later ones. */
  abort(): void {
    this.#controller.abort();
  }
}
