import type { Ledger } from '../../contract/ledger.ts';
import type { Variant } from '../fault.ts';
import type { Finding } from './subject.ts';

/** The kill matrix: what the suite found of every fault and variant, and what is wrong with the suite by that. */
export interface Matrix {
  readonly seeds: readonly number[];
  readonly counts: {
    readonly faults: number;
    /** Faults whose own requirement failed (or warned, where it is inferred), with every seed. */
    readonly caught: number;
    /** Faults that nothing but their own requirement was blamed for. */
    readonly blamedAlone: number;
    /** Rows of the ledger that a fault was judged by, on average: those that it reaches, with `--all` every one. */
    readonly reached: number;
    readonly variants: number;
    readonly accused: number;
    /** Ways in which the server written from the specification alone was broken by hand, and those that were seen. */
    readonly breakages: number;
    readonly breakagesCaught: number;
    readonly requirements: number;
  };
  readonly milliseconds: number;
  /** For each requirement the faults that break it, and whether they were caught. */
  readonly requirements: Readonly<
    Record<string, readonly { readonly fault: string; readonly caught: boolean }[]>
  >;
  readonly findings: readonly Finding[];
  readonly problems: readonly Problem[];
}

/** Something that must not be, with what to do. */
export interface Problem {
  readonly what: string;
  readonly remedy: string;
}

/**
 * Draws the matrix up.
 * @param applicable ids of the requirements that the contract has operations for
 * @param whole false where only some faults were run: then a requirement without one says nothing
 */
export function drawUp(
  findings: readonly Finding[],
  variants: readonly Variant[],
  ledger: Ledger,
  applicable: ReadonlySet<string>,
  { whole, milliseconds }: { readonly whole: boolean; readonly milliseconds: number },
): Matrix {
  const faultFindings = findings.filter(({ kind }) => kind === 'fault');
  const names = [...new Set(faultFindings.map(({ name }) => name))];
  const of = (name: string) => faultFindings.filter((each) => each.name === name);
  const everything = ledger.requirements.length + ledger.observations.length;
  const reached = faultFindings.map((each) => each.reached?.length ?? everything);
  const isCaught = (name: string) => of(name).every(caught);
  const broken = new Map(faultFindings.map(({ name, breaks }) => [name, breaks ?? '']));
  const rows = ledger.requirements.filter(({ id }) => applicable.has(id));
  const breakages = findings.filter(({ kind }) => kind === 'breakage');
  const innocent = findings.filter(({ kind }) => kind !== 'fault' && kind !== 'breakage');
  const accusations = innocent.flatMap((each) => accusation(each, variants));
  return {
    seeds: [...new Set(findings.map(({ seed }) => seed))],
    counts: {
      faults: names.length,
      caught: names.filter(isCaught).length,
      blamedAlone: names.filter((name) =>
        of(name).every((each) => blamed(each).every((id) => id === each.breaks)),
      ).length,
      reached: reached.reduce((sum, each) => sum + each, 0) / Math.max(1, reached.length),
      variants: new Set(findings.filter(({ kind }) => kind === 'variant').map(({ name }) => name)).size,
      accused: accusations.length,
      breakages: breakages.length,
      breakagesCaught: breakages.filter((each) => blamed(each).length > 0).length,
      requirements: rows.length,
    },
    milliseconds,
    requirements: Object.fromEntries(
      rows.map(({ id }) => [
        id,
        names.filter((name) => broken.get(name) === id).map((fault) => ({ fault, caught: isCaught(fault) })),
      ]),
    ),
    findings,
    problems: [
      ...faultFindings.filter((each) => !caught(each)).map(survival),
      ...breakages.filter((each) => blamed(each).length === 0 && !unseen.has(each.name)).map(survival),
      ...accusations,
      ...[...broken]
        .filter(([, id]) => !applicable.has(id))
        .map(([name, id]) => ({
          what: `fault ${name} breaks ${id}, which is no requirement of the contract`,
          remedy: 'name the requirement that it breaks',
        })),
      ...(whole ? rows.filter(({ id }) => ![...broken.values()].includes(id)) : []).map(
        ({ id, description }) => ({
          what: `requirement ${id} has no fault: ${description}`,
          remedy: 'write a fault in lib/fake/faults that breaks it and nothing else',
        }),
      ),
    ],
  };
}

/** Breakages of the plain server that no sentence of the specification forbids; they are run to see that nothing is said. */
const unseen: ReadonlySet<string> = new Set(['client-token-scopes-overwritten']);

/** Ids of what the subject is blamed for: of everything that was held against it, what does not follow from the rest. */
export function blamed({ failed, warned, error, following }: Finding): readonly string[] {
  const held = [...Object.keys(failed), ...Object.keys(warned), ...Object.keys(error)];
  return held.filter((id) => !following.includes(id));
}

function caught({ breaks = '', failed, warned }: Finding): boolean {
  return Object.hasOwn(failed, breaks) || Object.hasOwn(warned, breaks);
}

function survival(finding: Finding): Problem {
  const others = blamed(finding);
  const seen = others.length === 0 ? 'nothing was held against it' : `blamed instead: ${others.join(', ')}`;
  return {
    what: `${finding.kind} ${finding.name} survived ${finding.breaks ?? ''} with seed ${finding.seed}: ${finding.says} (${seen})`,
    remedy: 'judge the requirement by a case that shows it, with any seed, or mend the fault',
  };
}

/** What is held against a subject that conforms: every failure, every error, and every warning that is not announced. */
function accusation(finding: Finding, variants: readonly Variant[]): Problem[] {
  const announced = variants.find(({ name }) => name === finding.name)?.warns ?? [];
  const warned = Object.entries(finding.warned).filter(([id]) => !announced.includes(id));
  const held = [...Object.entries(finding.failed), ...Object.entries(finding.error), ...warned];
  const who = finding.kind === 'variant' ? `variant ${finding.name}` : `the ${finding.kind} server`;
  const { pace } = finding;
  const how = pace ? `, ${pace.concurrency} requests at a time, ${pace.latency} ms of latency` : '';
  return held.map(([id, reason]) => ({
    what: `${who} is accused by ${id} with seed ${finding.seed}${how}: ${reason}`,
    remedy: 'accept what the specification permits, or mark the warning in the variant',
  }));
}
