/** The environment variables that name a proxy; lower case goes before upper case, as curl does. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an origin by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, or undefined for none. Loopback addresses are
 * never proxied: a proxy could not reach them, and the embedded fake lives on one.
 * @throws TypeError where the variable holds no http or https URL.
 */
export function proxyFor(origin: string, environment: Environment): URL | undefined {
  const url = new URL(origin);
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = environment[name] ?? environment[name.toUpperCase()];
  if (value === undefined || value === '' || isLoopback(url.hostname)) return undefined;
  if (isExempt(url, environment.no_proxy ?? environment.NO_PROXY ?? '')) return undefined;
  const address = value.includes('://') ? value : `http://${value}`;
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new TypeError(`${name.toUpperCase()} is no http or https URL`);
  }
  return new URL(address);
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
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

/** Fields of Proxy-Authorization for the proxy's user and password, none where it has none. */
export function proxyAuthorization(proxy: URL): readonly string[] {
  if (proxy.username === '') return [];
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return ['proxy-authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
}
