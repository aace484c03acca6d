/** Wrong usage: flags, variables, profile or baseline. One line; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The message of anything thrown, on one line. */
export function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/\s+/g, ' ').trim();
}
