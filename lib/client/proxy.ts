import { percentDecode } from '../contract/styles.ts';

/** The environment variables that name a proxy; lower case takes precedence over upper case, as in curl. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an origin by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, or undefined. Loopback addresses are never
 * proxied: a proxy could not reach them.
 * @throws TypeError if the variable is not an http or https URL
 */
export function proxyFor(origin: string, environment: Environment): URL | undefined {
  const url = new URL(origin);
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = environment[name] ?? environment[name.toUpperCase()];
  if (value === undefined || value === '') return undefined;
  if (/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) return undefined;
  if (isExempt(url, environment.no_proxy ?? environment.NO_PROXY ?? '')) return undefined;
  const address = value.includes('://') ? value : `http://${value}`;
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new TypeError(`${name.toUpperCase()} is not an http or https URL`);
  }
  return new URL(address);
}

function isExempt(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, pattern = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const host = /^[^[]*:.*:/.test(entry) ? `[${entry.toLowerCase()}]` : pattern.replace(/^\*?\./, '');
    if (host === '' || (!host.startsWith('[') && entryPort !== undefined && entryPort !== port)) return false;
    return url.hostname === host || url.hostname.endsWith(`.${host}`);
  });
}

/** The value of Proxy-Authorization for the proxy's user and password; undefined without a user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '') return undefined;
  const [username, password] = [proxy.username, proxy.password].map((text) => percentDecode(text) ?? text);
  const credentials = `${username}:${password}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
