import type { Exchange, Failure } from '../client/exchange.ts';
import { type Environment, proxyFor } from '../client/proxy.ts';
import type { Operation } from '../contract/model.ts';
import { oneLine } from '../contract/one-line.ts';
import type { Target } from '../runner/connect.ts';
import { notFoundEverywhere } from '../runner/tenant-state.ts';

/** A request before the run, which is neither counted nor recorded. */
export interface Probe extends Pick<Exchange, 'response' | 'failure'> {
  readonly operation: Operation | undefined;
  readonly url: string;
}

type Tested = Pick<Target, 'baseUrl' | 'capabilities'>;

const otherPort = 'Does --base-url have the right scheme (http or https) and port?';

/** What each kind of failure says about an origin, and what to do about it. */
const causes: Readonly<Partial<Record<Failure['kind'], readonly [what: string, remedy: string]>>> = {
  refused: ['No server is listening at', 'Start the server, or check host and port of --base-url.'],
  tls: [
    'The certificate is not trusted:',
    'Trust the authority that issued it with --ca FILE, accept any with --insecure, or use http://.',
  ],
  timeout: ['The request timed out at', 'Check for a firewall or a busy server, or raise --timeout MS.'],
  malformed: ['No server speaks this protocol at', otherPort],
  closed: ['The connection was closed without a response by', otherPort],
};

/** Why there is no response, and what to do about it: one paragraph. */
export function explainFailure(
  { url, failure }: Pick<Probe, 'url' | 'failure'>,
  environment: Environment = process.env,
): string {
  const { origin, hostname } = new URL(url);
  const kind = failure?.message.includes('WRONG_VERSION_NUMBER') ? 'malformed' : failure?.kind;
  const [what, remedy] = causes[kind ?? 'unknown'] ?? ['No response could be read from', 'See its logs.'];
  // OpenSSL names its own source lines; the code at the end is enough.
  const message = failure?.message.replace(/^.*\((ERR_SSL_\w+|EPROTO)\)$/, '$1') ?? 'no response';
  const proxy = proxyFor(origin, environment);
  const through =
    proxy && ` The request went through the proxy ${proxy.host}; to bypass it, add ${hostname} to NO_PROXY.`;
  return `${what} ${origin} (${message}). ${remedy}${through ?? ''}`;
}

/** What makes a run useless, or may do so: one paragraph with a remedy. */
export interface Obstacle {
  readonly explanation: string;
  /** True if nothing can be judged. */
  readonly isFatal: boolean;
}

/** An obstacle because of which nothing can be judged. */
export function fatal(explanation: string): Obstacle {
  return { explanation, isFatal: true };
}

/** Explains why nothing can be judged if only something other than the service responds; undefined if it does. */
export function explainResponses(
  { baseUrl, capabilities }: Tested,
  probes: readonly Probe[],
): Obstacle | undefined {
  const responses = probes.flatMap(({ response }) => response ?? []);
  const [first] = responses;
  if (first === undefined) return undefined;
  const statuses = [...new Set(responses.map(({ status }) => status))];
  const location = first.header('location');
  if (location !== undefined && statuses.every((status) => status >= 300 && status < 400)) {
    const there = URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : undefined;
    return fatal(
      `The target redirects to ${there === undefined ? 'another address' : there.origin + there.pathname} (${first.status}). The suite does not follow redirects: use the address that it leads to as --base-url.`,
    );
  }
  if (statuses.every((status) => status >= 500)) {
    const said = oneLine(first.text).slice(0, 100);
    return fatal(
      `The target responds to every request with ${statuses.join(' or ')}: the server, or the service behind its gateway, is failing. See its logs.${said && ` The first response says: ${said}`}`,
    );
  }
  if (probes.every(isForeign))
    return fatal(
      `${baseUrl} responds with ${first.status} and a body that is not JSON: this looks like a login page or a gateway, not the service. Check host and path of --base-url (https://<tenant domain>/api/v2).`,
    );
  // An ID in a path may be unknown.
  const hasListing = probes.some(({ operation }) => operation !== undefined && !operation.path.includes('{'));
  if (!statuses.every((status) => status === 404) || !hasListing) return undefined;
  // Without a token a server may hide what it has, in JSON; and a tenant without data may not be there.
  const mayBeRefusal = !capabilities.has('token') && responses.some(({ json }) => json !== undefined);
  return {
    explanation: notFoundEverywhere(baseUrl),
    isFatal: !mayBeRefusal && !capabilities.has('seed'),
  };
}

/** Explains that a gateway answers in the service's place, if it refuses every request; undefined if it does not. */
export function explainBlocked(
  { baseUrl, capabilities }: Tested,
  probes: readonly Probe[],
): Obstacle | undefined {
  if (!probes.every(isBlocked)) return undefined;
  // Without a token it may be the service that refuses.
  const isFatal = capabilities.has('token');
  return {
    explanation: `${baseUrl} responds to every request with 403 and a page of HTML${isFatal ? ', with a token too' : ''}: this looks like a gateway or a firewall, not the service. Let the requests of the suite through, or add what the gateway expects with --header.`,
    isFatal,
  };
}

/** True for a page of HTML with 403, such as that of a web application firewall. */
function isBlocked({ response }: Probe): boolean {
  return response?.status === 403 && /^\s*</.test(response.text);
}

/** True for a successful response that is not JSON if JSON is declared: something other than the service responded. */
function isForeign({ operation, response }: Probe): boolean {
  const isJson =
    operation?.success.every(({ content }) => content.some(({ kind }) => kind === 'json')) ?? true;
  // The specification does not define the bodies of error responses. JSON that cannot be parsed is for the requirements to judge.
  return (
    isJson &&
    response !== undefined &&
    response.status < 300 &&
    response.json === undefined &&
    !/^\s*[[{]/.test(response.text)
  );
}
