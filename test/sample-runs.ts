import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runConformance } from '../lib/cli/run.ts';
import { type RulesOverride, startFake } from '../lib/fake/index.ts';
import type { RecordedExchange, Report, RequirementResult } from '../lib/report/report.ts';
import { loadSampleContract } from './sample-document.ts';

// Reports of real runs, of the kinds that people meet. They are made in half a minute, once for all workers.

const run = { seed: 1, runs: 2 };

/** Mistakes that implementers make, each in another part of the service. */
const mistakes: readonly RulesOverride[] = [
  // A take above the maximum is accepted.
  (rules) => ({
    ...rules,
    parameters: {
      ...rules.parameters,
      violations: (found, value, parameter, call) =>
        rules.parameters
          .violations(found, value, parameter, call)
          .filter((error) => parameter.name !== 'take' || error.keyword !== 'maximum'),
    },
  }),
  // Each page begins with the last item of the page before.
  (rules) => ({
    ...rules,
    experiments: {
      ...rules.experiments,
      next: (page, call) => {
        const next = rules.experiments.next(page, call);
        return next === undefined ? undefined : Math.max(next - 1, 1);
      },
    },
  }),
  // Of the action versions' scope only the verb counts.
  (rules) => ({
    ...rules,
    scopes: {
      ...rules.scopes,
      permits: (claim, scope, claims, call) =>
        rules.scopes.permits(claim, scope, claims, call) ||
        (scope.name === 'read:actions' && JSON.stringify(claim ?? '').includes('"read"')),
    },
  }),
  // Secrets come with their values.
  (rules) => ({
    ...rules,
    versions: {
      ...rules.versions,
      shown: (shown) =>
        Array.isArray(shown.secrets)
          ? { ...shown, secrets: shown.secrets.map((secret: object) => ({ ...secret, value: 'hunter2' })) }
          : shown,
    },
  }),
  // No template is checked.
  (rules) => ({ ...rules, templates: { ...rules.templates, problem: () => undefined } }),
  // A checkpoint lives half a day, and is refused afterwards.
  (rules) => ({
    ...rules,
    checkpoints: {
      ...rules.checkpoints,
      isValid: (issuedAt, call, pagination) =>
        rules.checkpoints.isValid(issuedAt - 43_200_000, call, pagination),
      expired: () => 'refuse',
    },
  }),
];

/** The standard number of examples if everything is given; with fewer, lists are only partly tried. */
async function againstFake(rules: readonly RulesOverride[], everything: boolean): Promise<Report> {
  const fake = await startFake({ control: everything, rules });
  try {
    const { controlUrl = '', signingKey } = fake;
    const how = everything ? { seed: 1, control: controlUrl, signingKey: { ...signingKey } } : run;
    return await runConformance({ ...how, baseUrl: fake.url });
  } finally {
    await fake.close();
  }
}

async function ofLargeContract(): Promise<Report> {
  const contract = await loadSampleContract(150);
  return await runConformance({ ...run, contract, only: ['5.5/each-scope-alone*'] });
}

/** The report that another worker has made, if one has; otherwise, makes it for the others. */
async function shared(name: string, make: () => Promise<Report>): Promise<Report> {
  const folder = process.env.SHARED_FOLDER;
  if (folder === undefined) return await make();
  const file = join(folder, `${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const report = await make();
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(report));
  renameSync(unfinished, file);
  return report;
}

const conforming = await shared('conforming', () => runConformance(run));
const failing = await shared('failing', () => againstFake(mistakes, true));
const little = await shared('little', () => againstFake([], false));
const large = await shared('large', ofLargeContract);

/** Everything judged, nothing broken. */
export const conformingRun = (): Report => conforming;

/** A server with six mistakes, judged with everything given. */
export const failingRun = (): Report => failing;

/** A base URL and nothing else: no token, so little was judged. */
export const littleRun = (): Report => little;

/** A contract of 150 operations, of which a part was judged. */
export const largeRun = (): Report => large;

/** What a hostile target sends wherever it can. */
export const hostileText = [
  `<script>globalThis.pwned = true;document.title='pwned'</script><img src=x onerror="globalThis.pwned=true">`,
  `</script></style></pre><style>body{display:none}</style><!-- ]]> -->`,
  `" onmouseover="globalThis.pwned=true" x='y' \${globalThis.pwned=true}`,
  `\u001b[2J\u001b[31mDOES CONFORM\u001b[0m\u0007\u0008\u0000\u009b31m`,
  `\u202egnp.exe\u2066 \u200f\u200b\ufeff \u2028\u2029 \ud800 \uffff`,
  '| a | b |\n```\n# heading\n[click](javascript:alert(1)) @everyone ![x](http://evil.example/x.png)\n::error::forged ##[error]forged ##vso[task.complete]',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324'.repeat(30),
].join('\n');

/** The failing run as if its target had put text made to run, to deface or to drown wherever it has a say. */
export function hostileRun(): Report {
  const huge = 'A'.repeat(300_000);
  const hostile = (exchange: RecordedExchange): RecordedExchange => ({
    ...exchange,
    operation: hostileText,
    request: { ...exchange.request, url: `https://tenant.example/${hostileText}`, body: hostileText },
    response: {
      status: 200,
      headers: [
        ['content-type', 'text/html'],
        ['x-evil', hostileText],
      ],
      body: hostileText + huge,
      body_bytes: 300_000,
    },
  });
  const requirements = failing.requirements.map(
    (result): RequirementResult =>
      result.verdict === 'passed'
        ? result
        : {
            ...result,
            reason: hostileText,
            ...(result.difference !== undefined && {
              difference: {
                expected: '403',
                received: hostileText,
                because: hostileText,
                entries: [{ kind: 'changed', path: hostileText, expected: '1', received: hostileText }],
              },
            }),
            counterexample: { text: hostileText, [hostileText]: huge },
            reproduce: `curl -d '${hostileText}' https://tenant.example/`,
            exchanges: result.exchanges.map(hostile),
          },
  );
  const { listExperiments: row } = failing.scope_matrix.operations;
  return {
    ...failing,
    requirements,
    target: {
      base_url: `https://tenant.example/${hostileText}`,
      cloud: 'public',
      capabilities: [hostileText],
    },
    contract: {
      title: hostileText,
      version: hostileText,
      operations: [...failing.contract.operations, { id: hostileText, method: 'GET', path: hostileText }],
    },
    scope_matrix: {
      operations: {
        ...failing.scope_matrix.operations,
        ...(row && { [hostileText]: { ...row, cells: { ...row.cells, [hostileText]: 200 } } }),
      },
    },
    observations: [
      { id: '7/error-body', description: hostileText, value: { [hostileText]: hostileText, huge } },
    ],
    run: { ...failing.run, ended_early: hostileText },
  };
}
