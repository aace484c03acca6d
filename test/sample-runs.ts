import type {
  ContractOperation,
  RecordedExchange,
  Report,
  RequirementResult,
  ScopeRow,
} from '../lib/report/report.ts';
import {
  conformingResults,
  sampleCheckpoint,
  sampleExchange,
  sampleMatrix,
  sampleOperations,
  sampleReport,
  sampleWalk,
} from './sample-report.ts';
import { sampleScopes } from './sample-scopes.ts';

// Whole runs of the kinds that people meet.

/** Everything judged, nothing broken. */
export function conformingRun(): Report {
  return sampleReport({ walks: [sampleWalk(), sampleWalk(30, 10)], checkpoints: [sampleCheckpoint] });
}

/** Twenty failures, three warnings, one error. */
export function failingRun(): Report {
  const requirements = conformingResults().map((result, index): RequirementResult => {
    if (result.level === 'inferred') return index % 2 === 0 ? result : broken(result, 'warned');
    if (result.id === '8/correlation-id') {
      return {
        ...result,
        verdict: 'error',
        reason: 'the target closed the connection and was not reached again',
      };
    }
    return unbroken.has(result.id) ? result : broken(result, 'failed');
  });
  return sampleReport({
    requirements,
    scope_matrix: { operations: brokenMatrix(sampleMatrix(sampleOperations)) },
    walks: brokenWalks(),
    checkpoints: [
      sampleCheckpoint,
      {
        ...sampleCheckpoint,
        title: "the third page's checkpoint",
        uses: [
          { age_s: 3_600, status: 200, outcome: 'continued', expected: 'continued' },
          { age_s: 86_340, status: 400, outcome: 'refused', expected: 'continued' },
          { age_s: 86_460, status: 200, outcome: 'continued', expected: 'restarted' },
        ],
      },
    ],
  });
}

const unbroken = new Set([
  '2.1/echo',
  '4.1/form',
  '4.2/take-minimum',
  '4.4/beyond-end',
  '5/wrong-key',
  '5.3/right-scope',
  '5.4/token-works',
  '7/no-server-error',
]);

/** What was sent and what came, for some of them; the others break as `take` does. */
const findings: Readonly<Record<string, { input: unknown; expected: string; got: string; body?: string }>> = {
  '1/payload-limit': {
    input: { bytes: 1_048_577 },
    expected: 'a refusal (any 4xx, or a closed connection)',
    got: '200',
  },
  '2.1/both-required': { input: { enrollment_message: '' }, expected: '400', got: '200' },
  '2.1/closed': {
    input: { enrollment_message: '', verification_message: '', a: null },
    expected: '400',
    got: '200',
  },
  '2.2/item-schema': {
    input: { take: 1 },
    expected: 'created_at is a date-time',
    got: '"created_at":"yesterday"',
    body: '{"experiments":[{"id":"exp_7","name":"Checkout","created_at":"yesterday"}]}',
  },
  '2.3/no-secret-values': {
    input: { actionId: 'act_1' },
    expected: 'secrets of name and updated_at only',
    got: 'hunter2',
    body: '{"total":1,"page":0,"per_page":20,"versions":[{"id":"v_1","secrets":[{"name":"API_KEY","value":"hunter2"}]}]}',
  },
  '4.1/invalid-template': {
    input: { enrollment_message: '{{code', verification_message: '' },
    expected: 'Invalid enrollment_message template: <error details>.',
    got: '400 without this message',
  },
  '4.2/take-default': { input: {}, expected: 'at most 25 experiments', got: '50 experiments' },
  '4.2/status-filter': {
    input: { status: 'paused' },
    expected: 'paused experiments only',
    got: 'exp_3, which is active',
  },
  '5/expired': { input: { exp: '-300 s' }, expected: '401', got: '200' },
  '5/alg-none': { input: { alg: 'none' }, expected: '401', got: '200' },
  '5.3/each-scope': { input: { scope: 'read:actions' }, expected: '403', got: '200 on listExperiments' },
};

const take = { input: { take: 51 }, expected: '400', got: '200 with 51 experiments' };

