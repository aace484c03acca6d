import type { Call } from '../lib/runner/call.ts';

/** Bodies that are sent as they are. */

/** A raw body with this media type. */
export const raw = (text: string, mediaType = 'application/json') => ({
  body: { mediaType, bytes: new TextEncoder().encode(text) },
});

/** Length of a body that every server reads in several chunks. */
const slowCharacters = 300_000;

/** The value as JSON, padded with white space to a body so large that concurrent requests overlap. */
export const slowJson = (value: unknown): Call => raw(JSON.stringify(value).padEnd(slowCharacters));
