import { randomInt } from 'node:crypto';
import { hash } from '../arbitraries/hash.ts';
import type { Operation } from '../contract/model.ts';
import type { NeutralVariations } from './neutral.ts';
import type { Variation } from './vary.ts';

/** The variations of the requests and tokens of one requirement on one operation. */
export class Variations {
  /** Makes strings unique across runs, even with the same seed. */
  readonly nonce = randomInt(2 ** 31);
  readonly #neutral: NeutralVariations;
  readonly #seed: number;
  #requests = 0;
  /** For each operation, kind and variation, the index of each content: equal requests are varied in the same way. */
  readonly #indices = new Map<string, Map<string, number>>();

  constructor(neutral: NeutralVariations, seed: number) {
    this.#neutral = neutral;
    this.#seed = seed;
  }

  /**
   * The variation of a request with this content. Each kind (tokens, served and refused requests) starts with the first rows,
   * which contain the most classes. A request that is sent in several variations takes the rows of one group.
   */
  of(operation: Operation, kind: string, content: string, variation?: number): Variation {
    const key = `${operation.id} ${kind} ${variation}`;
    const indices = this.#indices.get(key) ?? new Map<string, number>();
    this.#indices.set(key, indices);
    const index = indices.get(content) ?? indices.size;
    indices.set(content, index);
    const at = variation === undefined ? index : this.#neutral.rowsOfGroup(operation) * index + variation;
    return {
      changes: this.#neutral.changes(operation, this.#seed, at),
      key: String(hash(`${this.#seed} ${key} ${content}`)),
      requestKey: String(hash(`${this.nonce} ${this.#requests++}`)),
    };
  }
}
