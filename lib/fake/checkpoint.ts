import { createHmac, randomBytes } from 'node:crypto';

/** What a checkpoint says (§8). */
export interface Checkpoint {
  /** The seed under which it was issued, from 1; a later seed voids it. */
  readonly seed: number;
  /** Position in the listing's total order, filters aside, at which the page starts. */
  readonly position: number;
  /** Milliseconds since the epoch, by the fake's clock. */
  readonly issuedAt: number;
}

/** Bytes of SHA-256. */
const signatureBytes = 32;

/** Makes and reads checkpoint IDs, which are different each time, and invalid when changed or sent to another listing. */
export class CheckpointCodec {
  readonly #key = randomBytes(32);
  #count = 0;

  encode(listing: string, { seed, position, issuedAt }: Checkpoint): string {
    this.#count += 1;
    return this.#signed(listing, Buffer.from(JSON.stringify([seed, position, issuedAt, this.#count])));
  }

  /** Undefined for anything that this codec did not make for this listing. */
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
