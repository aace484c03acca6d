import { readFileSync } from 'node:fs';
import { type DataSet, parseDataSet } from '../contract/data-set.ts';
import { shippedFile } from '../contract/document.ts';
import { present } from '../contract/json.ts';
import { loadLedger, type RequirementRow } from '../contract/ledger.ts';
import { ContractError, loadContract } from '../contract/load.ts';
import type { Contract, Scope } from '../contract/model.ts';
import { select } from '../contract/select.ts';
import { didYouMean } from '../contract/similar.ts';
import type { BaselineRow } from '../report/report.ts';
import { nameOf } from '../report/summary.ts';
import { type ApplicableObservation, type ApplicableRequirement, applicable } from '../runner/applicable.ts';
import type { TargetOptions } from '../runner/connect.ts';
import type { Check } from '../runner/requirement.ts';
import { readBaseline } from './baseline-file.ts';
import { withinEffort } from './effort.ts';
import { readJson } from './files.ts';
import type { Settings } from './options.ts';
import { programName } from './package.ts';
import { rerunCommand } from './rerun.ts';
import { selectRows } from './selection.ts';
import type { ResolvedOptions } from './settings.ts';
import { shardOf } from './shard.ts';
import { UsageError } from './usage.ts';

/** The parts of the suite that a run judges and observes. */
export type Selection = ReturnType<typeof selectRequirements>;

/** What a run is going to do, with all options read and checked. */
export interface Plan extends Selection {
  readonly resolved: ResolvedOptions;
  readonly seed: number;
  /** The command that judges only these requirements again. */
  readonly rerun: (...ids: readonly string[]) => string;
  /** How to reach the target; without a base URL if the embedded fake is meant. */
  readonly target: Omit<TargetOptions, 'baseUrl' | 'control'> & {
    readonly baseUrl?: string;
    readonly control?: string;
  };
  readonly baseline: readonly BaselineRow[] | undefined;
  /** The data that the tenant is filled with, if it can be. */
  readonly dataSet: DataSet;
}

/**
 * Reads and checks everything that a run needs before it sends anything.
 * @throws UsageError
 */
export async function createPlan(resolved: ResolvedOptions): Promise<Plan> {
  const { settings } = resolved;
  const { baseline, updateBaseline, data = shippedFile('fixtures/tenant.json') } = settings;
  const contract = await readContract(resolved);
  const { suite } = await import('../../suites/index.ts');
  const selection = selectRequirements(settings, contract, suite);
  const { ledger } = selection;
  const operationsOf = ({ operations }: RequirementRow) =>
    select(contract, operations, ledger.specific).map(({ id }) => id);
  // Drawn from 31 bits, which every generator of random numbers takes as a seed.
  const seed = settings.seed ?? Math.floor(Math.random() * 0x7fff_ffff);
  return {
    ...selection,
    resolved,
    seed,
    rerun: rerunCommand(resolved, seed, programName()),
    target: await targetOptions(resolved, contract),
    baseline:
      baseline === undefined ? undefined : readBaseline(baseline, ledger, operationsOf, updateBaseline),
    dataSet: readJson(data, `--data ${data}`, parseDataSet),
  };
}

/**
 * Applies `--only`, `--skip` and `--shard` to the requirements that apply to the contract and the kind of cloud.
 * @throws UsageError
 */
export function selectRequirements(settings: Settings, contract: Contract, suite: readonly Check[]) {
  const ledger = loadLedger();
  const { requirements, observations } = applicable(ledger, suite, contract, settings.cloud ?? 'public');
  const rows = [...requirements, ...observations];
  const inShard = settings.shard === undefined ? () => true : shardOf(settings.shard, rows);
  const selectedRows = withinEffort(settings, selectRows(settings, rows));
  const chosen = selectedRows.filter(inShard);
  const selectedIds = new Set(selectedRows.map(({ id }) => id));
  const unskipped = new Set(
    selectRows({ skip: settings.skip }, rows).flatMap(({ operations }) => operations.map(({ id }) => id)),
  );
  return {
    contract,
    ledger,
    suite,
    /** What is to be judged and observed: ids, or ids on an operation (`5.5/wrong-verb@listExperiments`). */
    selected: new Set(
      chosen.flatMap(({ id, operations }) =>
        operations.length === 0
          ? [id]
          : operations.map((operation) => nameOf({ id, operation: operation.id })),
      ),
    ),
    /** The requirements that are to be judged, with the operations that they are to be judged on. */
    chosen: chosen.filter((row): row is ApplicableRequirement => row.check.kind !== 'observation'),
    /** The requirements that the selection leaves out: the report lists them too. */
    deselected: requirements.filter(({ id }) => !selectedIds.has(id)),
    observations: chosen.filter((row): row is ApplicableObservation => row.check.kind === 'observation'),
    /** Ids of the operations of which `--skip` leaves nothing: the target may not have them. */
    skippedOperations: contract.operations.map(({ id }) => id).filter((id) => !unskipped.has(id)),
  };
}

