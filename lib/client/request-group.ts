import type { Exchange, Request } from './exchange.ts';

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** The owner of the request: owners take turns while requests wait for the concurrency limit. */
  readonly owner?: unknown;
}

/** Sends one request. Rejects once the signal is aborted; a request under way then ends with a failure of kind `aborted`. */
export type Send = (request: Request, options?: SendOptions) => Promise<Exchange>;

/** The requests of one requirement, which can be waited for and ended together. */
export class RequestGroup {
  readonly #send: Send;
  /** One for each request: adding a listener to a signal takes longer the more it has. */
  readonly #underWay = new Map<Promise<unknown>, AbortController>();
  #isAborted = false;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Sends one request as a member of the group. Rejects with AbortError after `abort`. */
  send(request: Request): Promise<Exchange> {
    const controller = new AbortController();
    if (this.#isAborted) controller.abort();
    const sending = this.#send(request, { signal: controller.signal, owner: this });
    const forget = () => this.#underWay.delete(sending);
    this.#underWay.set(sending, controller);
    sending.then(forget, forget);
    return sending;
  }

  /** Requests that have been given to `send` and have not ended. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Resolves when no request of the group is under way, including those sent meanwhile. Never rejects. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay.keys());
  }

  /** Ends the requests under way with a failure of kind `aborted`, and refuses later ones. */
  abort(): void {
    this.#isAborted = true;
    for (const controller of this.#underWay.values()) controller.abort();
  }
}
