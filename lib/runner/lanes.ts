import type { Lane } from './requirement.ts';

/** What somebody asks the lock for. */
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
  /** Holders by operation: how many share it; `alone` where one has it for itself. */
  readonly #holders = new Map<string | undefined, number | 'alone'>();
  #exclusive = false;
  #waiting: Waiter[] = [];
  /** What the waiting requests need: it is not given to later ones. */
  readonly #reserved = new Set<string | undefined>();
  #exclusiveWaiting = false;

  /** Resolves, when the lane is free, with what gives it back. */
  async acquire(wanted: LaneRequest): Promise<() => void> {
    const everything = wanted.lane === 'operation' && wanted.operation === undefined;
    const request: LaneRequest = everything ? { ...wanted, lane: 'exclusive' } : wanted;
    await new Promise<void>((grant) => {
      if (this.#exclusive || this.#isReserved(request) || !this.#isFree(request)) {
        if (request.urgent) this.#waiting.unshift({ ...request, grant });
        else this.#waiting.push({ ...request, grant });
        this.#reserve(request);
        return;
      }
      this.#take(request);
      grant();
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
    else if (typeof holders === 'number' && holders > 1) {
      // Who waits, waits for the last of them.
      this.#holders.set(operation, holders - 1);
      return;
    } else this.#holders.delete(operation);
    this.#grant();
  }

  /** Lets everybody go on who may, in the order in which they came. */
  #grant(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#reserved.clear();
    this.#exclusiveWaiting = false;
    for (const waiter of waiting) {
      if (this.#exclusive || this.#isReserved(waiter) || !this.#isFree(waiter)) {
        this.#waiting.push(waiter);
        this.#reserve(waiter);
      } else {
        this.#take(waiter);
        waiter.grant();
      }
    }
  }

  /** True where somebody who came before waits for the same. */
  #isReserved({ operation, urgent }: LaneRequest): boolean {
    return !urgent && (this.#exclusiveWaiting || this.#reserved.has(operation));
  }

  #reserve({ lane, operation }: LaneRequest): void {
    this.#reserved.add(operation);
    if (lane === 'exclusive') this.#exclusiveWaiting = true;
  }

  #take({ lane, operation }: LaneRequest): void {
    const holders = this.#holders.get(operation);
    if (lane === 'exclusive') this.#exclusive = true;
    else if (lane === 'operation') this.#holders.set(operation, 'alone');
    else this.#holders.set(operation, typeof holders === 'number' ? holders + 1 : 1);
  }

  #isFree({ lane, operation }: LaneRequest): boolean {
    if (lane === 'exclusive') return this.#holders.size === 0;
    if (lane === 'operation') return !this.#holders.has(operation) && !this.#holders.has(undefined);
    return operation === undefined
      ? ![...this.#holders.values()].includes('alone')
      : this.#holders.get(operation) !== 'alone';
  }
}
