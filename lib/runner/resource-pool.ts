import { hash } from '../arbitraries/hash.ts';
import type { Resources } from '../contract/data-set.ts';
import { percentDecode } from '../contract/styles.ts';

/** An id, and the kind of data that has it. */
export type NamedId = readonly [kind: string, id: string];

/** The ids that requests may name, without those that the run has deleted. */
export class ResourcePool {
  readonly #ids: Map<string, readonly string[]>;
  /** Number of ids that were taken or deleted. */
  deletions = 0;

  constructor(resources: Resources) {
    // Requirements about unusual ids seed their own; all others should not depend on one.
    const plainFirst = (ids: readonly string[]) =>
      ids.toSorted((one, other) => Number(plain(other)) - Number(plain(one)));
    this.#ids = new Map(Object.entries(resources).map(([kind, ids]) => [kind, plainFirst(ids)]));
  }

  /** All ids of the kind that are known to exist. */
  all(kind: string): readonly string[] {
    return this.#ids.get(kind) ?? [];
  }

  /** True if no id of this kind of data is known; false for a name that is not a kind. */
  isEmpty(kind: string): boolean {
    return this.#ids.get(kind)?.length === 0;
  }

  /** An id that is known to exist. Requirements with different keys get different ids if there are enough. */
  peek(kind: string, key: string): string | undefined {
    const known = this.all(kind);
    // Data that is never deleted needs no distribution: all requirements use the first id, which flags can set.
    if (kind !== 'rate_limit_policy') return known[0];
    const ordinary = known.some(plain) ? known.filter(plain) : known;
    return ordinary[hash(key) % Math.max(1, ordinary.length)];
  }

  /** Hands out an id to be deleted; no other request gets it. */
  take(kind: string): string | undefined {
    const [id] = this.all(kind);
    if (id !== undefined) this.markDeleted([[kind, id]]);
    return id;
  }

  /** Removes ids whose data was deleted. */
  markDeleted(deleted: Iterable<NamedId>): void {
    for (const [kind, id] of deleted) {
      this.deletions += 1;
      const left = this.all(kind).filter((each) => each !== id);
      this.#ids.set(kind, left);
    }
  }

  /** Removes the ids that the target of a served deletion names in any spelling. The deletion may take effect later. */
  markDeletedBy(target: string): void {
    const segments = target.split(/[/?;]/).map((text) => percentDecode(text) ?? text);
    for (const [kind, ids] of this.#ids)
      this.markDeleted(ids.filter((id) => segments.includes(id)).map((id) => [kind, id]));
  }

  /** Restores ids that were wrongly marked as deleted because the server answers every deletion with 404. */
  putBack(ids: readonly NamedId[]): void {
    this.deletions -= ids.length;
    for (const [kind, id] of ids) this.#ids.set(kind, [...this.all(kind), id]);
  }
}

/** An id that is neither short nor long, and needs no percent-encoding. */
function plain(id: string): boolean {
  return /^[\w-]{2,24}$/.test(id);
}
