import type { Resources } from '../contract/data-set.ts';

/** Ids of data that requests name, and what became of it during the run. */
export class ResourcePool {
  readonly #ids: Map<string, readonly string[]>;
  #deletions = 0;

  constructor({ actions, rateLimitPolicies, selfServiceProfiles }: Resources) {
    const kinds = {
      action: actions,
      rate_limit_policy: rateLimitPolicies,
      self_service_profile: selfServiceProfiles,
    };
    // Requirements about ids seed their own; all others are kept clear of what is special about one.
    const plainFirst = (ids: readonly string[]) =>
      ids.toSorted((one, other) => Number(plain(other)) - Number(plain(one)));
    this.#ids = new Map(Object.entries(kinds).map(([kind, ids]) => [kind, plainFirst(ids)]));
  }

  /** How many ids were taken or deleted. */
  get deletions(): number {
    return this.#deletions;
  }

  /** All ids of the kind that exist, as far as is known. */
  all(kind: string): readonly string[] {
    return this.#ids.get(kind) ?? [];
  }

  /** True for a kind of the tenant of which no id is known. */
  isEmpty(kind: string): boolean {
    return this.#ids.get(kind)?.length === 0;
  }

  /** An id that exists, as far as is known; requirements with other keys get other ids where there are enough. */
  peek(kind: string, key: string): string | undefined {
    const known = this.all(kind);
    // Data that is only read is read from the first of its kind: flags name the one to judge first.
    if (kind !== 'rate_limit_policy') return known[0];
    const ordinary = known.some(plain) ? known.filter(plain) : known;
    return ordinary[hash(key) % Math.max(1, ordinary.length)];
  }

  /** An id that is handed out once, to be deleted. */
  take(kind: string): string | undefined {
    const [id] = this.all(kind);
    if (id !== undefined) this.markDeleted(kind, id);
    return id;
  }

  /** This id exists no longer. */
  markDeleted(kind: string, id: string): void {
    this.#deletions += 1;
    this.#ids.set(
      kind,
      this.all(kind).filter((each) => each !== id),
    );
  }
}

/** An id that is neither short nor long, and needs no percent-encoding. */
function plain(id: string): boolean {
  return /^[\w-]{2,24}$/.test(id);
}

/** A number from 0 to 2³¹-1 that depends on the text alone (FNV-1a). */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return (state >>> 1) & 0x7fffffff;
}
