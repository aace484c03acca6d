import { readFileSync, rmSync } from 'node:fs';
import { isObject, parseJson } from '../contract/json.ts';
import { oneLine } from '../contract/one-line.ts';
import { createSigningKey } from '../fake/keys.ts';
import { jsonText } from '../report/text.ts';
import { importSigningKey } from '../tokens/signing-key.ts';
import { keysOptions } from './command-options.ts';
import { assertReplaceable, labelErrors, writeJson } from './files.ts';
import { type Flags, parseFlags } from './options.ts';
import { printError } from './output.ts';
import { programName } from './package.ts';
import { UsageError } from './usage.ts';

/**
 * Reads a private JSON Web Key.
 * @throws UsageError that says in one line what is wrong with the file, without quoting it
 */
export async function readSigningKey(file: string): Promise<unknown> {
  const text = readFileSync(file, 'utf8').trim();
  const wrong = (why: string) => new UsageError(`--signing-key ${file}: ${why}`);
  const found = parseJson(text);
  if (found === undefined) {
    const what = text.startsWith('-----BEGIN') ? 'PEM' : 'not JSON';
    throw wrong(
      `this is ${what}; a private JSON Web Key (JWK) is needed, and \`${programName()} keys\` makes one`,
    );
  }
  // A set of one key is that key.
  const keys = isObject(found) && Array.isArray(found.keys) ? found.keys : [found];
  const [key]: unknown[] = keys;
  if (keys.length !== 1) throw wrong('this is a set of keys (JWKS); give a single private key');
  await importSigningKey(key).catch((error: unknown) => {
    throw wrong(oneLine(error));
  });
  return key;
}

/** Makes a signing key: the private half in a file that only its owner can read, the public half as a JWKS on standard output. */
export async function keysCommand(given: Flags): Promise<number> {
  const { jwks: jwksFile, force, ...own } = parseFlags(keysOptions, given);
  const { alg = keysOptions.alg.default, out = keysOptions.out.default } = own;
  assertReplaceable(out, force);
  const { privateJwk, publicJwk } = await createSigningKey(alg);
  const jwks = { keys: [publicJwk] };
  // A file that is overwritten keeps its mode, which may let others read it.
  labelErrors('--out', () => {
    rmSync(out, { force: true });
    writeJson(out, privateJwk, 0o600);
  });
  if (jwksFile !== undefined) labelErrors('--jwks', () => writeJson(jwksFile, jwks));
  process.stdout.write(jsonText(jwks));
  const run = `${programName()} --signing-key ${out} --base-url URL`;
  printError(`private key: ${out} (keep it secret); run the suite: ${run}\n`);
  printError(
    `the target must trust the JWKS above${jwksFile === undefined ? '' : `, also in ${jwksFile}`}\n`,
  );
  return 0;
}
