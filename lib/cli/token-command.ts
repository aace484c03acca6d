import type { Authorization } from '../client/exchange.ts';
import type { Contract, Scope } from '../contract/model.ts';
import { connectTarget, defaultIssuer } from '../runner/connect.ts';
import { Clock } from '../tokens/clock.ts';
import { createTokenMinter, signAs } from '../tokens/token-minter.ts';
import { tokenCommandOptions } from './command-options.ts';
import { type OptionValues, parseFlags } from './options.ts';
import { readContract, scopeOf, targetOptions } from './plan.ts';
import { collectSettings, type ResolvedOptions } from './settings.ts';
import { readSigningKey } from './signing-key.ts';
import { oneLine, UsageError } from './usage.ts';

/**
 * `token`: prints a token for curl: one that the suite mints with `--signing-key`, or else one of the run's other sources.
 * @throws UsageError
 */
export async function tokenCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const resolved = collectSettings(flags, process.env);
  const { signingKey, baseUrl } = resolved.settings;
  const own = parseFlags(tokenCommandOptions, flags);
  const scopes = (own.scopes ?? []).flatMap((names) =>
    names.split(/[\s,]+/).map((name) => scopeOf(name, '--scopes')),
  );
  const contract = await readContract(resolved);
  if (signingKey === undefined && baseUrl === undefined)
    throw new UsageError('token needs --signing-key, or --base-url with another source of tokens');
  const { value } =
    signingKey === undefined
      ? await issued(resolved, contract, scopes)
      : await minted(resolved, contract, scopes, signingKey, own);
  process.stdout.write(`${value.replace(/^Bearer /, '')}\n`);
  return 0;
}

async function minted(
  { settings, extras }: ResolvedOptions,
  contract: Contract,
  scopes: readonly Scope[],
  file: string,
  own: Partial<OptionValues<typeof tokenCommandOptions>>,
): Promise<Authorization> {
  const { signature = tokenCommandOptions.signature.default, expiresIn } = own;
  const signingKey = await readSigningKey(file);
  const { baseUrl } = settings;
  const issuer = settings.issuer ?? (baseUrl === undefined ? undefined : defaultIssuer(baseUrl));
  const minter = await createTokenMinter({
    signingKey,
    audience: settings.audience ?? contract.tokenEndpoint?.audience ?? '/api/v2/',
    clock: new Clock(),
    ...(issuer !== undefined && { issuer }),
    ...(extras.auth?.claims && { claims: extras.auth.claims }),
    ...(extras.auth?.header && { tokenHeader: extras.auth.header }),
  });
  const claims = {
    ...minter.claims(scopes),
    ...(expiresIn !== undefined && { exp: minter.now() + expiresIn }),
    ...own.claims,
  };
  const kept = Object.entries(claims).filter(([, value]) => value !== null);
  return signAs(minter, signature, Object.fromEntries(kept), own.tokenHeader);
}

/** @throws UsageError where no source gives one */
async function issued(
  resolved: ResolvedOptions,
  contract: Contract,
  scopes: readonly Scope[],
): Promise<Authorization> {
  const { baseUrl = '' } = resolved.settings;
  const { control: _, ...options } = await targetOptions(resolved, contract);
  const target = await connectTarget({ ...options, baseUrl });
  try {
    const found = await target.tokens.permitting(scopes).catch((error: unknown) => {
      throw new UsageError(`token: ${oneLine(error)}`);
    });
    if (found === undefined) throw new UsageError('token: no source of tokens has one with these scopes');
    return found;
  } finally {
    await target.close();
  }
}
