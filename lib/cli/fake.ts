import { once } from 'node:events';
import { quote } from '../client/reproduce.ts';
import { isObject, present } from '../contract/json.ts';
import { loadLedger } from '../contract/ledger.ts';
import type { Contract } from '../contract/model.ts';
import { oneLine } from '../contract/one-line.ts';
import { select } from '../contract/select.ts';
import { didYouMean } from '../contract/similar.ts';
import {
  type Client,
  DataSetError,
  type Fake,
  type FakeOptions,
  type RulesOverride,
  startFake,
} from '../fake/index.ts';
import { fakeOptions } from './command-options.ts';
import { readJson } from './files.ts';
import { type Flags, type OptionValues, parseFlags } from './options.ts';
import { printError } from './output.ts';
import { readContract } from './plan.ts';
import { readProfile } from './profile.ts';
import { UsageError } from './usage.ts';

type FakeFlags = Partial<OptionValues<typeof fakeOptions>>;

/** `npm run fake`: serves the fake until it is interrupted. */
export async function fakeCommand(given: Flags): Promise<number> {
  const flags: FakeFlags = parseFlags(fakeOptions, given);
  if (flags.listFaults) return listFaults();
  const contract = await readContract({ settings: present({ contract: flags.contract }), extras: {} });
  // Such as a data set that it can't store, scopes that the contract does not have, or a port that is in use.
  const fake = await startFake(await startOptions(flags, contract)).catch((error: unknown) => {
    const cause = error instanceof DataSetError ? `--data ${flags.data}` : "the fake can't start";
    throw new UsageError(`${cause}: ${oneLine(error)}`);
  });
  process.stdout.write(await greeting(fake, flags, contract));
  await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  printError('\nstopped\n');
  await fake.close();
  return 0;
}

async function startOptions(flags: FakeFlags, contract: Contract): Promise<FakeOptions> {
  const { contract: _file, controlPort, trustedJwks, data, fault, variant, ...others } = flags;
  const { clientId, clientSecret, profile, listFaults, ...options } = others;
  const clients = clientsOf(flags, contract);
  return {
    ...options,
    contract,
    ...(controlPort !== undefined && { control: { port: controlPort } }),
    ...(trustedJwks !== undefined && { trustedKeys: readJwks(trustedJwks) }),
    ...(data !== undefined && { dataSet: readObject('--data', data) }),
    ...(clients.length > 0 && { clients }),
    ...((fault || variant) && { rules: await overrides(flags, contract) }),
  };
}

/** The rules of the named faults and variants. */
async function overrides(
  { fault = [], variant = [] }: FakeFlags,
  contract: Contract,
): Promise<readonly RulesOverride[]> {
  const { faults, variants } = await catalogue();
  const { requirements, specific } = loadLedger();
  return [
    ...fault.map((name) => {
      const { requirement, rules } = named('--fault', name, faults);
      const { operations = [] } = requirements.find(({ id }) => id === requirement) ?? {};
      const broken = select(contract, operations, specific).map(({ id }) => id);
      if (operations.length > 0 && broken.length === 0)
        throw new UsageError(`--fault ${name}: the contract has no operation that ${requirement} is about`);
      const operationsText = broken.length === 0 ? '' : ` on ${broken.join(', ')}`;
      process.stdout.write(`fault ${name} breaks ${requirement}${operationsText}\n`);
      return rules;
    }),
    ...variant.map((name) => named('--variant', name, variants).rules),
  ];
}

function named<T extends { readonly name: string }>(flag: string, name: string, known: readonly T[]): T {
  const found = known.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = known.map((each) => each.name);
  const hint = didYouMean(name, names, 3);
  throw new UsageError(`${flag} ${name}: there is no such name${hint} (--list-faults lists all)`);
}