function broken(result: RequirementResult, verdict: 'failed' | 'warned'): RequirementResult {
  const [operation = 'listExperiments'] = result.operations;
  const { input, expected, got, body } = findings[result.id] ?? { ...take, body: undefined };
  const path = sampleOperations.find(({ id }) => id === operation)?.path ?? '/experimentation/experiments';
  const url = `https://tenant.example/api/v2${path}`;
  const request = {
    ...sampleExchange().request,
    method: sampleOperations.find(({ id }) => id === operation)?.method ?? 'GET',
  };
  const answer = sampleExchange().response;
  return {
    ...result,
    verdict,
    difference: { expected, received: got },
    failed_on: [operation],
    counterexample: input,
    reproduce: `curl -i -X ${request.method} -H "Authorization: Bearer $TOKEN" '${url}'`,
    exchanges: [
      sampleExchange({ operation, started_ms: (result.started_ms ?? 0) + 3, request: { ...request, url } }),
      sampleExchange({
        operation,
        started_ms: (result.started_ms ?? 0) + 40,
        request: { ...request, url },
        ...(answer !== undefined && body !== undefined
          ? { response: { ...answer, body, body_bytes: body.length } }
          : { differs: 'status' }),
      }),
    ],
  };
}

function brokenMatrix(rows: Record<string, ScopeRow>): Record<string, ScopeRow> {
  const { listExperiments, deleteRateLimitPolicy, listActionVersions } = rows;
  if (!listExperiments || !deleteRateLimitPolicy || !listActionVersions) return rows;
  const reads = sampleScopes.filter((scope) => scope.startsWith('read:'));
  const accepted = Object.fromEntries(reads.map((scope) => [scope, 200]));
  return {
    ...rows,
    listExperiments: { ...listExperiments, cells: { ...listExperiments.cells, ...accepted } },
    deleteRateLimitPolicy: {
      ...deleteRateLimitPolicy,
      cells: {
        ...deleteRateLimitPolicy.cells,
        'delete:rate_limit_policies': 403,
        'update:rate_limit_policies': 500,
      },
    },
    listActionVersions: {
      ...listActionVersions,
      cells: Object.fromEntries(Object.entries(listActionVersions.cells).filter((_, index) => index < 90)),
    },
  };
}

function brokenWalks(): NonNullable<Report['walks']> {
  const good = sampleWalk();
  const [first, second, third, ...rest] = good.pages;
  if (!first || !second || !third) return [good];
  const overlapping = { ...second, items: [...first.items.slice(-5), ...second.items.slice(0, 20)] };
  return [
    good,
    { ...good, title: 'take=25, status=active', pages: [first, overlapping, third, ...rest] },
    { ...good, title: 'take=25, from the spent checkpoint', pages: [first, second, first, third] },
  ];
}

/** A base URL and nothing else: no token, so little was judged. */
export function littleRun(): Report {
  const requirements = conformingResults().map((result): RequirementResult => {
    if (['5/wrong-key', '5/alg-none'].includes(result.id)) return result;
    if (result.id === '7/no-server-error') {
      const reason = 'no request to it was accepted';
      return {
        ...result,
        not_judged_on: result.operations.slice(2).map((operation) => ({ operation, reason })),
        required_flags: ['--token JWT'],
      };
    }
    const seeded = ['4.3', '8', '4.4'].includes(result.section);
    return {
      ...result,
      verdict: 'not-judged',
      reason: seeded
        ? 'the tenant cannot be seeded, looked into, or moved in time'
        : 'there is no token that the target accepts',
      required_flags: seeded
        ? ['--control URL', '--token JWT']
        : ['--token JWT', '--signing-key FILE', '--client-id ID'],
    };
  });
  return sampleReport({
    requirements,
    target: { base_url: 'https://tenant.example/api/v2', cloud: 'public', capabilities: [] },
    scope_matrix: { operations: {} },
    observations: [],
    run: { requests: 31, duration_ms: 1_204 },
  });
}

