import { suite } from '../../../suites/index.ts';
import type { Fault } from '../fault.ts';
import { RequestTracker } from '../mutant.ts';
import { exchangeChecks, type TestCase, type TestResult, watching } from './cases.ts';
import { findDifferences, idPrefix } from './differences.ts';
import type { SuiteRun } from './run-suite.ts';
import { reasonOf, unseen } from './unseen.ts';

/** The classes of a request, and the requirement that sent it. */
interface ClassifiedRequest {
  readonly requirement: string;
  readonly classes: readonly string[];
}

/** The coverage of one fault. */
export interface FaultCoverage {
  /** Requests that the fault would answer differently, those that differ in requirement or classes. */
  readonly requests: Map<string, ClassifiedRequest>;
  /** False if one of its rules does not get the request, so that no guard can be evaluated. */
  hasRequest: boolean;
}

/** A mutant: a fault that shows only at requests in these classes. */
export interface Mutant {
  readonly fault: Fault;
  readonly classes: readonly string[];
  /** True if the mutant is equivalent to its fault: every request that the fault would answer differently is in the classes. */
  readonly equivalent: boolean;
  /** The requirements that send a request for which it shows, its own first. If there are none, it survives without a run. */
  readonly requirements: readonly string[];
}

const separator = '\n';

/** The maximum of requirements per mutant: the fault's own, those with the same id prefix, and those with the most requests that show it. */
const requirementsOfMutant = 8;

const observations = new Set(suite.flatMap((check) => (check.kind === 'observation' ? check.id : [])));

/** The coverage of each fault in one run of the suite against the conforming fake. */
export async function faultCoverage(
  faults: readonly Fault[],
  run: SuiteRun,
): Promise<ReadonlyMap<string, FaultCoverage>> {
  const tracker = new RequestTracker();
  const coverage = new Map<string, FaultCoverage>(
    faults.map(({ name }) => [name, { requests: new Map(), hasRequest: true }]),
  );
  /** Only these faults can be caught by an observation's requests: their requirements judge the exchanges of all others. */
  const judging = [...watching, ...exchangeChecks];
  const watched = faults.filter(({ requirement }) => judging.includes(requirement)).map(({ name }) => name);
  const met = new Map(faults.map(({ name }) => [name, new Set<string>()]));
  await findDifferences(
    faults,
    run,
    async (name, requirement, call, isVisible) => {
      const found = coverage.get(name);
      if (found === undefined || (observations.has(requirement) && !watched.includes(name))) return;
      if (call?.operation === undefined) {
        found.hasRequest = false;
        return;
      }
      const classes = [...tracker.classes(call)].toSorted();
      const visible = met.get(name);
      if (!classes.every((each) => visible?.has(each)) && !(await isVisible())) return;
      for (const each of classes) visible?.add(each);
      found.requests.set([requirement, ...classes].join(separator), { requirement, classes });
    },
    tracker.follow,
  );
  return coverage;
}

/**
 * The mutants of a level that are to be run.
 * @param judged where each fault shows in the run that is judged
 * @param others where each fault shows in further runs, to find out which mutants are possible
 */
export function planMutants(
  faults: readonly Fault[],
  judged: ReadonlyMap<string, FaultCoverage>,
  others: readonly ReadonlyMap<string, FaultCoverage>[],
  level: 1 | 2,
): readonly Mutant[] {
  const mutants: Mutant[] = [];
  for (const fault of faults) {
    const coverage = judged.get(fault.name);
    if (coverage === undefined || !coverage.hasRequest) continue;
    const own = [...coverage.requests.values()];
    const further = others.flatMap((each) => [...(each.get(fault.name)?.requests.values() ?? [])]);
    const all = [...own, ...further];
    const met = new Set(all.flatMap(({ classes }) => classes).filter((each) => isMeaningful(fault, each)));
    for (const classes of level === 1 ? [...met].map((each) => [each]) : pairsOf(all, met)) {
      const showing = own.filter((each) => classes.every((one) => each.classes.includes(one)));
      const equivalent = own.length > 0 && showing.length === own.length;
      mutants.push({ fault, classes, equivalent, requirements: requirementsFor(fault, showing) });
    }
  }
  return mutants;
}

/** The mutant as a test case. */
export function caseOf({ fault, classes, requirements }: Mutant, seed: number): TestCase {
  return { kind: 'mutant', name: fault.name, classes, seed, only: requirements };
}

/**
 * The report on the mutants, and the fraction caught of those of stated requirements that a suite could see.
 * @param stated ids of the stated requirements
 */
