import type { Lane } from './requirement.ts';

/** A request for the lock. */
export interface LaneRequest {
  readonly lane: Lane;
  /** The operation's id; undefined means every operation. */
  readonly operation?: string | undefined;
  /** True goes before all other waiting requests. */
  readonly urgent?: boolean;
}

/**
 * The lock behind the lanes: many requests share it (`parallel`), one has its operation to itself (`operation`), or one has
 * everything (`exclusive`). The lock is fair: no request overtakes an earlier one that waits for the same.
 */
export class LaneLock {
  readonly #limit: number;
  readonly #granted = new Set<LaneRequest>();
  #waiting: { readonly request: LaneRequest; readonly grant: () => void }[] = [];

  /** @param limit how many requests may have the lock at a time */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Runs the action when the lane is free, then releases the lane. */
  async run<Result>(wanted: LaneRequest, action: () => Promise<Result>): Promise<Result> {
    const everything = wanted.lane === 'operation' && wanted.operation === undefined;
    const request: LaneRequest = { ...wanted, ...(everything && { lane: 'exclusive' }) };
    await new Promise<void>((grant) => {
      const waiter = { request, grant };
      this.#waiting = request.urgent ? [waiter, ...this.#waiting] : [...this.#waiting, waiter];
      this.#grant();
    });
    try {
      return await action();
    } finally {
      this.#granted.delete(request);
      this.#grant();
    }
  }

  /** Grants the lock to waiting requests that may have it, in order. None overtakes an earlier one that waits for the same. */
  #grant(): void {
    const reserved = new Set<string | undefined>();
    let exclusiveWaits = false;
    this.#waiting = this.#waiting.filter(({ request, grant }) => {
      const { lane, operation, urgent } = request;
      const isReserved = !urgent && (exclusiveWaits || reserved.has(operation));
      if (!isReserved && this.#isFree(request)) {
        this.#granted.add(request);
        grant();
        return false;
      }
      reserved.add(operation);
      exclusiveWaits ||= lane === 'exclusive';
      return true;
    });
  }

  #isFree({ lane, operation }: LaneRequest): boolean {
    if (lane === 'exclusive') return this.#granted.size === 0;
    if (this.#granted.size >= this.#limit) return false;
    const overlaps = (other: LaneRequest) =>
      operation === undefined || other.operation === undefined || operation === other.operation;
    return ![...this.#granted].some(
      (other) =>
        other.lane === 'exclusive' ||
        ((lane === 'operation' || other.lane === 'operation') && overlaps(other)),
    );
  }
}
