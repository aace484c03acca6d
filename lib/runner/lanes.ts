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

  /** Resolves, when the lane is free, with what gives it back. */
  async acquire(wanted: LaneRequest): Promise<() => void> {
    const everything = wanted.lane === 'operation' && wanted.operation === undefined;
    const request: LaneRequest = everything ? { ...wanted, lane: 'exclusive' } : wanted;
    await new Promise<void>((grant) => {
      const waiter = { ...request, grant };
      if (request.urgent) this.#waiting.unshift(waiter);
      else this.#waiting.push(waiter);
      this.#grant();
    });
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(request);
      this.#grant();
    };
  }

  #release({ lane, operation }: LaneRequest): void {
    const holders = this.#holders.get(operation);
    if (lane === 'exclusive') this.#exclusive = false;
    else if (typeof holders === 'number' && holders > 1) this.#holders.set(operation, holders - 1);
    else this.#holders.delete(operation);
  }

  /** Lets everybody go on who may, in the order in which they came. */
  #grant(): void {
    if (this.#exclusive) return;
    const reserved = new Set<string | undefined>();
    const left: Waiter[] = [];
    for (const [index, waiter] of this.#waiting.entries()) {
      const { lane, operation } = waiter;
      if (!this.#isFree(waiter) || reserved.has(operation)) {
        left.push(waiter);
        reserved.add(operation);
        if (lane !== 'exclusive') continue;
      } else {
        const holders = this.#holders.get(operation);
        if (lane === 'exclusive') this.#exclusive = true;
        else if (lane === 'operation') this.#holders.set(operation, 'alone');
        else this.#holders.set(operation, typeof holders === 'number' ? holders + 1 : 1);
        waiter.grant();
        if (lane !== 'exclusive') continue;
      }
      left.push(...this.#waiting.slice(index + 1));
      break;
    }
    this.#waiting = left;
  }

  #isFree({ lane, operation }: LaneRequest): boolean {
    if (lane === 'exclusive') return this.#holders.size === 0;
    if (lane === 'operation') return !this.#holders.has(operation) && !this.#holders.has(undefined);
    return operation === undefined
      ? ![...this.#holders.values()].includes('alone')
      : this.#holders.get(operation) !== 'alone';
  }
}
