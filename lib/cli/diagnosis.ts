import type { Environment } from '../client/proxy.ts';
import { proxyFor } from '../client/proxy.ts';
import type { Probe } from './probe.ts';

/** Seconds by which clocks may differ before tokens suffer from it. */
const toleratedSkew = 60;

/** Why no answer came, and what to do about it: one paragraph. */
export function explainFailure(
  { url, failure }: Pick<Probe, 'url' | 'failure'>,
  environment: Environment = process.env,
): string {
  const { origin, hostname, protocol } = new URL(url);
  const message = brief(failure?.message ?? 'no answer');
  const proxy = proxyFor(origin, environment);
  const through =
    proxy === undefined
      ? ''
      : ` The request goes through the proxy ${proxy.host}: if it should not, add ${hostname} to NO_PROXY.`;
  switch (failure?.kind) {
    case 'tls':
      if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(message))
        return `${origin} supports no TLS version from 1.2 on (${message}); TLS 1.0 and 1.1 are obsolete (RFC 8996).${through}`;
      if (/EPROTO|wrong.version|packet.length/i.test(message))
        return `${origin} answers, but speaks no TLS (${message}). Is it http:// rather than https://?${through}`;
      if (/ALTNAME|HOSTNAME/i.test(message))
        return `The certificate of ${origin} is for another host (${message}). Use the name that it was issued for, or accept any certificate by --insecure.${through}`;
      if (/EXPIRED/i.test(message))
        return `The certificate of ${origin} has expired (${message}). Renew it, or accept any by --insecure.${through}`;
      return `The certificate of ${origin} is not trusted (${message}). Name the authority that issued it by --ca FILE, or accept any by --insecure.${through}`;
    case 'timeout':
      return `${origin} gave no answer in time (${message}). Is a firewall in between, or is the server busy? --timeout MS waits longer.${through}`;
    case 'malformed':
      return `${origin} answers with something that is no HTTP (${message}). Is it ${protocol === 'http:' ? 'https:// rather than http://' : 'the right port'}?${through}`;
    case 'closed':
      return `${origin} closes the connection without an answer (${message}). Is it ${protocol === 'http:' ? 'https:// rather than http://' : 'the right port'}?${through}`;
    case 'refused':
      if (proxy !== undefined)
        return `The proxy ${proxy.host} can't be used (${message}). Check it, or add ${hostname} to NO_PROXY.`;
      if (/ENOTFOUND|EAI_AGAIN/.test(message))
        return `The host name ${hostname} is not known (${message}). Check the spelling of --base-url.${through}`;
      return `Nothing listens at ${origin} (${message}). Start the server, or check host and port of --base-url.${through}`;
    default:
      return `${url} could not be read: ${message}.${through}`;
  }
}

/** OpenSSL tells its own source lines; the code at the end says enough. */
function brief(message: string): string {
  const [, code] = /\((ERR_SSL_\w+|EPROTO)\)$/.exec(message) ?? [];
  return code ?? message;
}

/** Seconds by which the answer's Date is ahead of our clock; undefined where it has none. */
export function clockSkew({ response }: Probe, now: number = Date.now()): number | undefined {
  const theirs = Date.parse(response?.header('date') ?? '');
  return Number.isNaN(theirs) ? undefined : Math.round((theirs - now) / 1000);
}

/** What to say of a clock that differs too much; undefined where it does not. */
export function explainSkew(skew: number | undefined): string | undefined {
  if (skew === undefined || Math.abs(skew) <= toleratedSkew) return undefined;
  const amount = `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'}`;
  return `The target's clock is ${amount} this machine's, so that tokens may be refused as expired or not yet valid. Set both clocks by NTP.`;
}

/** True for an answer that is a page for people, whatever it is declared as: then something else than the service answers. */
export function isPage({ response }: Probe): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(response?.text ?? '');
}

/** What stands in the way of reaching the service at all, although something answers. */
export function explainStranger(first: Probe): string | undefined {
  const status = first.response?.status ?? 0;
  if (status === 407)
    return 'The proxy wants credentials (407). Give them in HTTPS_PROXY (http://user:password@host:port), or add the host to NO_PROXY.';
  const location = first.response?.header('location');
  if (status >= 300 && status < 400 && location !== undefined) {
    const there = URL.canParse(location, first.url) ? new URL(location, first.url) : undefined;
    return `The target redirects to ${there === undefined ? 'elsewhere' : there.origin + there.pathname} (${status}). Redirects are not followed: give the address that it leads to as --base-url.`;
  }
  return undefined;
}
