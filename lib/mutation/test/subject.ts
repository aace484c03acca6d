import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breakages } from '../../../examples/plain-server/breakages.ts';
import { suite } from '../../../suites/index.ts';
import { sampleDocumentText } from '../../../test/sample-document.ts';
import { loadLedger } from '../../contract/ledger.ts';
import { loadContract } from '../../contract/load.ts';
import type { Contract } from '../../contract/model.ts';
import { conformingRules } from '../../fake/conforming.ts';
import type { Variant } from '../fault.ts';
import { genericFaults } from '../faults/generic.ts';
import { faults as ownFaults } from '../faults/index.ts';
import { transportVariants, variants } from '../variants/index.ts';
import { type Judgement, judgeFake, judgePlain, type Pace } from './judge-fake.ts';
import { reachOf } from './reach.ts';

/**
 * One run of the whole suite: against a fault, a variant, the fake as it is, the server written from the specification
 * alone as it is, or that server broken by hand.
 */
export interface Subject {
  readonly kind: 'fault' | 'variant' | 'conforming' | 'plain' | 'breakage';
  /** Empty for a server as it is. */
  readonly name: string;
  readonly seed: number;
  /** Ids of the only rows to judge: those that the fault reaches. All of the suite where left out. */
  readonly reached?: readonly string[];
  /** LibraryOverrides where flakes are looked for. */
  readonly pace?: Pace;
}

/** What the suite found. */
export interface Finding extends Subject {
  /** The requirement that a fault breaks. */
  readonly breaks?: string;
  readonly says: string;
  /** Ids of requirements that failed, warned, or ended in error, each with its reason. */
  readonly failed: Readonly<Record<string, string>>;
  readonly warned: Readonly<Record<string, string>>;
  readonly error: Readonly<Record<string, string>>;
  /** Of those that are broken, the ones that follow from others that are. */
  readonly following: readonly string[];
  /** Ids that were not judged. */
  readonly notJudged: readonly string[];
  readonly milliseconds: number;
}

const faults = [...ownFaults, ...genericFaults];
const generic: ReadonlySet<string> = new Set(genericFaults.map(({ name }) => name));

/** Operations of the contract on which the faults of generic requirements are run: two resources, one of each pagination. */
const genericOperations = 10;

/** What all runs of one process share. */
export interface Shared {
  readonly judgement: Omit<Judgement, 'seed'>;
  /** The same for the contract of generic operations. */
  readonly generic: Omit<Judgement, 'seed'>;
}

/** Of the plain server's breakages one in so many is run where not everything is asked for. */
const breakageStep = 3;

/**
 * What is run for a seed; last what has a reach, which takes a while to be known.
 * @param everything true for all breakages of the plain server
 */
export function subjects(
  seed: number,
  matches: (name: string) => boolean,
  everything: boolean,
): readonly Subject[] {
  const named = (kind: Subject['kind'], each: readonly { readonly name: string }[]) =>
    each.map(({ name }): Subject => ({ kind, name, seed }));
  return [
    ...named('conforming', [{ name: '' }]),
    ...named('plain', [{ name: '' }]),
    ...named(
      'breakage',
      breakages.filter(({ name }, index) => matches(name) && (everything || index % breakageStep === 0)),
    ),
    ...named(
      'variant',
      variants.filter(({ name }) => matches(name)),
    ),
    ...named(
      'fault',
      faults.filter(({ name, requirement }) => matches(name) || matches(requirement)),
    ),
  ];
}

/** For each of these faults, and each of these variants that is asked without sockets, the ids of the rows that it reaches with this seed. */
export async function reachOfSubjects(
  seed: number,
  chosen: readonly Subject[],
  { judgement, generic: other }: Shared,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Set(chosen.map(({ name }) => name));
  const isChosen = ({ name }: { readonly name: string }) => names.has(name);
  const direct = variants.filter(
    (each) => each.cloud === undefined && !wantsSockets(each, judgement.contract),
  );
  const of = async (changes: Parameters<typeof reachOf>[0], shared: Omit<Judgement, 'seed'>) =>
    changes.length === 0 ? [] : reachOf(changes, { ...shared, seed, matrix: 'full' });
  const reach = new Map([
    ...(await of([...ownFaults, ...direct].filter(isChosen), judgement)),
    ...(await of(genericFaults.filter(isChosen), other)),
  ]);
  const passive = judgement.suite.filter(({ kind }) => kind === 'exchange').map(({ id }) => id);
  const own = new Map(faults.map(({ name, requirement }) => [name, [requirement]]));
  return new Map(
    [...reach].map(([name, ids]) => [name, [...new Set([...(own.get(name) ?? []), ...passive, ...ids])]]),
  );
}

