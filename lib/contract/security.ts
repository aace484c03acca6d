import { isObject, type JsonObject } from './json.ts';
import { type Operation, parseScope, type Scope, type TokenEndpoint } from './model.ts';

type Security = Pick<Operation, 'authenticated' | 'otherSchemes' | 'scopes' | 'alternatives'>;

/** Flows of OAuth 2.0 in a security scheme, in the order of the document. */
function flowsOf(scheme: unknown): readonly (readonly [name: string, flow: JsonObject])[] {
  const flows = isObject(scheme) && isObject(scheme.flows) ? Object.entries(scheme.flows) : [];
  return flows.flatMap(([name, flow]) => (isObject(flow) ? [[name, flow] as const] : []));
}

/** True for a scheme whose credentials are a bearer token. */
function isBearer(scheme: unknown): boolean {
  if (!isObject(scheme)) return false;
  return scheme.type === 'oauth2' || (scheme.type === 'http' && /^bearer$/i.test(String(scheme.scheme)));
}

/**
 * What an operation's security requirements demand (OpenAPI 3.1, section 4.8.30): all schemes of one of the alternatives. Tokens
 * are judged by the alternatives that need only bearer tokens. A bearer scheme without scopes says nothing about scopes; an
 * OAuth 2.0 scheme without scopes requires none.
 */
export function securityOf(security: readonly unknown[], schemes: JsonObject): Security {
  const alternatives = security.filter(isObject).map((each) =>
    Object.entries(each).map(([name, scopes]) => ({
      scheme: isObject(schemes[name]) ? schemes[name] : {},
      scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    })),
  );
  const byToken = alternatives.filter((all) => all.length > 0 && all.every(({ scheme }) => isBearer(scheme)));
  const open = alternatives.length === 0 || alternatives.some((all) => all.length === 0);
  const others = alternatives.flat().filter(({ scheme }) => !isBearer(scheme));
  const needsOthers = !open && byToken.length === 0;
  const kinds = others.map(({ scheme }) =>
    String(scheme.type === 'http' ? scheme.scheme : (scheme.type ?? 'unknown')),
  );
  const named = byToken
    .filter((all) => all.some(({ scheme, scopes }) => scopes.length > 0 || scheme.type === 'oauth2'))
    .map((all) => [...new Set(all.flatMap(({ scopes }) => scopes))].map(parseScope));
  // The scopes claim can express only scopes of the form `<verb>:<resource>` (section 5.2).
  const sets = named.map((all) => all.filter((each) => each !== undefined));
  const isKnown = named.every((all, index) => all.length > 0 && all.length === sets[index]?.length);
  const usable = open || needsOthers || !isKnown ? [] : sets;
  return {
    authenticated: !open && !needsOthers,
    otherSchemes: needsOthers ? [...new Set(kinds)] : [],
    scopes: usable[0] ?? [],
    alternatives: usable,
  };
}

/** The scopes that the flows of the schemes list and the operations require, each once. */
export function scopesOf(schemes: JsonObject, operations: readonly Operation[]): readonly Scope[] {
  const listed = Object.values(schemes)
    .flatMap(flowsOf)
    .flatMap(([, { scopes }]) => (isObject(scopes) ? Object.keys(scopes) : []))
    .flatMap((name) => parseScope(name) ?? []);
  const needed = operations.flatMap(({ alternatives }) => alternatives.flat());
  return [...new Map([...listed, ...needed].map((scope) => [scope.name, scope])).values()];
}

/** The client-credentials token endpoint, if a scheme has that flow. */
export function tokenEndpointOf(schemes: JsonObject): TokenEndpoint | undefined {
  const flows = Object.values(schemes).flatMap(flowsOf);
  const [, flow] = flows.find(([name]) => name === 'clientCredentials') ?? [];
  const base = 'https://tenant.localhost';
  if (typeof flow?.tokenUrl !== 'string' || !URL.canParse(flow.tokenUrl, base)) return undefined;
  const form = flow['x-form-parameters'];
  return {
    path: new URL(flow.tokenUrl, base).pathname,
    audience: isObject(form) && typeof form.audience === 'string' ? form.audience : '/api/v2/',
  };
}
