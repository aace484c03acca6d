import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** What a checkpoint says (section 8). */
export interface Checkpoint {
  /** The seed that it was issued under, from 1; another seed voids it. */
  readonly seed: number;
  /** Position in the listing's total order, filters aside, at which the page starts. */
  readonly position: number;
  /** Milliseconds since the epoch, by the fake's clock. */
  readonly issuedAt: number;
}

/** Makes and reads checkpoint IDs: opaque, and worthless when changed or brought to another listing. */
export interface CheckpointSealer {
  seal(listing: string, checkpoint: Checkpoint): string;
  /** Undefined for whatever this sealer did not make for this listing. */
  open(listing: string, text: string): Checkpoint | undefined;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const contentBytes = 20;
const tagBytes = 16;

/** A sealer with a key of its own. */
export function createCheckpointSealer(): CheckpointSealer {
  const key = randomBytes(32);
  // A nonce must not come twice under one key: a count is enough for that, and costs less than randomness.
  let sealedSoFar = 0n;
  return {
    seal(listing, { seed, position, issuedAt }) {
      const nonce = Buffer.alloc(nonceBytes);
      nonce.writeBigUInt64BE(sealedSoFar++, nonceBytes - 8);
      const content = Buffer.alloc(contentBytes);
      content.writeUInt32BE(seed, 0);
      content.writeDoubleBE(position, 4);
      content.writeDoubleBE(issuedAt, 12);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(listing));
      const sealed = Buffer.concat([sealing.update(content), sealing.final()]);
      return Buffer.concat([nonce, sealed, sealing.getAuthTag()]).toString('base64url');
    },
    open(listing, text) {
      const bytes = Buffer.from(text, 'base64url');
      // Base64 has several spellings of the same bytes; only ours is a checkpoint that we made.
      if (bytes.length !== nonceBytes + contentBytes + tagBytes || bytes.toString('base64url') !== text) {
        return undefined;
      }
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(listing))
        .setAuthTag(bytes.subarray(-tagBytes));
      try {
        const content = Buffer.concat([
          opening.update(bytes.subarray(nonceBytes, nonceBytes + contentBytes)),
          opening.final(),
        ]);
        return {
          seed: content.readUInt32BE(0),
          position: content.readDoubleBE(4),
          issuedAt: content.readDoubleBE(12),
        };
      } catch {
        return undefined;
      }
    },
  };
}