export function mutantReport(
  mutants: readonly Mutant[],
  results: readonly TestResult[],
  stated: ReadonlySet<string>,
  title: string,
) {
  const detected = new Set(
    results.filter(({ failed, warned }) => Object.keys({ ...failed, ...warned }).length > 0).map(keyOf),
  );
  const survived = mutants.filter((each) => !each.equivalent && !detected.has(keyOf(each)));
  const survivors = survived.filter((each) => reasonOf(each) === undefined);
  const total = mutants.length;
  const isStated = ({ fault }: Mutant) => stated.has(fault.requirement);
  const statedSurvivors = survivors.filter(isStated);
  const unreached = survivors.filter(({ requirements }) => requirements.length === 0);
  const visible = mutants.filter((each) => survivors.includes(each) || !survived.includes(each));
  const caught = (missed: readonly Mutant[], all: readonly Mutant[]) =>
    1 - missed.length / Math.max(1, all.length);
  const percent = (fraction: number) => `${(100 * fraction).toFixed(1)} %`;
  const caughtOfStated = caught(statedSurvivors, visible.filter(isStated));
  const summary = [
    `${title}: ${total - survived.length} of ${total} mutants caught`,
    `${percent(caught(survivors, visible))} of those that a suite could see`,
    `${percent(caughtOfStated)} of those of stated requirements`,
    `${survivors.length} survived (${statedSurvivors.length} of stated requirements, ${unreached.length} without a run)`,
  ].join('; ');
  const rows = (by: (each: Mutant) => string) => {
    const groups = new Map<string, Mutant[]>();
    for (const each of survivors) groups.set(by(each), [...(groups.get(by(each)) ?? []), each]);
    return [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  };
  const named = ({ fault, classes, requirements }: Mutant) =>
    `${fault.name} where ${classes.join(' and ')}${requirements.length === 0 ? ' (met by no request)' : ''}`;
  const levelOf = (id: string) => (stated.has(id) ? 'stated' : 'inferred');
  const markdown = [
    `# Mutants`,
    '',
    `${summary}.`,
    '',
    '## Survivors by dimension',
    '',
    ...rows(({ classes }) => classes.map(dimensionOf).join(' & ')).map(
      ([name, group]) => `- ${name}: ${group.length}`,
    ),
    '',
    '## Survivors by requirement',
    '',
    ...rows(({ fault }) => fault.requirement).map(
      ([name, group]) => `- ${name} (${levelOf(name)}, ${group.length}): ${group.map(named).join('; ')}`,
    ),
    '',
    '## Survivors that no conforming suite could see',
    '',
    ...unseen.map(({ reason }) => {
      const group = survived.filter((each) => reasonOf(each) === reason);
      return `- ${reason} ${group.length === 0 ? 'No survivor.' : `${group.length}: ${group.map(named).join('; ')}`}`;
    }),
    '',
  ].join('\n');
  return { summary, markdown, caughtOfStated };
}

/** Requirements about time, which move the clock. */
const aboutTime: ReadonlySet<string> = new Set(
  suite.flatMap((check) =>
    check.needs.some((need) => /^(clock|checkpoint_age)$/.test(need)) ? check.id : [],
  ),
);

/**
 * False for a guard that no service can have. A service does not know by how much its clock was moved, so only faults in how it
 * handles time can depend on that.
 */
function isMeaningful({ requirement }: Fault, name: string): boolean {
  return !/^clock: (?!real time)/.test(name) || aboutTime.has(requirement);
}

function keyOf(each: Mutant | TestResult): string {
  const name = 'fault' in each ? each.fault.name : each.name;
  return [name, ...(each.classes ?? [])].join(separator);
}

const dimensionOf = (each: string): string => each.slice(0, each.indexOf(': '));

/** Pairs of these classes, from different dimensions, that some request is in. */
function pairsOf(
  requests: readonly ClassifiedRequest[],
  among: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  for (const request of requests) {
    const classes = request.classes.filter((each) => among.has(each));
    for (const [index, one] of classes.entries())
      for (const other of classes.slice(index + 1))
        if (dimensionOf(one) !== dimensionOf(other)) found.set(`${one}${separator}${other}`, [one, other]);
  }
  return [...found.values()];
}

/** The requirements that sent these requests, the fault's own and similar ones first, then those with the most. */
function requirementsFor(fault: Fault, requests: readonly ClassifiedRequest[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { requirement } of requests) counts.set(requirement, (counts.get(requirement) ?? 0) + 1);
  const rank = ([id, count]: [string, number]): number => {
    if (id === fault.requirement) return Number.POSITIVE_INFINITY;
    return idPrefix(id) === idPrefix(fault.requirement) ? count + 1e6 : count;
  };
  const ranked = [...counts].toSorted((one, other) => rank(other) - rank(one));
  return ranked.slice(0, requirementsOfMutant).map(([id]) => id);
}

/** A sample of this size, the same for the same seed. */
export function sampleOf<T>(all: readonly T[], size: number, seed: number): readonly T[] {
  const ranked = all.map((each, index) => ({ each, rank: Math.imul(index + 1, 2654435761 ^ seed) >>> 0 }));
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, size)
    .map(({ each }) => each);
}
