import type { Authorization } from '../lib/client/exchange.ts';
import type { ContextFor } from '../lib/runner/requirement.ts';

/** Tokens that several requirements send. */

/** Servers commonly allow up to five minutes of clock skew. One more minute covers the actual skew. In seconds. */
export const widestLeeway = 6 * 60;

/** An Authorization value that is not secret, so that reports show it unredacted. */
export const literal = (value: string): Authorization => ({ value, secret: false });

/** Claims of a token (RFC 7519). */
export type Claims = Readonly<Record<string, unknown>>;

/** A minted token that permits the operation, with these claims in place of the usual ones; undefined omits one. */
export const minted = ({ minter, operation }: ContextFor<'mint'>, changes: Claims = {}, variation?: number) =>
  minter.sign({ ...minter.claims(operation.scopes, variation), ...changes });