/** All faults and variants. Loaded only when they are named or listed, so that a plain fake starts sooner. */
async function catalogue() {
  const [{ faults }, { genericFaults }, { variants }] = await Promise.all([
    import('../mutation/faults/index.ts'),
    import('../mutation/faults/generic.ts'),
    import('../mutation/variants/index.ts'),
  ]);
  return { faults: [...faults, ...genericFaults], variants };
}

async function listFaults(): Promise<number> {
  const { faults, variants } = await catalogue();
  const { requirements } = loadLedger();
  const broken = (id: string) => requirements.find((each) => each.id === id)?.description;
  const width = Math.max(...faults.map(({ name }) => name.length));
  const lines = [
    `FAULTS (${faults.length}): each breaks the requirement after its name; those of section 9 break other contracts only`,
    ...faults.map(({ name, requirement }) => `${name.padEnd(width)}  ${requirement}: ${broken(requirement)}`),
    '',
    `VARIANTS (${variants.length}): each differs where the specification is silent`,
    ...variants.map(({ name }) => name),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/** The client of the flags and those of the profile; a client without known scopes has every scope. */
function clientsOf(flags: FakeFlags, contract: Contract): readonly Client[] {
  const { clientId, clientSecret = process.env.CONFORMANCE_CLIENT_SECRET ?? '', profile } = flags;
  const every = contract.scopes.map(({ name }) => name);
  const clients: Client[] = [];
  if (clientId !== undefined) {
    if (clientSecret === '')
      throw new UsageError('--client-id needs --client-secret or CONFORMANCE_CLIENT_SECRET');
    clients.push({ client_id: clientId, client_secret: clientSecret, scopes: every });
  } else if (flags.clientSecret !== undefined) throw new UsageError('--client-secret needs --client-id');
  if (profile === undefined) return clients;
  const { auth: { clients: named = [] } = {} } = readProfile(profile, process.env);
  if (named.length === 0) throw new UsageError(`--profile ${profile} has no clients (auth.clients)`);
  return [...clients, ...named.map((client) => ({ ...client, scopes: [...(client.scopes ?? every)] }))];
}

/** A set of keys, or a single one. */
function readJwks(file: string): NonNullable<FakeOptions['trustedKeys']> {
  const found = readObject('--trusted-jwks', file);
  const keys = found.keys ?? [found];
  const isKey = (value: unknown): value is { kty: string } =>
    isObject(value) && typeof value.kty === 'string';
  if (!Array.isArray(keys) || !keys.every(isKey))
    throw new UsageError(`--trusted-jwks ${file}: this is not a key or a set of keys (JWKS)`);
  return { keys };
}

function readObject(flag: string, file: string): Readonly<Record<string, unknown>> {
  return readJson(file, `${flag} ${file}`, (found) => {
    if (!isObject(found)) throw new TypeError('this is not a JSON object');
    return found;
  });
}

/** What is needed to talk to the fake and to test it. */
async function greeting(fake: Fake, flags: FakeFlags, contract: Contract): Promise<string> {
  const token = await fake.token();
  const [first] = fake.clients;
  // It can be read with a token alone.
  const listing = contract.operations.find(({ method, path }) => method === 'GET' && !path.includes('{'));
  const isOwnClient = flags.clientId === undefined && flags.profile === undefined;
  return `${[
    `base URL  ${fake.url}`,
    `control   ${fake.controlUrl ?? 'off (--control-port 0 serves it on a free port)'}`,
    `JWKS      ${fake.origin}/.well-known/jwks.json`,
    `tokens    ${fake.origin}/oauth/token/`,
    // A secret that the user gave is not printed; one that was made here would otherwise be unknown.
    `client    ${fake.clients.map(({ client_id }) => client_id).join(', ') || 'none'}${isOwnClient && first ? ` with the secret ${first.client_secret}` : ''}`,
    '',
    `TOKEN=${token}`,
    '',
    `curl -H "Authorization: Bearer $TOKEN" ${quote(fake.url + (listing?.path ?? ''))}`,
    '',
    'Ctrl-C stops it.',
  ].join('\n')}\n`;
}
