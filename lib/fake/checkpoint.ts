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

/** Makes and reads checkpoint IDs: opaque, and invalid when changed or sent to another listing. */
export interface CheckpointCodec {
  encode(listing: string, checkpoint: Checkpoint): string;
  /** Undefined for anything that this codec did not make for this listing. */
  decode(listing: string, text: string): Checkpoint | undefined;
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const contentBytes = 20;
const tagBytes = 16;

/** A codec with a key of its own: authenticated encryption, with the listing as associated data. */
export function createCheckpointCodec(): CheckpointCodec {
  const key = randomBytes(32);
  return {
    encode(listing, { seed, position, issuedAt }) {
      const content = Buffer.alloc(contentBytes);
      content.writeUInt32BE(seed, 0);
      content.writeDoubleBE(position, 4);
      content.writeDoubleBE(issuedAt, 12);
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(listing));
      return Buffer.concat([iv, cipher.update(content), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      );
    },
    decode(listing, text) {
      const bytes = Buffer.from(text, 'base64url');
      // Base64 spells the same bytes in several ways; only the canonical one was issued.
      if (bytes.length !== ivBytes + contentBytes + tagBytes || bytes.toString('base64url') !== text)
        return undefined;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(listing));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const content = decipher.update(bytes.subarray(ivBytes, -tagBytes));
      try {
        decipher.final();
      } catch {
        return undefined;
      }
      return {
        seed: content.readUInt32BE(0),
        position: content.readDoubleBE(4),
        issuedAt: content.readDoubleBE(12),
      };
    },
  };
}
