import type { Lane } from './requirement.ts';

/** What is requested of the lock. */
export interface LaneRequest {
  readonly lane: Lane;
  /** The operation's id; undefined counts as any operation. */
  readonly operation?: string | undefined;
  /** True goes before all others that wait. */
  readonly urgent?: boolean;
}

interface Waiter extends LaneRequest {
  readonly grant: () => void;
}

/**
 * The lock behind the lanes: many share it (`parallel`), one has its operation for itself (`operation`), or one has everything
 * (`exclusive`). Fair: who waits for more than a share goes before those who ask for a share of the same later.
 */
export class LaneLock {
  readonly #limit: number;
  /** How many hold a share or an operation. */
  #held = 0;
  /** Holders by operation: how many share it; `exclusive` where one has it for itself. */
  readonly #holders = new Map<string | undefined, number | 'exclusive'>();
  #exclusive = false;
  #waiting: Waiter[] = [];

  /** @param limit how many may hold it at a time */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Resolves, when the lane is free, with what gives it back. */
  async acquire(wanted: LaneRequest): Promise<() => void> {
    const everything = wanted.lane === 'operation' && wanted.operation === undefined;
    const request: LaneRequest = everything ? { ...wanted, lane: 'exclusive' } : wanted;
    await new Promise<void>((grant) => {
      const waiter = { ...request, grant };
      this.#waiting = request.urgent ? [waiter, ...this.#waiting] : [...this.#waiting, waiter];
      this.#grant();
    });
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(request);
    };
  }

  #release({ lane, operation }: LaneRequest): void {
    const holders = this.#holders.get(operation);
    if (lane === 'exclusive') this.#exclusive = false;
    else {
      this.#held -= 1;
      if (typeof holders === 'number' && holders > 1) this.#holders.set(operation, holders - 1);
      else this.#holders.delete(operation);
    }
    this.#grant();
  }

  /** Grants the lock to all waiting requests that may have it, in their order: none before an earlier one that waits for the same. */
  #grant(): void {
    const reserved = new Set<string | undefined>();
    let exclusiveWaits = false;
    this.#waiting = this.#waiting.filter((waiter) => {
      const { lane, operation, urgent } = waiter;
      const isReserved = !urgent && (exclusiveWaits || reserved.has(operation));
      if (!this.#exclusive && !isReserved && this.#isFree(waiter)) {
        this.#take(waiter);
        waiter.grant();
        return false;
      }
      reserved.add(operation);
      exclusiveWaits ||= lane === 'exclusive';
      return true;
    });
  }

  #take({ lane, operation }: LaneRequest): void {
    const holders = this.#holders.get(operation);
    if (lane === 'exclusive') {
      this.#exclusive = true;
      return;
    }
    this.#held += 1;
    if (lane === 'operation') this.#holders.set(operation, 'exclusive');
    else this.#holders.set(operation, typeof holders === 'number' ? holders + 1 : 1);
  }

  #isFree({ lane, operation }: LaneRequest): boolean {
    if (lane === 'exclusive') return this.#holders.size === 0;
    if (this.#held >= this.#limit) return false;
    if (lane === 'operation') return !this.#holders.has(operation) && !this.#holders.has(undefined);
    return operation === undefined
      ? ![...this.#holders.values()].includes('exclusive')
      : this.#holders.get(operation) !== 'exclusive';
  }
}
