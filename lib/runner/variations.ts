import { randomInt } from 'node:crypto';
import type { Row } from '../arbitraries/pairwise.ts';
import type { Operation } from '../contract/model.ts';
import { hash } from './hash.ts';
import type { NeutralVariations } from './neutral.ts';

/** The rows by which the requests and tokens of one requirement on one operation are varied. */
export class Variations {
  /** Makes strings unique across runs, even with the same seed. */
  readonly nonce = randomInt(2 ** 31);
  readonly #neutral: NeutralVariations;
  readonly #seed: number;
  #rows = 0;
  /** For each operation, kind and variation, the index of each content: equal requests are varied in the same way. */
  readonly #indices = new Map<string, Map<string, number>>();

  constructor(neutral: NeutralVariations, seed: number) {
    this.#neutral = neutral;
    this.#seed = seed;
  }

  /**
   * The row for a request with this content. Each kind (tokens, served and refused requests) starts with the first rows, which
   * contain the most classes. A request that is sent in several variations takes the rows of one group. Its `key` is the same for
   * equal content, its `request key` is unique.
   */
  row(operation: Operation, kind: string, content: string, variation?: number): Row {
    const key = `${operation.id} ${kind} ${variation}`;
    const indices = this.#indices.get(key) ?? new Map<string, number>();
    this.#indices.set(key, indices);
    const index = indices.get(content) ?? indices.size;
    indices.set(content, index);
    const at = variation === undefined ? index : this.#neutral.rowsOfGroup(operation) * index + variation;
    return {
      ...this.#neutral.row(operation, this.#seed, at),
      key: String(hash(`${this.#seed} ${key} ${content}`)),
      'request key': String(hash(`${this.nonce} ${this.#rows++}`)),
    };
  }
}
