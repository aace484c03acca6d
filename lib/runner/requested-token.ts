import type { Authorization } from '../client/exchange.ts';
import type { Scope } from '../contract/model.ts';
import { permittedScopes } from '../tokens/jwt.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { capabilityTable } from './capabilities.ts';
import type { RequirementContext } from './context.ts';
import { NotJudged } from './verdict.ts';

/** A valid token that permits these scopes. @throws NotJudged if no source has one */
export async function requestedToken(tokens: Tokens, scopes: readonly Scope[]): Promise<Authorization> {
  const found = await tokens.permitting(scopes);
  if (found !== undefined) return found;
  // The clock may have been moved beyond the expiry of a token.
  const reason = `no available token permits ${brief(scopes.map(({ name }) => name))}, or it has expired`;
  throw new NotJudged(reason, capabilityTable.token.requiredFlags);
}

/**
 * A valid token that permits these scopes and, if the token shows what it permits, no others.
 * @throws NotJudged if there is none: a token command may ignore which scopes it is asked for
 */
export async function tokenWithOnly(
  ctx: RequirementContext,
  scopes: readonly Scope[],
  variation?: number,
): Promise<Authorization> {
  const authorization = await ctx.token(scopes, variation);
  if (ctx.can('mint')) return authorization;
  const requested = new Set(scopes.map(({ name }) => name));
  const others = [...(permittedScopes(authorization.claims ?? {}) ?? [])].filter(
    (name) => !requested.has(name),
  );
  if (others.length === 0) return authorization;
  const reason = `the token command issued a token with scopes that were not requested: ${brief(others)}`;
  throw new NotJudged(reason, ['--token-command']);
}

const brief = (names: readonly string[]): string =>
  names.length > 3 ? `${names[0]} and ${names.length - 1} more scopes` : names.join(' ');
