import type { Authorization } from '../client/exchange.ts';
import { isObject } from '../contract/json.ts';
import type { Contract, Scope } from '../contract/model.ts';
import { connectTarget, defaultIssuer } from '../runner/connect.ts';
import { Clock } from '../tokens/clock.ts';
import { signatures } from '../tokens/jwt.ts';
import { createTokenMinter } from '../tokens/token-minter.ts';
import { labelled } from './files.ts';
import { texts } from './option-types.ts';
import { readContract, scopeOf, targetOptions } from './plan.ts';
import { collectSettings, type ResolvedOptions } from './settings.ts';
import { readSigningKey } from './signing-key.ts';
import { oneLine, UsageError } from './usage.ts';

const label = '--scopes';

/**
 * `token`: prints a token for curl: one that the suite mints with `--signing-key`, or else one of the run's other sources.
 * @throws UsageError
 */
export async function tokenCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const resolved = collectSettings(flags, process.env);
  const { signingKey, baseUrl } = resolved.settings;
  const scopes = scopesOf(flags.scopes);
  const contract = await readContract(resolved);
  if (signingKey === undefined && baseUrl === undefined)
    throw new UsageError('token needs --signing-key, or --base-url with another source of tokens');
  const { value } =
    signingKey === undefined
      ? await issued(resolved, contract, scopes)
      : await minted(resolved, contract, scopes, signingKey, flags);
  process.stdout.write(`${value.replace(/^Bearer /, '')}\n`);
  return 0;
}

async function minted(
  { settings, extras }: ResolvedOptions,
  contract: Contract,
  scopes: readonly Scope[],
  file: string,
  flags: Readonly<Record<string, unknown>>,
): Promise<Authorization> {
  const [changes, header] = [
    objectOf('--claims', flags.claims),
    objectOf('--token-header', flags.tokenHeader),
  ];
  const signature = signatures.find((each) => each === flags.signature) ?? 'signing-key';
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
    ...(typeof flags.expiresIn === 'number' && { exp: minter.now() + flags.expiresIn }),
    ...changes,
  };
  const kept = Object.entries(claims).filter(([, value]) => value !== null);
  return minter.signAs(signature, Object.fromEntries(kept), header);
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

function scopesOf(given: unknown): readonly Scope[] {
  if (given === undefined) return [];
  const names = [given]
    .flat()
    .flatMap((each) => texts('').parse(each, { label, folder: '', environment: process.env }));
  return names.map((name) => scopeOf(name, label));
}

function objectOf(label: string, given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  const value: unknown = labelled(label, () => JSON.parse(String(given)));
  if (!isObject(value)) throw new UsageError(`${label} must be a JSON object`);
  return value;
}
