import type { Exchange, Response } from '../client/exchange.ts';
import { ReceivedResponse } from '../client/received-response.ts';
import { beginning } from '../report/text.ts';

/** Bytes of an answer up to which it is kept whole. */
const wholeBytes = 16 * 1024;

/** Characters that are kept of a larger one: more than any report shows. */
const evidenceCharacters = 8 * 1024;

/** The exchange as evidence: of a large answer only its beginning, so that a target that sends megabytes fills no memory. */
export function truncateForEvidence(exchange: Exchange): Exchange {
  const { response } = exchange;
  if (response === undefined || response.bodyBytes <= wholeBytes) return exchange;
  const { status, headers, mediaType, bodyBytes, utf8 } = response;
  const excerpt = response instanceof ReceivedResponse ? response.excerpt(evidenceCharacters) : response.text;
  const text = beginning(excerpt, evidenceCharacters);
  const kept: Response = {
    status,
    headers,
    mediaType,
    text,
    bodyBytes,
    utf8,
    json: undefined,
    header: (name) => headers.find(([each]) => each === name.toLowerCase())?.[1],
  };
  return { ...exchange, response: kept };
}
