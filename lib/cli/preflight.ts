import type { Authorization } from '../client/exchange.ts';
import type { Operation } from '../contract/model.ts';
import type { ConnectedTarget } from '../runner/connect.ts';
import { clockSkew, explainFailure, explainSkew, explainStranger, isPage } from './diagnosis.ts';
import { plannedChanges, unlockable } from './foretell.ts';
import type { Plan } from './plan.ts';
import { get, type Probe, probe, probedOperations } from './probe.ts';
import type { ResolvedOptions } from './settings.ts';
import { oneLine } from './usage.ts';

/** What was found before anything is judged. */
export interface Preflight {
  /** Rows of the screen. */
  readonly facts: readonly (readonly [what: string, found: string])[];
  /** What looks wrong, each with its remedy. */
  readonly warnings: readonly string[];
  /** What the run will change. */
  readonly changes: readonly string[];
  /** What will not be judged, by what would unlock it. */
  readonly unjudged: readonly string[];
  /** Why nothing can be judged, with the remedy. */
  readonly fatal?: string;
}

type Facts = [what: string, found: string][];

/**
 * Looks at the target before anything is judged: does it answer, does it take the credentials, is it the service at all? Only
 * reads; the requests are neither counted nor recorded.
 */
export async function preflight(
  target: ConnectedTarget,
  plan: Plan,
  told: ResolvedOptions,
): Promise<Preflight> {
  const facts: Facts = [];
  const warnings: string[] = [];
  const found = (fatal?: string): Preflight => ({
    facts,
    warnings,
    changes: fatal === undefined ? plannedChanges(target, plan, told) : [],
    unjudged: fatal === undefined ? unlockable(target, plan) : [],
    ...(fatal !== undefined && { fatal: target.driver.scrub(fatal) }),
  });
  const operations = probedOperations(target);
  const [listing] = operations;
  const first = listing === undefined ? await get(target, target.baseUrl) : await probe(target, listing);
  if (first.response === undefined) return found(explainFailure(first));
  facts.push(['reachable', `yes (${first.response.status} without a token)`]);
  const skew = explainSkew(clockSkew(first));
  if (skew !== undefined) warnings.push(skew);

  const credentials = await tryCredentials(target, operations);
  facts.push(['credentials', credentials.says]);
  facts.push(...capabilityFacts(target));
  if (credentials.fatal !== undefined) {
    return found([credentials.fatal, skew].filter((each) => each !== undefined).join(' '));
  }
  const answers = credentials.probes.length > 0 ? credentials.probes : [first];
  const strangers = answers.map(explainStranger);
  if (strangers.every((each) => each !== undefined)) return found(strangers[0]);
  const place = await explainPlace(target, answers);
  if (place.warning !== undefined) warnings.push(place.warning);
  return found(place.fatal);
}

interface Credentials {
  readonly says: string;
  readonly probes: readonly Probe[];
  readonly fatal?: string;
}

/** Reads some operations with valid tokens. Refused means that every one of them got 401, or that no token could be had. */
async function tryCredentials(
  target: ConnectedTarget,
  operations: readonly Operation[],
): Promise<Credentials> {
  if (!target.capabilities.has('token')) return { says: 'none given', probes: [] };
  const permitted: [Operation, Authorization][] = [];
  const without: string[] = [];
  for (const operation of operations) {
    let authorization: Authorization | undefined;
    try {
      authorization = await target.tokens.permitting(operation.scopes);
    } catch (error) {
      return { says: 'refused', probes: [], fatal: noToken(target, oneLine(error)) };
    }
    if (authorization === undefined) without.push(...operation.scopes.map(({ name }) => name));
    else permitted.push([operation, authorization]);
  }
  const probes = await Promise.all(permitted.map((each) => probe(target, ...each)));
  const answered = probes.filter(({ response }) => response !== undefined);
  const lacking = without.length === 0 ? '' : `; no token at hand permits ${without.join(', ')}`;
  if (answered.length > 0 && answered.every(({ response }) => response?.status === 401)) {
    return { says: 'refused (401)', probes, fatal: refused(target) };
  }
  const refusals = answered.filter(({ response }) => response?.status === 403);
  if (refusals.length > 0 && refusals.length === answered.length) {
    const scopes = refusals.flatMap(({ operation }) => operation?.scopes.map(({ name }) => name) ?? []);
    return { says: `accepted, but without permission (403) for ${scopes.join(', ')}${lacking}`, probes };
  }
  if (answered.length === 0) return { says: `not tried${lacking}`, probes };
  const statuses = new Set(answered.map(({ response }) => response?.status ?? 0));
  const isAccepted = [...statuses].some((status) => status >= 200 && status < 300);
  return {
    says: `${isAccepted ? 'accepted' : `not refused (${[...statuses].join(', ')})`}${lacking}`,
    probes,
  };
}

