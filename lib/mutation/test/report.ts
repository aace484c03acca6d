import type { Ledger } from '../../contract/ledger.ts';
import { type TestResult, variantsOf } from './cases.ts';

/** The mutation report: which faults the suite detects, and what is wrong with the suite. */
export interface MutationReport {
  readonly seeds: readonly number[];
  readonly duration_ms: number;
  readonly summary: string;
  /** Faults that their requirement missed with some seed, then all other problems. */
  readonly problems: readonly string[];
  /** The faults of each requirement, and the other requirements that reported each fault. */
  readonly requirements: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly results: readonly TestResult[];
}

/** Faults of the plain server that violate no sentence of the specification; they must not be reported. */
const permitted: ReadonlySet<string> = new Set(['client-token-scopes-overwritten']);

/** The proportion of faults whose report may begin with a requirement other than their own: 3 of 60. */
const mayMislead = 0.05;

/**
 * Builds the report.
 * @param applicable ids of the requirements that the contracts have operations for
 * @param options.complete false if only some faults were tested, so that some requirements have none
 */
export function buildReport(
  results: readonly TestResult[],
  ledger: Ledger,
  applicable: ReadonlySet<string>,
  { complete, duration_ms }: { readonly complete: boolean; readonly duration_ms: number },
): MutationReport {
  const ofKind = (kind: TestResult['kind']) => results.filter((each) => each.kind === kind);
  const faults = ofKind('fault');
  const plainServerFaults = ofKind('plain-server-fault');
  const variantRuns = ofKind('variant');
  const rows = ledger.requirements.filter(({ id }) => applicable.has(id));
  const reports = faults.filter(({ ownFirst }) => !ownFirst);
  const misleading = reports.filter(
    (each) => isDetected(each) && !each.first.includes(each.requirement ?? ''),
  );
  const survived = faults.filter((each) => !isDetected(each));
  const unseen = plainServerFaults.filter((each) => reported(each).length === 0);
  const accusations = [...ofKind('fake'), ...ofKind('plain-server'), ...variantRuns].flatMap(accusationsOf);
  const faultsOf = (id: string) => faults.filter(({ requirement }) => requirement === id);
  const names = (each: readonly TestResult[]) => new Set(each.map(({ name }) => name)).size;
  const detected = `${names(faults) - names(survived)} of ${names(faults)} faults detected by their requirement`;
  const first =
    reports.length === 0
      ? ''
      : `, ${reports.length - misleading.length} of ${reports.length} first in their report`;
  const conforming = new Set(variantRuns.flatMap(({ name }) => variantsOf(name))).size;
  const accused = `${conforming} variants, ${accusations.length} false positives`;
  const plain = `${plainServerFaults.length - unseen.length} of ${plainServerFaults.length} faults of the plain server detected`;
  return {
    seeds: [...new Set(results.map(({ seed }) => seed))],
    duration_ms: Math.round(duration_ms),
    summary: results.some(({ load }) => load !== undefined)
      ? `${results.length} runs against the conforming fake, ${accusations.length} false positives`
      : `${detected}${first}; ${accused}; ${plain}; ${rows.length} requirements`,
    problems: [
      ...survived.map((each) => `survived ${each.requirement}: ${survival(each)}`),
      ...(complete && misleading.length > reports.length * mayMislead
        ? misleading.map(
            ({ name, requirement, first }) => `${name}: the report begins with ${first}, not ${requirement}`,
          )
        : []),
      ...accusations,
      ...unseen
        .filter(({ name }) => !permitted.has(name))
        .map((each) => `fault of the plain server survived: ${survival(each)}`),
      ...faults
        .filter(({ requirement = '' }) => !applicable.has(requirement))
        .map(({ name, requirement }) => `fault ${name} violates ${requirement}, which does not exist`),
      ...(complete ? rows.filter(({ id }) => faultsOf(id).length === 0) : []).map(
        ({ id, description }) => `requirement ${id} has no fault in lib/mutation/faults: ${description}`,
      ),
    ],
    requirements: Object.fromEntries(
      rows.map(({ id }) => {
        const others = (each: TestResult) => reported(each).filter((other) => other !== id);
        return [id, Object.fromEntries(faultsOf(id).map((each) => [each.name, others(each)]))];
      }),
    ),
    results,
  };
}

/** The report as Markdown: survivors first. */
export function markdown({ seeds, duration_ms, summary, problems, requirements }: MutationReport): string {
  const faultOf = ([name, others]: [string, readonly string[]]) =>
    others.length === 0 ? name : `${name} (also ${others.join(', ')})`;
  const tested = Object.entries(requirements).filter(([, faults]) => Object.keys(faults).length > 0);
  return [
    '# Mutation report',
    '',
    `${summary}. Seeds ${seeds.join(', ')}; ${(duration_ms / 1000).toFixed(1)} s.`,
    '',
    ...(problems.length === 0 ? [] : ['## Problems', '', ...problems.map((each) => `- ${each}`), '']),
    '## Faults by requirement',
    '',
    '| Requirement | Faults |',
    '|---|---|',
    ...tested.map(([id, faults]) => `| ${id} | ${Object.entries(faults).map(faultOf).join('; ')} |`),
    '',
  ].join('\n');
}

function reported({ failed, warned, error }: TestResult): readonly string[] {
  return [failed, warned, error].flatMap(Object.keys);
}

function isDetected({ requirement = '', failed, warned }: TestResult): boolean {
  return Object.hasOwn(failed, requirement) || Object.hasOwn(warned, requirement);
}

function survival(result: TestResult): string {
  const others = reported(result);
  const seen = others.length === 0 ? 'nothing was reported' : `reported instead: ${others.join(', ')}`;
  return `${result.name}, seed ${result.seed} (${seen})`;
}

/** What a conforming server is wrongly accused of: every failure, every error, and every unexpected warning. */
export function accusationsOf(result: TestResult): readonly string[] {
  const { kind, name, seed, failed, warned, error, load } = result;
  const announced = variantsOf(name).flatMap(({ warns }) => warns);
  const unannounced = Object.entries(warned).filter(([id]) => !announced.includes(id));
  const found = [...Object.entries(failed), ...Object.entries(error), ...unannounced];
  const under = load ? `, concurrency ${load.concurrency}, latency ${load.latency} ms` : '';
  return found.map(([id, reason]) => `${kind} ${name} is accused by ${id}, seed ${seed}${under}: ${reason}`);
}
