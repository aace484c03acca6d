import type { ReceivedResponse } from './received-response.ts';

/** The cookies that a response sets, as a `Cookie` field sends them back: `name=value` (RFC 6265, section 4). */
export function cookiesOf({ headers }: Pick<ReceivedResponse, 'headers'>): readonly string[] {
  return headers.flatMap(([name, value]) =>
    name.toLowerCase() === 'set-cookie' ? (value.split(';')[0] ?? '').trim() : [],
  );
}
