/** A source of tokens gave none; the message is one line, without secrets. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}
