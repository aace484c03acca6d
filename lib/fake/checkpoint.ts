import { hash, randomBytes } from 'node:crypto';

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

const tagBytes = 16;
const contentBytes = 28;

/**
 * A sealer with keys of its own. The tag is a keyed hash of the content: what was not made here does not pass. The mask only
 * keeps clients from reading a position where none is promised; there is a checkpoint to be made for every page of a listing,
 * and a second hash, or a cipher, would cost as much as all checks of the request.
 */
export function createCheckpointSealer(): CheckpointSealer {
  const tagKey = randomBytes(32).toString('latin1');
  const maskKey = randomBytes(32).toString('latin1');
  // So that no two are the same.
  let sealedSoFar = 0;
  const tagOf = (listing: string, content: Buffer): string =>
    hash('sha256', tagKey + listing + content.toString('latin1'), 'binary').slice(0, tagBytes);
  /** Masks the content, or bares it. */
  const mask = (content: Buffer, tag: string): void => {
    for (let at = 0; at < contentBytes; at += 1)
      content[at] = (content[at] ?? 0) ^ maskKey.charCodeAt(at) ^ tag.charCodeAt(at % tagBytes);
  };
  return {
    seal(listing, { seed, position, issuedAt }) {
      const sealed = Buffer.allocUnsafe(tagBytes + contentBytes);
      const content = sealed.subarray(tagBytes);
      content.writeDoubleBE(sealedSoFar++, 0);
      content.writeUInt32BE(seed, 8);
      content.writeDoubleBE(position, 12);
      content.writeDoubleBE(issuedAt, 20);
      const tag = tagOf(listing, content);
      sealed.write(tag, 'latin1');
      mask(content, tag);
      return sealed.toString('base64url');
    },
    open(listing, text) {
      const sealed = Buffer.from(text, 'base64url');
      // Base64 has several spellings of the same bytes; only ours is a checkpoint that we made.
      if (sealed.length !== tagBytes + contentBytes || sealed.toString('base64url') !== text)
        return undefined;
      const tag = sealed.toString('latin1', 0, tagBytes);
      const content = sealed.subarray(tagBytes);
      mask(content, tag);
      if (tagOf(listing, content) !== tag) return undefined;
      return {
        seed: content.readUInt32BE(8),
        position: content.readDoubleBE(12),
        issuedAt: content.readDoubleBE(20),
      };
    },
  };
}
