import type { RecordedExchange, Report, RequirementResult } from '../lib/report/report.ts';
import { runVerdict, summarize } from '../lib/report/summary.ts';

// Small reports for tests of counting, merging and comparing. Whole ones come from real runs: see sample-runs.ts.

/** Parts of a report that a test wants otherwise. */
export interface SampleParts extends Partial<Omit<Report, 'run' | 'summary' | 'verdict'>> {
  readonly run?: Partial<Report['run']>;
}

const listing = { id: 'listExperiments', method: 'GET', path: '/experimentation/experiments' };

/** A report around these requirements, its counts and verdict made as a run makes them. */
export function sampleReport(parts: SampleParts = {}): Report {
  const requirements = parts.requirements ?? [];
  const run = {
    seed: 20260117,
    started_at: '2026-01-17T09:30:00.000Z',
    duration_ms: 42_310,
    requests: 6_184,
    shard: null,
    ...parts.run,
  };
  return {
    suite: { name: 'tenant-admin-conformance', version: '0.1.0' },
    specification: { version: '2.0', sections: { '4.2': 'GET /experimentation/experiments' } },
    contract: {
      title: 'Tenant Administration Service',
      version: '2.0',
      operations: [listing],
    },
    target: { base_url: 'https://tenant.example/api/v2', cloud: 'public', capabilities: ['token'] },
    scope_matrix: { operations: {} },
    observations: [],
    ...parts,
    requirements,
    run,
    verdict: runVerdict(requirements, run),
    summary: summarize(requirements, parts.contract?.operations ?? [listing], run),
  };
}

/** One result; whatever is not named is that of a stated requirement that passed. */
export function sampleResult(parts: Partial<RequirementResult> & { readonly id: string }): RequirementResult {
  const [section = ''] = parts.id.split('/');
  const { operations = ['listExperiments'], verdict = 'passed', reason, required_flags } = parts;
  const why = { ...(reason !== undefined && { reason }), ...(required_flags && { required_flags }) };
  return {
    section,
    level: 'stated',
    description: 'Something is so.',
    operations,
    by_operation: operations.map((operation) => ({ operation, verdict, ...why })),
    verdict,
    rerun: `npm test -- --base-url https://tenant.example/api/v2 --seed 20260117 --only '${parts.id}'`,
    started_ms: 0,
    duration_ms: 120,
    requests: 40,
    exchanges: [],
    ...parts,
  };
}

/** A recorded exchange; whatever is not named is that of a listing that answered 200. */
export function sampleExchange(parts: Partial<RecordedExchange> = {}): RecordedExchange {
  const body = JSON.stringify({ experiments: [{ id: 'exp_1', name: 'First' }], next: 'ck_8f31' });
  return {
    operation: 'listExperiments',
    started_ms: 4_200,
    duration_ms: 14,
    request: {
      method: 'GET',
      url: 'https://tenant.example/api/v2/experimentation/experiments?take=51',
      headers: [
        ['authorization', 'Bearer $TOKEN'],
        ['accept', 'application/json'],
      ],
      body_bytes: 0,
    },
    response: {
      status: 200,
      headers: [['content-type', 'application/json; charset=utf-8']],
      body,
      body_bytes: body.length,
    },
    ...parts,
  };
}
