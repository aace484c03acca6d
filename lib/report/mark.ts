import type { RecordedExchange, RequirementResult } from './report.ts';

/** Where the response is marked, and the text that is. */
export interface Mark {
  readonly at: 'status' | 'body';
  readonly text: string | undefined;
}

/** Where the exchange differs from what was expected. */
export function markOf({ response }: RecordedExchange, { difference }: RequirementResult): Mark {
  const received = difference?.received ?? '';
  if (/^\d{3}\b/.exec(received)?.[0] === String(response?.status)) return { at: 'status', text: undefined };
  const values = [received, ...(difference?.entries ?? []).map((entry) => entry.received ?? '')];
  // Values are JSON texts: in a body they stand with their quotes or without.
  const candidates = values.flatMap((value) => [value, value.replace(/^"|"$/g, '')]);
  return { at: 'body', text: candidates.find((text) => text.length >= 3 && response?.body.includes(text)) };
}
