import type { Authorization } from '../client/exchange.ts';
import type { Scope } from '../contract/model.ts';
import { connectTarget } from '../runner/connect.ts';
import type { TokenMinter } from '../tokens/token-minter.ts';
import { tokenCommandOptions } from './command-options.ts';
import { type Flags, type OptionValues, parseFlags } from './options.ts';
import { readContract, scopeOf, targetOptions } from './plan.ts';
import { collectSettings } from './settings.ts';
import { oneLine, UsageError } from './usage.ts';

/**
 * `token`: prints a token for curl: one that the suite mints with `--signing-key`, or else one of the run's other sources.
 * @throws UsageError
 */
export async function tokenCommand(flags: Flags): Promise<number> {
  const resolved = collectSettings(flags, process.env);
  const { signingKey, baseUrl, issuer } = resolved.settings;
  const own = parseFlags(tokenCommandOptions, flags);
  const scopes = (own.scopes ?? []).flatMap((names) =>
    names.split(/[\s,]+/).map((name) => scopeOf(name, '--scopes')),
  );
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
        ? await target.tokens.permitting(scopes).catch(fail)
        : await minted(minter, scopes, { ...own, claims });
    if (found === undefined) throw new UsageError('token: no source of tokens has one with these scopes');
    process.stdout.write(`${found.value.replace(/^Bearer /, '')}\n`);
    return 0;
  } finally {
    await target.close();
  }
}

/** A token with the scopes, claims and header that the flags name; a member of null is left out. */
function minted(
  minter: TokenMinter,
  scopes: readonly Scope[],
  own: Partial<OptionValues<typeof tokenCommandOptions>>,
): Promise<Authorization> {
  const { signature, expiresIn, tokenHeader = {} } = own;
  const claims = {
    ...minter.claims(scopes),
    ...(expiresIn !== undefined && { exp: minter.now() + expiresIn }),
    ...own.claims,
  };
  const kept = Object.entries(claims).filter(([, value]) => value !== null);
  const header = Object.entries(tokenHeader).map(([name, value]) => [name, value ?? undefined]);
  return minter.sign(Object.fromEntries(kept), Object.fromEntries(header), signature);
}
