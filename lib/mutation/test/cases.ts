import { readFileSync } from 'node:fs';
import { plainServerFaults } from '../../../examples/plain-server/faults.ts';
import { suite } from '../../../suites/index.ts';
import { loadSampleContract } from '../../../test/sample-document.ts';
import { present } from '../../contract/json.ts';
import { loadLedger } from '../../contract/ledger.ts';
import { loadContract } from '../../contract/load.ts';
import type { Contract } from '../../contract/model.ts';
import { conformingRules, type RulesOverride } from '../../fake/rules.ts';
import { findingsOf } from '../../report/findings.ts';
import { splitName } from '../../report/summary.ts';
import type { Variant } from '../fault.ts';
import { genericFaults } from '../faults/generic.ts';
import { faults as ownFaults } from '../faults/index.ts';
import { mutant } from '../mutant.ts';
import { changedRules } from '../named-rules.ts';
import { variants } from '../variants/index.ts';
import { idPrefix } from './differences.ts';
import { type Load, runAgainstFake, runAgainstPlainServer, type SuiteRun } from './run-suite.ts';

/** One run of the suite against one server. */
export interface TestCase {
  /** `plain-server` is the server written from the specification alone, with no code in common with the fake. */
  readonly kind: 'fault' | 'mutant' | 'variant' | 'fake' | 'plain-server' | 'plain-server-fault';
  /** Of the fault or variant, of several variants with ` + ` between; empty for a server as it is. */
  readonly name: string;
  /** Of a mutant: the classes in which a request must be for the fault of this name to show. */
  readonly classes?: readonly string[];
  readonly seed: number;
  /** Ids of the requirements to run; of a mutant, one after the other. Default: all. */
  readonly only?: readonly string[];
  /** Of a fault: run the requirement that it violates by itself, and all of them only if it does not report the fault. */
  readonly ownFirst?: true;
  /** Examples per property; default: as in a standard run. */
  readonly runs?: number;
  readonly load?: Load;
}

/** What the suite reported. */
export interface TestResult extends TestCase {
  /** Id of the requirement that a fault of the fake violates. */
  readonly requirement?: string;
  /** Ids of the requirements in the first entry of the run's report: of its warnings, if the fault's requirement is one. */
  readonly first: readonly string[];
  /** Reasons by id of the requirements that failed, warned, or ended in error. */
  readonly failed: Readonly<Record<string, string>>;
  readonly warned: Readonly<Record<string, string>>;
  readonly error: Readonly<Record<string, string>>;
  readonly duration_ms: number;
}

/** What all test cases of one process share. */
export interface Shared {
  readonly own: Omit<SuiteRun, 'seed'>;
  /** The same with a contract of operations that only generic requirements apply to. */
  readonly generic: Omit<SuiteRun, 'seed'>;
}

const faults = [...ownFaults, ...genericFaults];

/** Ids of the checks over the exchanges of all requirements. */
export const exchangeChecks = suite.filter(({ kind }) => kind === 'exchange').map(({ id }) => id);

/** Ids of the requirements that judge the exchanges of others too. */
export const watching = suite.flatMap((each) =>
  each.kind === 'requirement' && each.judgeExchange ? each.id : [],
);

const observationIds = suite.filter(({ kind }) => kind === 'observation').map(({ id }) => id);

/**
 * The requirements that catch most faults for their cost, and the observations. Their requests reveal most of the faults that any
 * request reveals.
 */
const firstIds: readonly string[] = [
  ...JSON.parse(readFileSync(new URL('../../../fixtures/requirement-order.json', import.meta.url), 'utf8'))
    .slice(0, 25)
    .map((name: string) => splitName(name)[0]),
  ...observationIds,
];

/** Examples per property that show most faults. */
const fewExamples = 3;

/** Without `--all`, examples per property against servers that conform: these take half as many requests as by default. */
const conformingExamples = 5;

/** Operations of the generic contract: two resources, one with each pagination. */
const genericOperations = 10;

