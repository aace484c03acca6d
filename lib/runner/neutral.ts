import type { Request } from '../client/exchange.ts';
import { isObject } from '../contract/json.ts';
import { type Operation, type Scope, safeMethods } from '../contract/model.ts';
import type { Call } from './call.ts';
import { hash } from './resource-pool.ts';
import type { Target } from './target.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Claims that change nothing of what a token permits (RFC 7519, section 4), by the usual ones. */
const claimVariations: readonly ((usual: Claims) => Claims)[] = [
  () => ({}),
  ({ iat }) => ({ nbf: Number(iat) - 3600 }),
  ({ aud }) => ({ aud: [aud].flat() }),
  ({ iat }) => ({ exp: Number(iat) + 7 * 24 * 3600 }),
  ({ iat, ...usual }) => ({ jti: `t-${iat}`, client_id: 'conformance', roles: ['admin'], ...usual }),
  (usual) => ({ note: 'n'.repeat(1_500), ...usual }),
];

/** Further scopes of a token. Its header field stays under the limits of common servers and proxies (8 KB). */
const furtherScopes: readonly number[] = [0, 0, 1, 30];

/** Characters of the correlation ID of a changing request; with 0 it has none. */
const correlationIdLengths: readonly number[] = [0, 0, 36, 100];

/**
 * Varies what changes nothing of a request's meaning: further claims and scopes of its token, a correlation ID, the order of
 * its query parameters and of the members of its body. So a defect that shows only beside one of them is met by the
 * requirement that is about it. What a target does not accept in a plain request is not used.
 */
export class NeutralVariations {
  #claims = claimVariations.slice(0, 1);
  #scopes = furtherScopes.slice(0, 1);
  readonly #others: readonly Scope[];

  constructor({ contract }: Pick<Target, 'contract'>) {
    this.#others = contract.scopes;
  }

  /** Finds out which variations of a token the target accepts, by one request each. */
  async probe(target: Target): Promise<void> {
    const { minter } = target.tokens;
    const operation = target.contract.operations.find(
      ({ method, path, authenticated, parameters }) =>
        safeMethods.has(method) &&
        authenticated &&
        !path.includes('{') &&
        !parameters.some((each) => each.required),
    );
    if (minter === undefined || operation === undefined) return;
    const isAccepted = async (claims: Claims): Promise<boolean> => {
      const authorization = await minter.sign(claims);
      const request: Request = { operation, method: operation.method, target: operation.path, authorization };
      const { status = 0 } = (await target.call(request)).response ?? {};
      return status >= 200 && status < 300;
    };
    const usual = minter.claims(operation.scopes);
    if (!(await isAccepted(usual))) return;
    for (const vary of claimVariations.slice(1))
      if (await isAccepted({ ...usual, ...vary(usual) })) this.#claims.push(vary);
    for (const count of new Set(furtherScopes.slice(1)))
      if (await isAccepted(minter.claims(this.#withFurther(operation.scopes, count))))
        this.#scopes.push(count);
  }

  /** The claims with others beside them. @param key what chooses among the variations: equal keys, equal claims */
  claims(usual: Claims, key: string): Claims {
    return { ...usual, ...choose(this.#claims, `claims ${key}`)(usual) };
  }

  /** The scopes with others of the catalogue. */
  scopes(needed: readonly Scope[], key: string): readonly Scope[] {
    return this.#withFurther(needed, choose(this.#scopes, `scopes ${key}`));
  }

  #withFurther(needed: readonly Scope[], count: number): readonly Scope[] {
    if (count === 0) return needed;
    const names = new Set(needed.map(({ name }) => name));
    const others = this.#others.filter(({ name }) => !names.has(name));
    // Of the whole catalogue, so that they name as many resources.
    const step = Math.max(1, Math.floor(others.length / count));
    return [...others.filter((_, index) => index % step === 0).slice(0, count), ...needed];
  }

  /** The request with its members in another order, and a correlation ID where it may carry one (section 5). */
  vary({ correlation }: Operation, call: Call, key: string): Call {
    const { query, json, form, headers = [] } = call;
    const isReversed = hash(`order ${key}`) % 2 === 1;
    const reversed = <T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
      Object.fromEntries(Object.entries(members).toReversed());
    const length = choose(correlationIdLengths, `headers ${key}`);
    const field = correlation?.header.toLowerCase();
    const hasId = headers.some(([name]) => name.toLowerCase() === field);
    return {
      ...call,
      ...(isReversed && isObject(query) && { query: reversed(query) }),
      ...(isReversed && isObject(json) && { json: reversed(json) }),
      ...(isReversed && isObject(form) && { form: reversed(form) }),
      ...(field !== undefined &&
        !hasId &&
        length > 0 && { headers: [...headers, [field, `varied-${hash(key)}-`.padEnd(length, 'x')]] }),
    };
  }

  /** Valid optional query parameters of a request that is refused for its token, whatever else it asks for. */
  query({ parameters }: Operation, key: string): Readonly<Record<string, string>> {
    const optional = parameters.filter((each) => each.in === 'query' && !each.required);
    const chosen = optional.filter(({ name }) => hash(`query ${name} ${key}`) % 3 === 0);
    return Object.fromEntries(
      chosen.flatMap(({ name, schema }): [string, string][] => {
        if (schema.enum !== undefined) return [[name, String(schema.enum[0])]];
        return schema.type === 'integer' ? [[name, String((schema.minimum ?? 0) + 1)]] : [];
      }),
    );
  }
}

function choose<T>(all: readonly T[], key: string): T {
  const found = all[hash(key) % all.length];
  if (found === undefined) throw new RangeError('nothing to choose from');
  return found;
}