/** The contract of a run, with the scopes that its profile names. */
export async function readContract(resolved: ResolvedOptions): Promise<Contract> {
  const { contract: file, fetchRefs = false } = resolved.settings;
  try {
    const contract = resolved.contract ?? (await loadContract(file, { fetchRefs }));
    const assumed = resolved.extras.assume?.required_scopes;
    return assumed === undefined ? contract : assumeScopes(contract, assumed);
  } catch (error) {
    if (error instanceof ContractError) throw new UsageError(error.message);
    throw error;
  }
}

function assumeScopes(contract: Contract, assumed: Readonly<Record<string, string>>): Contract {
  const ids = contract.operations.map(({ id }) => id);
  const wrong = Object.keys(assumed).find((id) => !ids.includes(id));
  if (wrong !== undefined)
    throw new UsageError(
      `assume.required_scopes: the contract has no operation ${wrong}${didYouMean(wrong, ids)}`,
    );
  return {
    ...contract,
    operations: contract.operations.map((operation) => {
      const names = assumed[operation.id];
      if (names === undefined) return operation;
      const scopes = names === '' ? [] : names.split(' ').map((name) => knownScopeOf(name, contract));
      return { ...operation, scopes, alternatives: scopes.length === 0 ? [] : [scopes] };
    }),
  };
}

/** @throws UsageError for a scope that the catalogue does not have */
function knownScopeOf(name: string, { scopes }: Contract): Scope {
  const found = scopes.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = scopes.map((each) => each.name);
  throw new UsageError(`assume.required_scopes: the contract has no scope ${name}${didYouMean(name, names)}`);
}

/** The connection settings of the target. @throws UsageError */
export async function targetOptions(
  { settings, extras, signingKey }: ResolvedOptions,
  contract: Contract,
): Promise<Plan['target']> {
  const { auth, limits, logs } = extras;
  const { ca, cert, key, header, signingKey: file, resumeCheckpoints, ...others } = settings;
  const headers = header?.map(splitHeader);
  const isToken = headers?.some(([name]) => name.toLowerCase() === 'authorization');
  // Operations with other security schemes may need it.
  if (isToken && contract.operations.some(({ authenticated }) => authenticated))
    throw new UsageError(
      '--header must not contain Authorization: requests without a token would have it too; use --token-command, --token or client credentials',
    );
  const readKey = async (file: string) => (await import('./signing-key.ts')).readSigningKey(file);
  return {
    ...others,
    contract,
    ...present({
      clients: auth?.clients,
      signingKey: signingKey ?? (file === undefined ? undefined : await readKey(file)),
      claims: auth?.claims,
      tokenHeader: auth?.header,
      logs,
      hasSavedCheckpoints: resumeCheckpoints !== undefined || undefined,
      ca: pem('--ca', ca),
      cert: pem('--cert', cert),
      key: pem('--key', key),
      headers,
      maximumWaitMs: limits?.wait_ms,
      maximumTotalWaitMs: limits?.total_wait_ms,
      maximumBodyBytes: limits?.body_bytes,
    }),
    resources: present({
      action: settings.actionId,
      self_service_profile: settings.selfServiceProfileId,
      rate_limit_policy: settings.rateLimitPolicyId,
    }),
  };
}

function pem(flag: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = readFileSync(file, 'utf8');
  if (!text.includes('-----BEGIN')) throw new UsageError(`${flag} ${file}: this is not a PEM file`);
  return text;
}

function splitHeader(header: string): readonly [string, string] {
  const colon = header.indexOf(': ');
  return [header.slice(0, colon), header.slice(colon + 2)];
}