/** Without `--all` one in so many of the plain server's faults is tested. */
const plainServerStep = 48;

const namesOf = (each: readonly { readonly name: string }[]): readonly string[] =>
  each.map(({ name }) => name);

/** Loads what all test cases share. */
export async function loadShared(): Promise<Shared> {
  const own = {
    contract: await loadContract(),
    ledger: loadLedger(),
    suite,
    dataSet: JSON.parse(readFileSync(new URL('../../../fixtures/tenant.json', import.meta.url), 'utf8')),
  };
  return { own, generic: { ...own, contract: await loadSampleContract(genericOperations) } };
}

/** Between the names of the variants of one test case. */
const separator = ' + ';

/** The variants of this name of a test case. */
export const variantsOf = (name: string): readonly Variant[] =>
  variants.filter((each) => name.split(separator).includes(each.name));

/** The most variants of one test case: more would hide from each other what the suite makes of them. */
const combinedVariants = 8;

/** Names of test cases for variants: those that change different rules are combined. */
function combined(chosen: readonly Variant[], contract: Contract): readonly string[] {
  const groups: { names: string[]; cloud: Variant['cloud']; changed: Set<string> }[] = [];
  for (const { name, cloud, rules } of chosen) {
    const changed = namesOfChanged(rules, contract);
    const fits = (group: (typeof groups)[number]) =>
      group.cloud === cloud &&
      group.names.length < combinedVariants &&
      !changed.some((each) => group.changed.has(each));
    const group = groups.find(fits) ?? { names: [], cloud, changed: new Set() };
    if (group.names.length === 0) groups.push(group);
    group.names.push(name);
    for (const each of changed) group.changed.add(each);
  }
  return groups.map(({ names }) => names.join(separator));
}

/**
 * The test cases of a seed.
 * @param matches selects faults, variants and requirements by name
 * @param all true to run every requirement against each fault, and each variant alone
 */
export function testCases(
  seed: number,
  matches: (name: string) => boolean,
  all: boolean,
  { own: { contract } }: Shared,
): readonly TestCase[] {
  const cases = (
    kind: TestCase['kind'],
    names: readonly string[],
    options: Pick<TestCase, 'runs' | 'ownFirst'> = {},
  ) => names.map((name): TestCase => ({ kind, name, seed, ...options }));
  const ofPlainServer = plainServerFaults.filter((_, index) => all || index % plainServerStep === 0);
  const chosen = faults.filter(({ name, requirement }) => matches(name) || matches(requirement));
  const onSockets = variants.filter((each) => matches(each.name) && needsSockets(each, contract));
  const inProcess = variants.filter((each) => matches(each.name) && !onSockets.includes(each));
  const ofVariants = [onSockets, inProcess].flatMap((each) =>
    all ? namesOf(each) : combined(each, contract),
  );
  return [
    // As it is, it has no name, which no pattern matches.
    ...cases('plain-server', [''].filter(matches), all ? {} : { runs: conformingExamples }),
    ...cases('plain-server-fault', namesOf(ofPlainServer).filter(matches), all ? {} : { runs: fewExamples }),
    ...cases('variant', ofVariants, all ? {} : { runs: conformingExamples }),
    ...cases('fault', namesOf(chosen), all ? {} : { ownFirst: true }),
  ];
}

const concurrencies = [1, 2, 4, 8, 16, 32, 64];
const latenciesMs = [0, 30];

/** Runs against the fake as it is, to find flaky requirements: with so many seeds, each with and without latency. */
export function flakeCheckCases(seeds: number): readonly TestCase[] {
  return Array.from({ length: seeds }, (_, index) => {
    const concurrency = concurrencies[index % concurrencies.length] ?? 1;
    return latenciesMs.map((latency): TestCase => {
      return { kind: 'fake', name: '', seed: index + 1, load: { concurrency, latency } };
    });
  }).flat();
}

