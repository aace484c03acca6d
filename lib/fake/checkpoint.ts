import { createHmac, randomBytes } from 'node:crypto';

/** The content of a checkpoint (§8). */
export interface Checkpoint {
  /** The seed under which it was issued, from 1; a later seed voids it. */
  readonly seed: number;
  /** The position at which the page starts, in the total order of the unfiltered listing. */
  readonly position: number;
  /** Milliseconds since the epoch, by the fake's clock. */
  readonly issuedAt: number;
}

/** Bytes of SHA-256. */
const signatureBytes = 32;

/** Encodes and decodes checkpoint IDs. Each is unique, and invalid if it is changed or sent to another listing. */
export class CheckpointCodec {
  readonly #key = randomBytes(32);
  #count = 0;

  encode(listing: string, { seed, position, issuedAt }: Checkpoint): string {
    this.#count += 1;
    return this.#signed(listing, Buffer.from(JSON.stringify([seed, position, issuedAt, this.#count])));
  }

  /** Undefined for a text that this codec did not issue for this listing. */
  decode(listing: string, text: string): Checkpoint | undefined {
    const content = Buffer.from(text, 'base64url').subarray(0, -signatureBytes);
    if (text !== this.#signed(listing, content)) return undefined;
    const [seed, position, issuedAt] = JSON.parse(content.toString());
    return { seed, position, issuedAt };
  }

  #signed(listing: string, content: Buffer): string {
    const signature = createHmac('sha256', this.#key).update(`${listing}\n`).update(content).digest();
    return Buffer.concat([content, signature]).toString('base64url');
  }
}
