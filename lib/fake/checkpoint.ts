import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** What a checkpoint says (§8). */
export interface Checkpoint {
  /** The seed under which it was issued, from 1; a later seed voids it. */
  readonly seed: number;
  /** Position in the listing's total order, filters aside, at which the page starts. */
  readonly position: number;
  /** Milliseconds since the epoch, by the fake's clock. */
  readonly issuedAt: number;
}

const ivBytes = 12;
const tagBytes = 16;

/**
 * Makes and reads checkpoint IDs: opaque, and invalid when changed or sent to another listing. Authenticated encryption with
 * a key of its own, and with the listing as associated data.
 */
export class CheckpointCodec {
  readonly #key = randomBytes(32);
  #count = 0;

  encode(listing: string, { seed, position, issuedAt }: Checkpoint): string {
    // A counter is as good as random bytes (NIST SP 800-38D, section 8.2.1), and faster.
    const iv = Buffer.alloc(ivBytes);
    iv.writeDoubleBE(this.#count, 0);
    this.#count += 1;
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(listing));
    const content = cipher.update(JSON.stringify([seed, position, issuedAt]));
    return Buffer.concat([iv, content, cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined for anything that this codec did not make for this listing. */
  decode(listing: string, text: string): Checkpoint | undefined {
    const bytes = Buffer.from(text, 'base64url');
    // Base64 spells the same bytes in several ways; only the canonical one was issued.
    if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== text) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(listing))
      .setAuthTag(bytes.subarray(-tagBytes));
    try {
      const content = decipher.update(bytes.subarray(ivBytes, -tagBytes));
      decipher.final();
      const [seed, position, issuedAt] = JSON.parse(content.toString());
      return { seed, position, issuedAt };
    } catch {
      return undefined;
    }
  }
}