/** True for variants that only HTTP shows: those of the transport, and those that change how requests are routed or limited. */
function needsSockets({ rules }: Variant, contract: Contract): boolean {
  const shownByHttp = /^(routing|payload|control|rate)\.|^responses\.(serialized|wire)$/;
  return namesOfChanged(rules, contract).some((each) => shownByHttp.test(each));
}

/** Names of the rules that differ from those of the conforming fake. */
function namesOfChanged(override: RulesOverride, contract: Contract): readonly string[] {
  const usual = conformingRules(contract);
  return changedRules(override(usual), usual).map(([name]) => name);
}

/**
 * Runs the suite for the test case. For a fault it runs with few examples at first: if these show it to the requirement that it
 * violates, more examples, which begin with the same ones, would too. If they do not, more requirements are run. For a mutant it
 * runs one of its requirements after the other until one reports it. If none does, the whole suite runs: other requirements judge
 * the requests of all, and only a whole run shows what a service was sent before.
 */
export async function runCase(testCase: TestCase, shared: Shared): Promise<TestResult> {
  const { only: ids = [], ...whole } = testCase;
  const own = faults.find((each) => each.name === testCase.name)?.requirement ?? '';
  if (whole.ownFirst) {
    const runs = fewExamples;
    const only = [own, ...exchangeChecks];
    for (const part of [{ only, runs }, { only }, { only: [...only, ...firstIds], runs }, { runs }]) {
      const result = await runOnce({ ...whole, ...part }, shared);
      if (own in { ...result.failed, ...result.warned }) return result;
    }
  }
  // The requirement that the fault violates may judge the exchanges of the one that runs with it.
  const others = watching.filter((id) => watching.includes(own) || idPrefix(id) === idPrefix(own));
  for (const id of ids) {
    const result = await runOnce({ ...whole, only: [...exchangeChecks, ...others, own, id] }, shared);
    if (Object.keys({ ...result.failed, ...result.warned }).length > 0) return result;
  }
  return runOnce(whole, shared);
}

async function runOnce(testCase: TestCase, shared: Shared): Promise<TestResult> {
  const { kind, name, seed, only, runs, load } = testCase;
  const fault = kind === 'fault' || kind === 'mutant' ? faults.find((each) => each.name === name) : undefined;
  const tried = kind === 'variant' ? variantsOf(name) : [];
  const plainServerFault = plainServerFaults.find((each) => each.name === name);
  const run: SuiteRun = {
    ...(namesOf(genericFaults).includes(name) ? shared.generic : shared.own),
    seed,
    ...present({ runs, load, cloud: tried[0]?.cloud, only: only && new Set(only) }),
    ...((kind === 'fake' || kind === 'plain-server') && { matrix: 'full' }),
    sockets: kind === 'fake' || tried.some((each) => needsSockets(each, shared.own.contract)),
    // Any failure detects it.
    ...(kind === 'plain-server-fault' && { maxFailures: 1 }),
  };
  const violating = testCase.classes && fault ? mutant(fault.rules, testCase.classes) : fault?.rules;
  const rules = [violating, ...tried.map((each) => each.rules)].filter((each) => each !== undefined);
  const start = performance.now();
  const { requirements } = await (kind === 'plain-server' || kind === 'plain-server-fault'
    ? runAgainstPlainServer(plainServerFault?.behavior ?? {}, run)
    : runAgainstFake(rules, run));
  const reasons = (verdict: string) =>
    Object.fromEntries(
      requirements.filter((each) => each.verdict === verdict).map(({ id, reason }) => [id, reason ?? '']),
    );
  const isWarned = requirements.some(({ id, verdict }) => id === fault?.requirement && verdict === 'warned');
  const [first] = findingsOf({ requirements }, isWarned ? 'warned' : 'failed');
  return {
    ...testCase,
    ...(fault !== undefined && { requirement: fault.requirement }),
    first: first === undefined ? [] : [first.result, ...first.same].map(({ id }) => id),
    failed: reasons('failed'),
    warned: reasons('warned'),
    error: reasons('error'),
    duration_ms: Math.round(performance.now() - start),
  };
}
