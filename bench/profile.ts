import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReport, type Section } from './bench.ts';
import { costOf } from './command.ts';
import type { Row } from './row.ts';

/** What CPU time goes to, known by where the running function stands; the first that fits. */
const parts: readonly (readonly [what: string, place: RegExp])[] = [
  [
    'finding, transforming and loading modules',
    /^node:internal\/(modules|bootstrap|process|main|vm|url|fs)|^node:(fs|path)|\/node_modules\/(tsx|esbuild|get-tsconfig|resolve-pkg-maps)\//,
  ],
  [
    'signing, verifying and hashing',
    /^node:(internal\/)?(web)?crypto|\/node_modules\/jose\/|\/lib\/target\/(forge|jwt|signing-key)|\/lib\/fake\/(verify|issue|checkpoint)/,
  ],
  ['sockets and HTTP', /^node:|\/node_modules\/undici\/|\/lib\/fake\/http/],
  ['generating and shrinking values', /\/node_modules\/(fast-check|pure-rand)\/|\/lib\/generate\//],
  [
    'schemas and the contract',
    /\/node_modules\/(ajv|ajv-formats|yaml|@apidevtools\/[^/]+)\/|\/lib\/contract\//,
  ],
  ['the fake', /\/lib\/fake\/|\/node_modules\/liquidjs\//],
  ['the report', /\/lib\/report\//],
  ['the suite', /\/(suites|lib\/judge|lib\/target|lib\/cli)\//],
];

/** What V8 calls the time in which no function runs. */
const special = new Map([
  ['(garbage collector)', 'collecting garbage'],
  ['(program)', 'native code outside functions'],
]);

/** Where the CPU time of a run against the embedded fake goes: what it would have to do less of. */
export const profile: Section = async ({ folder }) => {
  const [profiles, reports] = [join(folder, 'profiles'), join(folder, 'profile')];
  const sampled = ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', profiles];
  const judge = ['lib/cli/main.ts', '--report-dir', reports, '--quiet'];
  const { cpu } = await costOf(process.execPath, ...sampled, '--import', 'tsx', ...judge);
  readReport(reports);
  const threads = readdirSync(profiles).map((file) =>
    partsOf(JSON.parse(readFileSync(join(profiles, file), 'utf8'))),
  );
  const sums = new Map<string, number>();
  for (const [what, seconds] of threads.flatMap((thread) => [...thread]))
    sums.set(what, (sums.get(what) ?? 0) + seconds);
  const found = [...sums].sort(([, one], [, other]) => other - one);
  const seen = found.reduce((sum, [, seconds]) => sum + seconds, 0);
  const others: [string, number] = [
    'other threads: cryptography, the compiler, the collector',
    Math.max(0, cpu - seen),
  ];
  return [...found, others].map(
    ([what, seconds]): Row => ({
      name: `profile/${what.replaceAll(/\W+/g, '-')}`,
      what: `CPU of the suite, profiled: ${what}`,
      value: seconds,
      unit: 's',
      beside: { what: 's, the whole process', value: cpu },
    }),
  );
};

/** A CPU profile of V8, as far as it is read. Times are in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Seconds of CPU time that a profile saw in each part. */
export function partsOf({ nodes, samples, timeDeltas }: CpuProfile): ReadonlyMap<string, number> {
  const partOf = new Map<number, string>();
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  // A node comes after its parent.
  for (const { id, callFrame } of nodes) {
    const own = parts.find(([, place]) => place.test(callFrame.url))?.[0];
    // Built-in and compiled functions stand nowhere: whoever calls them is at it.
    partOf.set(
      id,
      special.get(callFrame.functionName) ?? own ?? partOf.get(parents.get(id) ?? 0) ?? 'the rest',
    );
  }
  const seconds = new Map<string, number>();
  const idle = nodes.find(({ callFrame }) => callFrame.functionName === '(idle)')?.id;
  samples.forEach((id, index) => {
    if (id === idle) return;
    const part = partOf.get(id) ?? 'the rest';
    seconds.set(part, (seconds.get(part) ?? 0) + Math.max(0, timeDeltas[index] ?? 0) / 1_000_000);
  });
  return seconds;
}
