import { readFileSync } from 'node:fs';
import { suite } from '../../suites/index.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { faults } from '../fake/faults/index.ts';
import { variants } from '../fake/variants/index.ts';
import { type Judgement, judgeFake } from './judge-fake.ts';

/** One run of the whole suite: against a fault, a variant, or the fake as it is. */
export interface Subject {
  readonly kind: 'fault' | 'variant' | 'conforming';
  /** Empty for the fake as it is. */
  readonly name: string;
  readonly seed: number;
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
  /** Ids that were not judged. */
  readonly notJudged: readonly string[];
  readonly milliseconds: number;
}

/** Everything that is run, for each seed. */
export function subjects(seeds: readonly number[], matches: (name: string) => boolean): readonly Subject[] {
  return seeds.flatMap((seed): Subject[] => [
    { kind: 'conforming', name: '', seed },
    ...variants
      .filter(({ name }) => matches(name))
      .map(({ name }): Subject => ({ kind: 'variant', name, seed })),
    ...faults
      .filter(({ name, breaks }) => matches(name) || matches(breaks))
      .map(({ name }): Subject => ({ kind: 'fault', name, seed })),
  ]);
}

/** Loads what all runs of one process share. */
export async function loadJudgement(): Promise<Omit<Judgement, 'seed'>> {
  return {
    contract: await loadContract(),
    ledger: loadLedger(),
    suite,
    dataSet: JSON.parse(readFileSync(new URL('../../fixtures/tenant.json', import.meta.url), 'utf8')),
  };
}

/** Runs the suite against the subject. */
export async function examine(subject: Subject, judgement: Omit<Judgement, 'seed'>): Promise<Finding> {
  const { kind, name, seed } = subject;
  const fault = kind === 'fault' ? faults.find((each) => each.name === name) : undefined;
  const variant = kind === 'variant' ? variants.find((each) => each.name === name) : undefined;
  const rules = fault?.rules ?? variant?.rules;
  const began = performance.now();
  const { requirements } = await judgeFake(rules === undefined ? [] : [rules], {
    ...judgement,
    seed,
    // Grouped, the matrix says the same with a tenth of the requests; its own faults are run against both ways' longer one.
    matrix: kind === 'conforming' || fault?.breaks.startsWith('5.5/') ? 'full' : 'grouped',
    ...(variant?.cloud !== undefined && { cloud: variant.cloud }),
  });
  const reasons = (verdict: string) =>
    Object.fromEntries(
      requirements.filter((each) => each.verdict === verdict).map(({ id, reason }) => [id, reason ?? '']),
    );
  return {
    ...subject,
    ...(fault !== undefined && { breaks: fault.breaks }),
    says: fault?.says ?? variant?.says ?? 'the fake as it is',
    failed: reasons('failed'),
    warned: reasons('warned'),
    error: reasons('error'),
    notJudged: requirements.filter(({ verdict }) => verdict === 'not-judged').map(({ id }) => id),
    milliseconds: Math.round(performance.now() - began),
  };
}
