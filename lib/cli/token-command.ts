import type { Authorization } from '../client/exchange.ts';
import { type JsonObject, mapValues } from '../contract/json.ts';
import { parseScope, type Scope } from '../contract/model.ts';
import { oneLine } from '../contract/one-line.ts';
import { connectTarget } from '../runner/connect.ts';
import type { TokenMinter } from '../tokens/token-minter.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { tokenCommandOptions } from './command-options.ts';
import { type Flags, type OptionValues, parseFlags } from './options.ts';
import { readContract, targetOptions } from './plan.ts';
import { collectSettings } from './settings.ts';
import { UsageError } from './usage.ts';

/**
 * `token`: prints a token for curl: one that the suite mints with `--signing-key`, or else one of the run's other sources.
 * @throws UsageError
 */
export async function tokenCommand(flags: Flags): Promise<number> {
  const resolved = collectSettings(flags, process.env);
  const { signingKey, baseUrl, issuer } = resolved.settings;
  const own = parseFlags(tokenCommandOptions, flags);
  const scopes = (own.scopes ?? []).flatMap((names) => names.split(/[\s,]+/).map(scopeOf));
  if (signingKey === undefined && baseUrl === undefined)
    throw new UsageError('token needs --signing-key, or --base-url with another source of tokens');
  const { control: _, ...options } = await targetOptions(resolved, await readContract(resolved));
  const fail = (error: unknown) => {
    throw new UsageError(`token: ${oneLine(error)}`);
  };
  const target = await connectTarget({ ...options, baseUrl: baseUrl ?? 'http://localhost' }).catch(fail);
  try {
    const { minter } = target.tokens;
    // Without a base URL nothing says who issues the token.
    const claims = { ...(issuer === undefined && baseUrl === undefined && { iss: null }), ...own.claims };
    const found =
      minter === undefined
        ? await issued(target.tokens, scopes, own).catch(fail)
        : await minted(minter, scopes, { ...own, claims });
    if (found === undefined) throw new UsageError('token: no source of tokens has one with these scopes');
    process.stdout.write(`${found.value.replace(/^Bearer /, '')}\n`);
    return 0;
  } finally {
    await target.close();
  }
}

function scopeOf(name: string): Scope {
  const scope = parseScope(name);
  if (scope === undefined) throw new UsageError(`--scopes: ${name} is not a scope such as read:actions`);
  return scope;
}

type OwnOptions = Partial<OptionValues<typeof tokenCommandOptions>>;

/** A token from another source than a signing key, or with `--signature` an invalid one with its claims. */
async function issued(
  tokens: Tokens,
  scopes: readonly Scope[],
  { signature, tokenHeader, claims, expiresIn }: OwnOptions,
): Promise<Authorization | undefined> {
  if (claims !== undefined || expiresIn !== undefined)
    throw new UsageError('--claims and --expires-in need --signing-key');
  const isValid = signature === undefined || signature === 'signing-key';
  if (isValid && tokenHeader !== undefined)
    throw new UsageError('--token-header needs --signing-key, or another --signature');
  if (!isValid && /^hmac-(?!empty|kid|secret)/.test(signature))
    throw new UsageError(`--signature ${signature} needs --signing-key: its secret is the public key`);
  const valid = await tokens.permitting(scopes);
  if (valid === undefined || isValid) return valid;
  const token = tokens.alterable(valid);
  if (token === undefined) throw new UsageError('--signature: the token is not a JSON Web Token');
  return token.altered(signature, headerOf(tokenHeader));
}

/** A token with the scopes, claims and header that the flags name; a member of null is left out. */
function minted(minter: TokenMinter, scopes: readonly Scope[], own: OwnOptions): Promise<Authorization> {
  const { signature, expiresIn, tokenHeader } = own;
  const claims = {
    ...minter.claims(scopes),
    ...(expiresIn !== undefined && { exp: minter.now() + expiresIn }),
    ...own.claims,
  };
  const kept = Object.entries(claims).filter(([, value]) => value !== null);
  return minter.sign(Object.fromEntries(kept), headerOf(tokenHeader), signature);
}

/** The members of `--token-header`; undefined for those to remove. */
const headerOf = (members: JsonObject = {}): JsonObject => mapValues(members, (value) => value ?? undefined);
