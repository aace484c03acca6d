import type { Lane } from './requirement.ts';

/** What is requested of the lock. */
export interface LaneRequest {
  readonly lane: Lane;
  /** The operation's id; undefined counts as any operation. */
  readonly operation?: string | undefined;
  /** True goes before all others that wait. */
  readonly urgent?: boolean;
}

/**
 * The lock behind the lanes: many share it (`parallel`), one has its operation for itself (`operation`), or one has everything
 * (`exclusive`). Fair: who waits for more than a share goes before those who ask for a share of the same later.
 */
export class LaneLock {
  readonly #limit: number;
  readonly #held = new Set<LaneRequest>();
  #waiting: { readonly request: LaneRequest; readonly grant: () => void }[] = [];

  /** @param limit how many may hold it at a time */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Resolves, when the lane is free, with what gives it back. */
  async acquire(wanted: LaneRequest): Promise<() => void> {
    const everything = wanted.lane === 'operation' && wanted.operation === undefined;
    const request: LaneRequest = { ...wanted, ...(everything && { lane: 'exclusive' }) };
    await new Promise<void>((grant) => {
      const waiter = { request, grant };
      this.#waiting = request.urgent ? [waiter, ...this.#waiting] : [...this.#waiting, waiter];
      this.#grant();
    });
    return () => {
      if (this.#held.delete(request)) this.#grant();
    };
  }

  /** Does this when the lane is free, and gives it back. */
  async hold<Result>(wanted: LaneRequest, action: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(wanted);
    try {
      return await action();
    } finally {
      release();
    }
  }

  /** Grants the lock to all waiting requests that may have it, in their order: none before an earlier one that waits for the same. */
  #grant(): void {
    const reserved = new Set<string | undefined>();
    let exclusiveWaits = false;
    this.#waiting = this.#waiting.filter(({ request, grant }) => {
      const { lane, operation, urgent } = request;
      const isReserved = !urgent && (exclusiveWaits || reserved.has(operation));
      if (!isReserved && this.#isFree(request)) {
        this.#held.add(request);
        grant();
        return false;
      }
      reserved.add(operation);
      exclusiveWaits ||= lane === 'exclusive';
      return true;
    });
  }

  #isFree({ lane, operation }: LaneRequest): boolean {
    if (lane === 'exclusive') return this.#held.size === 0;
    if (this.#held.size >= this.#limit) return false;
    const concerns = (other: LaneRequest) =>
      [operation, undefined].includes(other.operation) || operation === undefined;
    return ![...this.#held].some(
      (other) =>
        other.lane === 'exclusive' ||
        ((lane === 'operation' || other.lane === 'operation') && concerns(other)),
    );
  }
}
