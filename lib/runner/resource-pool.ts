import type { Resources } from '../contract/data-set.ts';

/** Data that requests name by id, and what became of it during the run. */
export interface ResourcePool {
  /** An id that exists, as far as is known; requirements with other keys get other ids where there are enough. */
  peek(kind: string, key: string): string | undefined;
  /** An id that is handed out once, to be deleted. */
  take(kind: string): string | undefined;
  /** This id exists no longer. */
  markDeleted(kind: string, id: string): void;
  /** How many ids were taken or deleted. */
  readonly deletions: number;
  /** All ids of the kind that exist, as far as is known. */
  all(kind: string): readonly string[];
  /** True for a kind of the tenant of which no id is known. */
  isEmpty(kind: string): boolean;
}

/** A pool of the ids that the run knows of. */
export function createResourcePool(resources: Resources): ResourcePool {
  const ids = new Map<string, string[]>([
    ['action', [...resources.actions]],
    ['rate_limit_policy', [...resources.rateLimitPolicies]],
    ['self_service_profile', [...resources.selfServiceProfiles]],
  ]);
  let deletions = 0;
  const of = (kind: string): string[] => ids.get(kind) ?? [];
  // Requirements about ids seed their own; all others are kept clear of what is special about one.
  for (const known of ids.values()) known.sort((one, other) => Number(plain(other)) - Number(plain(one)));
  return {
    peek(kind, key) {
      const known = kind === 'rate_limit_policy' && of(kind).some(plain) ? of(kind).filter(plain) : of(kind);
      // Data that is only read is read from the first of its kind: flags name the one to judge first.
      return kind === 'rate_limit_policy' ? known[hash(key) % Math.max(1, known.length)] : known[0];
    },
    get deletions() {
      return deletions;
    },
    take(kind) {
      const id = of(kind).shift();
      if (id !== undefined) deletions += 1;
      return id;
    },
    markDeleted(kind, id) {
      deletions += 1;
      ids.set(
        kind,
        of(kind).filter((each) => each !== id),
      );
    },
    all: (kind) => of(kind),
    isEmpty: (kind) => ids.get(kind)?.length === 0,
  };
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
