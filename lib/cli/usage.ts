/** Wrong usage: flags, variables, profile or baseline. One line; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