/** A contract of so many operations, a few of them broken. */
export function largeRun(size = 450): Report {
  const operations = Array.from({ length: size }, (_, index): ContractOperation => {
    const resource =
      ['users', 'clients', 'roles', 'forms', 'flows', 'hooks', 'grants', 'rules'][index % 8] ?? 'users';
    const method = ['GET', 'POST', 'PATCH', 'DELETE'][index % 4] ?? 'GET';
    return {
      id: `${method.toLowerCase()}_${resource}_${index}`,
      method,
      path: `/${resource}/{id}/part-${index}`,
    };
  });
  const matrix = sampleMatrix(operations);
  for (const [index, { id }] of operations.entries()) {
    const row = matrix[id];
    if (row !== undefined && index % 90 === 7) {
      matrix[id] = {
        ...row,
        cells: { ...row.cells, [sampleScopes[index % sampleScopes.length] ?? '']: 200 },
      };
    }
  }
  const requirements = conformingResults(operations).map(
    (result): RequirementResult =>
      result.id === '5.3/each-scope'
        ? {
            ...broken(result, 'failed'),
            difference: { expected: '403', received: '200 on get_users_7 with update:agents' },
          }
        : result,
  );
  return sampleReport({
    contract: { title: 'Everything', version: '2.0', operations },
    requirements,
    scope_matrix: { operations: matrix },
    run: { requests: 181_204, duration_ms: 1_931_000 },
  });
}

/** What a hostile target sends wherever it can. */
export const hostileText = [
  `<script>globalThis.pwned = true;document.title='pwned'</script><img src=x onerror="globalThis.pwned=true">`,
  `</script></style></pre><style>body{display:none}</style><!-- ]]> -->`,
  `" onmouseover="globalThis.pwned=true" x='y' \${globalThis.pwned=true}`,
  `\u001b[2J\u001b[31mDOES CONFORM\u001b[0m\u0007\u0008\u0000\u009b31m`,
  `\u202egnp.exe\u2066 \u200f\u200b\ufeff \u2028\u2029 \ud800 \uffff`,
  '| a | b |\n```\n# heading\n[click](javascript:alert(1)) @everyone ![x](http://evil.example/x.png)\n::error::forged',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324'.repeat(30),
].join('\n');

/** A target that answers everything with text made to run, to deface, or to drown. */
export function hostileRun(): Report {
  const huge = 'A'.repeat(300_000);
  const exchange: RecordedExchange = sampleExchange({
    operation: hostileText,
    request: {
      ...sampleExchange().request,
      url: `https://tenant.example/${hostileText}`,
      body: hostileText,
      body_bytes: 9,
    },
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
  const requirements = conformingResults().map((result, index): RequirementResult => {
    const verdict = result.level === 'inferred' ? 'warned' : index % 7 === 0 ? 'error' : 'failed';
    return {
      ...result,
      verdict,
      reason: hostileText,
      difference: {
        expected: '403',
        received: hostileText,
        because: hostileText,
        entries: [{ kind: 'changed', path: hostileText, expected: hostileText, received: hostileText }],
      },
      counterexample: { text: hostileText, huge },
      reproduce: `curl -d '${hostileText}' https://tenant.example/`,
      exchanges: [exchange, exchange],
    };
  });
  const rows = sampleMatrix(sampleOperations);
  const row = rows.listExperiments;
  return sampleReport({
    requirements,
    target: {
      base_url: `https://tenant.example/${hostileText}`,
      cloud: 'public',
      capabilities: [hostileText],
    },
    contract: {
      title: hostileText,
      version: hostileText,
      operations: [...sampleOperations, { id: hostileText, method: 'GET', path: hostileText }],
    },
    scope_matrix: {
      operations: {
        ...rows,
        ...(row && { [hostileText]: { ...row, cells: { ...row.cells, [hostileText]: 200 } } }),
      },
    },
    observations: [
      { id: '7/error-body', description: hostileText, value: { [hostileText]: hostileText, huge } },
    ],
    walks: [
      {
        ...sampleWalk(),
        title: hostileText,
        pages: [{ query: hostileText, status: 200, items: [hostileText, huge] }],
      },
    ],
    checkpoints: [{ ...sampleCheckpoint, title: hostileText }],
    run: { ended_early: hostileText },
  });
}
