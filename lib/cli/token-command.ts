import { isObject } from '../contract/json.ts';
import type { Scope } from '../contract/model.ts';
import { labelled } from './files.ts';
import { texts } from './option-types.ts';
import { readContract, scopeOf } from './plan.ts';
import { collectSettings } from './settings.ts';
import { readSigningKey } from './signing-key.ts';
import { UsageError } from './usage.ts';

const label = '--scopes';

/**
 * `token`: prints a token that is signed with `--signing-key`, as the suite mints them, for curl.
 * @throws UsageError
 */
export async function tokenCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const { settings, extras } = collectSettings(flags, process.env);
  const { signingKey: file, issuer } = settings;
  if (file === undefined) throw new UsageError('token needs --signing-key');
  const [scopes, changes] = [scopesOf(flags.scopes), claimsOf(flags.claims)];
  const [signingKey, contract, { createTokenMinter }, { Clock }] = await Promise.all([
    readSigningKey(file),
    readContract({ settings, extras }),
    import('../tokens/token-minter.ts'),
    import('../tokens/clock.ts'),
  ]);
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
  const { value } = await minter.sign(Object.fromEntries(kept));
  process.stdout.write(`${value.replace(/^Bearer /, '')}\n`);
  return 0;
}

function scopesOf(given: unknown): readonly Scope[] {
  if (given === undefined) return [];
  const names = [given]
    .flat()
    .flatMap((each) => texts('').parse(each, { label, folder: '', environment: process.env }));
  return names.map((name) => scopeOf(name, label));
}

function claimsOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  const claims: unknown = labelled('--claims', () => JSON.parse(String(given)));
  if (!isObject(claims)) throw new UsageError('--claims must be a JSON object');
  return claims;
}
