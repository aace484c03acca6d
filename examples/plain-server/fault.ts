import type { Behavior } from './behavior.ts';

/** One defect that a server could have: what to pass to `startPlainServer` as `behavior`. */
export interface PlainServerFault {
  name: string;
  /** What the specification says and the server no longer does. */
  violates: string;
  behavior: Partial<Behavior>;
}

/** The members of a parsed body or claim; none if it is not an object. */
export const fieldsOf = (fields: unknown): Record<string, unknown> => ({
  ...(fields instanceof Object ? fields : {}),
});