function noToken(target: ConnectedTarget, why: string): string {
  if (target.client === undefined) return `No token could be had: ${why}. Check --token-command.`;
  return `No token could be had: ${why}. Check --client-id, --client-secret, --token-url and --audience.`;
}

function refused(target: ConnectedTarget): string {
  const general = 'The target refuses the credentials: every request with a token was answered with 401.';
  if (target.tokens.minter !== undefined)
    return `${general} Does it trust the signing key (its public half, in the target's JWKS), and are --issuer and --audience the ones that it expects?`;
  if (target.client !== undefined)
    return `${general} Is the token of this client meant for this target (--audience, --token-url)?`;
  return `${general} Has the token expired, and was it issued for this target?`;
}

function capabilityFacts({ capabilities, control, resources, tokens, client }: ConnectedTarget): Facts {
  const sources = [
    tokens.minter !== undefined && 'minted by the signing key',
    capabilities.has('scopes') && tokens.minter === undefined && 'by command, with any scopes',
    client !== undefined && `by client ${client.id}`,
  ].filter((each) => each !== false);
  const supported = control === undefined ? 'none (--control URL)' : [...control.supports].join(', ');
  const count = (ids: readonly string[], what: string) => `${ids.length === 0 ? 'no' : ids.length} ${what}`;
  return [
    ...(sources.length > 0 ? [['tokens', sources.join('; ')] satisfies [string, string]] : []),
    ['control', supported === '' ? 'supports nothing' : supported],
    [
      'resources',
      capabilities.has('seed')
        ? "the suite's own data set, for the time of the run"
        : [
            count(resources.actions, 'action'),
            count(resources.selfServiceProfiles, 'self-service profile'),
            count(resources.rateLimitPolicies, 'rate limit policy'),
          ].join(', '),
    ],
  ];
}

/** Whether what answers is the service at all: not where another path of the same host is, or a page for people answers. */
async function explainPlace(
  target: ConnectedTarget,
  answers: readonly Probe[],
): Promise<{ readonly fatal?: string; readonly warning?: string }> {
  const isLost = (each: Probe) => each.response?.status === 404;
  // A refusal may be a page: the specification leaves its body free.
  const isSite = (each: Probe) => isPage(each) && (each.response?.status ?? 0) < 300;
  if (!answers.every((each) => isLost(each) || isSite(each))) return {};
  const { origin, pathname } = new URL(target.baseUrl);
  const operation = answers[0]?.operation;
  const elsewhere = new Set([`${origin}${pathname.replace(/\/+$/, '')}/api/v2`, `${origin}/api/v2`]);
  elsewhere.delete(target.baseUrl);
  for (const candidate of elsewhere) {
    if (operation === undefined) break;
    const there = await probe(target, operation, undefined, candidate);
    if (there.response !== undefined && !isLost(there) && !isSite(there))
      return {
        fatal: `The service is not at ${target.baseUrl} (404), but at ${candidate}: give that as --base-url.`,
      };
  }
  if (answers.every(isSite)) {
    return {
      fatal: `${target.baseUrl} answers with HTML where JSON belongs: this is a page for people, a login or a gateway, not the service. Check host and path of --base-url (https://<tenant domain>/api/v2).`,
    };
  }
  return { warning: 'Everything that was tried is not found (404): is the path of --base-url right?' };
}