/** Requests at a time of the runs that look for flakes, by turns. */
const concurrencies = [1, 2, 4, 8, 16, 32, 64];

/** Milliseconds before each answer in every such run's second turn. */
const latencies = [0, 30];

/** Runs of the suite against the fake as it is: with so many seeds, each at once and with a latency. */
export function steadySubjects(seeds: number): readonly Subject[] {
  return Array.from({ length: seeds }, (_, index) => index).flatMap((index) =>
    latencies.map((latency) => ({
      kind: 'conforming',
      name: '',
      seed: index + 1,
      pace: { concurrency: concurrencies[index % concurrencies.length] ?? 1, latency },
    })),
  );
}

/** Variants that only HTTP shows: those in how it carries answers, and those that differ in one of these groups of rules. */
function wantsSockets({ name, rules }: Variant, contract: Contract): boolean {
  const before = conformingRules(contract);
  const after = rules(before);
  const groups = ['routing', 'payload', 'control'] as const;
  return (
    transportVariants.some((each) => each.name === name) ||
    groups.some((group) => after[group] !== before[group])
  );
}

/** Loads what all runs of one process share. */
export async function loadShared(): Promise<Shared> {
  const judgement = {
    contract: await loadContract(),
    ledger: loadLedger(),
    suite,
    dataSet: JSON.parse(readFileSync(new URL('../../../fixtures/tenant.json', import.meta.url), 'utf8')),
  };
  const folder = mkdtempSync(join(tmpdir(), 'prove-'));
  try {
    const file = join(folder, 'contract.yaml');
    writeFileSync(file, sampleDocumentText(genericOperations));
    return { judgement, generic: { ...judgement, contract: await loadContract(file) } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs the suite against the subject. */
export async function examine(subject: Subject, shared: Shared): Promise<Finding> {
  const { kind, name, seed, reached } = subject;
  const fault = kind === 'fault' ? faults.find((each) => each.name === name) : undefined;
  const variant = kind === 'variant' ? variants.find((each) => each.name === name) : undefined;
  const breakage = kind === 'breakage' ? breakages.find((each) => each.name === name) : undefined;
  // Grouped, the scope matrix proves the same with a tenth of the requests. What breaks it is judged by all of them.
  const full = kind === 'conforming' || kind === 'plain' || fault?.requirement.startsWith('5.5/');
  const judgement: Judgement = {
    ...(generic.has(name) ? shared.generic : shared.judgement),
    seed,
    ...(subject.pace !== undefined && { pace: subject.pace }),
    matrix: full ? 'full' : 'grouped',
    ...(variant?.cloud !== undefined && { cloud: variant.cloud }),
  };
  const changed = fault ?? variant;
  const began = performance.now();
  const { requirements } = await (kind === 'plain' || kind === 'breakage'
    ? judgePlain(breakage?.behaviour ?? {}, judgement)
    : judgeFake(changed === undefined ? [] : [changed.rules], {
        ...judgement,
        sockets: variant === undefined ? kind === 'conforming' : wantsSockets(variant, judgement.contract),
        ...(reached !== undefined && { only: new Set(reached) }),
      }));
  const reasons = (verdict: string) =>
    Object.fromEntries(
      requirements.filter((each) => each.verdict === verdict).map(({ id, reason }) => [id, reason ?? '']),
    );
  return {
    ...subject,
    ...(fault !== undefined && { breaks: fault.requirement }),
    says: fault?.description ?? variant?.description ?? breakage?.breaks ?? 'as it is',
    failed: reasons('failed'),
    warned: reasons('warned'),
    error: reasons('error'),
    following: requirements.filter((each) => each.caused_by !== undefined).map(({ id }) => id),
    notJudged: requirements.filter(({ verdict }) => verdict === 'not-judged').map(({ id }) => id),
    milliseconds: Math.round(performance.now() - began),
  };
}
