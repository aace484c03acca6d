/** An entry of the tenant logs (section 5, request correlation). */
export interface LogEntry {
  /** RFC 3339, by the fake's clock. */
  readonly date: string;
  /** Id of the operation that was executed. */
  readonly operation: string;
  readonly references: { readonly correlation_id: string };
  /** Milliseconds since the epoch by the real clock, for entries that are to appear late. */
  readonly at: number;
}
