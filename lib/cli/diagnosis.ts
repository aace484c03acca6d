import type { Failure } from '../client/exchange.ts';
import { type Environment, proxyFor } from '../client/proxy.ts';
import type { ReceivedResponse } from '../client/received-response.ts';
import type { Operation } from '../contract/model.ts';
import type { ConnectedTarget } from '../runner/connect.ts';

/** A request before the run, which is neither counted nor recorded. */
export interface Probe {
  readonly operation: Operation | undefined;
  readonly url: string;
  readonly response: ReceivedResponse | undefined;
  readonly failure: Failure | undefined;
}

/** Seconds by which clocks may differ without an effect on tokens. */
const toleratedSkew = 60;

/** Why no response came, and what to do about it: one paragraph. */
export function explainFailure(
  { url, failure }: Pick<Probe, 'url' | 'failure'>,
  environment: Environment = process.env,
): string {
  const { origin, hostname, protocol } = new URL(url);
  const message = brief(failure?.message ?? 'no response');
  const proxy = proxyFor(origin, environment);
  const through =
    proxy === undefined
      ? ''
      : ` The request went through the proxy ${proxy.host}; to bypass it, add ${hostname} to NO_PROXY.`;
  const say = (what: string, remedy: string) => `${what} (${message}). ${remedy}${through}`;
  const otherScheme = protocol === 'http:' ? 'https:// instead of http://' : 'http:// instead of https://';
  switch (failure?.kind) {
    case 'tls':
      if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(message))
        return say(`${origin} supports no TLS version from 1.2 on`, 'Older ones are obsolete (RFC 8996).');
      if (/EPROTO|wrong.version|packet.length/i.test(message))
        return say(`${origin} responds, but not with TLS`, `Did you mean ${otherScheme}?`);
      return say(
        `The certificate of ${origin} is not trusted`,
        'Trust the authority that issued it with --ca FILE, or accept any with --insecure.',
      );
    case 'timeout':
      return say(
        `${origin} did not respond in time`,
        'Is there a firewall in between, or is the server busy? --timeout MS waits longer.',
      );
    case 'malformed':
      return say(`${origin} responds, but not with HTTP`, `Did you mean ${otherScheme}?`);
    case 'closed':
      return say(
        `${origin} closes the connection without a response`,
        `Did you mean ${otherScheme}, or another port?`,
      );
    case 'refused':
      if (proxy !== undefined) return say(`The proxy ${proxy.host} can't be used`, 'Does it run?');
      if (/ENOTFOUND|EAI_AGAIN/.test(message))
        return say(`The host ${hostname} is unknown`, 'Check the spelling of --base-url.');
      return say(`Nothing listens at ${origin}`, 'Start the server, or check host and port of --base-url.');
    default:
      return say(`${url} could not be read`, 'See the logs of the server.');
  }
}

/** OpenSSL names its own source lines; the code at the end is enough. */
function brief(message: string): string {
  const [, code] = /\((ERR_SSL_\w+|EPROTO)\)$/.exec(message) ?? [];
  return code ?? message;
}

/** A warning about a clock that differs too much, by the Date of the response; undefined if it does not. */
export function explainSkew({ response }: Probe, now: number = Date.now()): string | undefined {
  const skew = Math.round((Date.parse(response?.header('date') ?? '') - now) / 1000);
  if (Number.isNaN(skew) || Math.abs(skew) <= toleratedSkew) return undefined;
  const amount = `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'}`;
  return `The target's clock is ${amount} this machine's: it may refuse tokens as expired or not yet valid. Synchronise both clocks (NTP).`;
}

/** True for a successful response that is not JSON if JSON is declared: something other than the service responded. */
export function isForeign({ operation, response }: Probe): boolean {
  const isJson =
    operation?.success.every(({ content }) => content.some(({ kind }) => kind === 'json')) ?? true;
  // The specification does not define the bodies of error responses.
  return isJson && response !== undefined && response.status < 300 && response.json === undefined;
}

/** Why every request fails, if all are answered with a server error. */
export function explainOutage(answers: readonly Probe[]): string | undefined {
  const statuses = answers.map(({ response }) => response?.status ?? 0);
  if (statuses.length === 0 || !statuses.every((status) => status >= 500)) return undefined;
  const body = answers[0]?.response?.text.replaceAll(/\s+/g, ' ').trim().slice(0, 100) ?? '';
  const said = body === '' ? '' : ` The first response says: ${body}`;
  return `The target responds to every request with ${[...new Set(statuses)].join(' or ')}: the server, or the service behind the gateway, does not work. See its logs.${said}`;
}

/**
 * What to say if every request got 404. Undefined if that may be a refusal: without a token a server may hide what it has,
 * in JSON; and an ID in a path may be unknown.
 */
export function notFound(
  { capabilities, baseUrl }: ConnectedTarget,
  answers: readonly Probe[],
): string | undefined {
  const mayBeRefusal =
    !capabilities.has('token') && answers.some(({ response }) => response?.json !== undefined);
  const hasListing = answers.some(
    ({ operation }) => operation !== undefined && !operation.path.includes('{'),
  );
  if (mayBeRefusal || !hasListing) return undefined;
  return `The target responds to every request with 404: is ${baseUrl} the right --base-url, with its path (https://<tenant domain>/api/v2)?`;
}

/** What prevents requests from reaching the service: a proxy or a redirect. */
export function explainIntermediary(first: Probe): string | undefined {
  const status = first.response?.status ?? 0;
  if (status === 407)
    return 'The proxy requires credentials (407). Give them in HTTPS_PROXY (http://user:password@host:port), or add the host to NO_PROXY.';
  const location = first.response?.header('location');
  if (status >= 300 && status < 400 && location !== undefined) {
    const there = URL.canParse(location, first.url) ? new URL(location, first.url) : undefined;
    return `The target redirects to ${there === undefined ? 'another address' : there.origin + there.pathname} (${status}). The suite does not follow redirects: use the address that it leads to as --base-url.`;
  }
  return undefined;
}
