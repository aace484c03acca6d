import type {
  CheckpointLife,
  ContractOperation,
  RecordedExchange,
  Report,
  RequirementResult,
  ScopeRow,
  Walk,
} from '../lib/report/report.ts';
import { runVerdict, summarise } from '../lib/report/summary.ts';
import { sampleScopes } from './sample-scopes.ts';

// Reports as runs write them, for tests and for looking at.

export const sampleOperations: readonly ContractOperation[] = [
  { id: 'put_factor_phone_templates', method: 'PUT', path: '/guardian/factors/phone/templates' },
  { id: 'listExperiments', method: 'GET', path: '/experimentation/experiments' },
  { id: 'deleteRateLimitPolicy', method: 'DELETE', path: '/rate-limit-policies/{id}' },
  { id: 'listActionVersions', method: 'GET', path: '/actions/actions/{actionId}/versions' },
  { id: 'getCustomText', method: 'GET', path: '/self-service-profiles/{id}/custom-text/{language}/{page}' },
];

const sampleSections: Readonly<Record<string, string>> = {
  '1': 'What the service does',
  '2.1': 'Phone factor templates',
  '2.2': 'Experiment',
  '2.3': 'Action version',
  '4.1': 'PUT /guardian/factors/phone/templates',
  '4.2': 'GET /experimentation/experiments',
  '4.3': 'DELETE /rate-limit-policies/{id}',
  '4.4': 'GET /actions/actions/{actionId}/versions',
  '4.5': 'GET /self-service-profiles/{id}/custom-text/{language}/{page}',
  '5': 'Authentication',
  '5.3': 'Operations not permitted',
  '5.4': 'Security schemes',
  '7': 'Errors',
  '8': 'Limits',
};

/** Slugs and what they say; each is made for every section that it fits. */
const sampleClauses: readonly (readonly [
  section: string,
  slug: string,
  description: string,
  operations: readonly number[],
])[] = [
  ['1', 'payload-limit', 'A request body of 1,000,000 bytes is accepted, one of 1,048,577 is refused.', [0]],
  ['2.1', 'both-required', 'Both messages are required.', [0]],
  ['2.1', 'closed', 'Fields other than the two messages are rejected.', [0]],
  ['2.1', 'echo', 'The response carries the same two fields as the request.', [0]],
  ['2.2', 'item-schema', 'Every experiment has the fields and types of section 2.2.', [1]],
  ['2.3', 'item-schema', 'Every action version has the fields and types of section 2.3.', [3]],
  ['2.3', 'no-secret-values', 'Secret values are not part of an action version.', [3]],
  [
    '4.1',
    'invalid-template',
    'A template that fails validation is answered with 400 and the message of section 4.1.',
    [0],
  ],
  ['4.1', 'form', 'The request body may be form-urlencoded.', [0]],
  ['4.2', 'take-maximum', 'A take above 50 is refused with 400.', [1]],
  ['4.2', 'take-minimum', 'A take below 1 is refused with 400.', [1]],
  ['4.2', 'take-default', 'Without take a page holds at most 25 experiments.', [1]],
  ['4.2', 'status-filter', 'The status filter returns the experiments of exactly that status.', [1]],
  ['4.2', 'walk', 'Following next returns every experiment once, and ends.', [1]],
  ['4.3', 'deleted', 'The rate limit policy that was named is deleted, and no other.', [2]],
  ['4.3', 'id-length', 'An id of more than 26 characters is refused.', [2]],
  ['4.4', 'default-size', 'Without per_page a page holds at most 20 versions.', [3]],
  ['4.4', 'beyond-end', 'A page beyond the end is an empty array.', [3]],
  ['4.5', 'strings', 'Custom text is an object of text keys and string values.', [4]],
  ['5', 'expired', 'A token that expired is answered with 401.', [0, 1, 2, 3, 4]],
  ['5', 'wrong-key', 'A token signed with another key is answered with 401.', [0, 1, 2, 3, 4]],
  ['5', 'alg-none', 'A token without a signature is answered with 401.', [0, 1, 2, 3, 4]],
  ['5.3', 'each-scope', 'Every scope but the required one is answered with 403.', [0, 1, 2, 3, 4]],
  ['5.3', 'right-scope', 'The required scope alone is accepted.', [0, 1, 2, 3, 4]],
  ['5.4', 'token-works', 'A token from the client-credentials endpoint is accepted.', [0, 1, 2, 3, 4]],
  ['7', 'success-schema', 'A success answer has the declared media type and schema.', [0, 1, 3, 4]],
  ['7', 'no-server-error', 'No request is answered with 500 or above.', [0, 1, 2, 3, 4]],
  [
    '8',
    'checkpoint-lifetime',
    'A checkpoint is valid for 24 hours from issue; after that the listing restarts.',
    [1],
  ],
  [
    '8',
    'correlation-id',
    'The correlation ID is recorded in the tenant logs, at most its first 64 characters.',
    [0, 2],
  ],
];

const inferredClauses: typeof sampleClauses = [
  ['4.2', 'full-pages', 'Every page but the last holds exactly take experiments.', [1]],
  ['4.4', 'size-maximum', 'A per_page above the maximum is refused or capped.', [3]],
  ['5', 'missing-token', 'A request without a token is answered with 401.', [0, 1, 2, 3, 4]],
  ['5', 'no-scopes', 'A token without the scopes claim is answered with 403 or 401.', [0, 1, 2, 3, 4]],
  ['7', 'media-type', 'A media type that is not declared is refused.', [0]],
];

const required = [
  'update:guardian_factors',
  'read:experimentation',
  'delete:rate_limit_policies',
  'read:actions',
  'read:self_service_profile_custom_texts',
];

/** Parts of a report that a test wants otherwise. */
export interface SampleParts extends Partial<Omit<Report, 'run' | 'summary' | 'verdict'>> {
  readonly run?: Partial<Report['run']>;
}

/** A report around these requirements, its counts and verdict made as a run makes them. */
export function sampleReport(parts: SampleParts = {}): Report {
  const requirements = parts.requirements ?? conformingResults();
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
    specification: { version: '2.0', sections: sampleSections },
    contract: { title: 'Tenant Administration Service', version: '2.0', operations: sampleOperations },
    target: {
      base_url: 'https://tenant.example/api/v2',
      cloud: 'public',
      capabilities: ['token', 'mint', 'seed', 'inspect', 'clock', 'logs', 'write'],
    },
    scope_matrix: { operations: sampleMatrix(sampleOperations) },
    observations: sampleObservations,
    ...parts,
    requirements,
    run,
    verdict: runVerdict(requirements, {
      strict: run.strict ?? false,
      endedEarly: run.ended_early !== undefined,
    }),
    summary: summarise(requirements),
  };
}

/** One result; whatever is not named is that of a stated requirement that passed. */
export function sampleResult(parts: Partial<RequirementResult> & { readonly id: string }): RequirementResult {
  const [section = ''] = parts.id.split('/');
  return {
    section,
    level: 'stated',
    description: 'Something is so.',
    operations: ['listExperiments'],
    verdict: 'passed',
    rerun: `npm test -- --base-url https://tenant.example/api/v2 --seed 20260117 --only ${parts.id}`,
    started_ms: 0,
    duration_ms: 120,
    requests: 40,
    exchanges: [],
    ...parts,
  };
}

/** Every clause of the sample, passed. */
export function conformingResults(operations = sampleOperations): RequirementResult[] {
  let clock = 0;
  const results = (level: 'stated' | 'inferred', clauses: typeof sampleClauses) =>
    clauses.map(([section, slug, description, on], index) => {
      const duration = 90 + ((index * 977) % 2_600);
      const started = Math.max(0, clock - 700);
      clock = started + duration;
      return sampleResult({
        id: `${section}/${slug}`,
        level,
        description,
        operations:
          on.length > 3
            ? operations.map(({ id }) => id)
            : on.map((index) => sampleOperations[index]?.id ?? ''),
        started_ms: started,
        duration_ms: duration,
        requests: 12 + ((index * 61) % 400),
      });
    });
  return [...results('stated', sampleClauses), ...results('inferred', inferredClauses)].sort((a, b) =>
    a.section.localeCompare(b.section, 'en', { numeric: true }),
  );
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
      token: {
        header: { alg: 'ES256', kid: 'suite-1' },
        claims: { scopes: { experimentation: { actions: ['read'] } }, exp: 1_768_645_800 },
      },
      body_bytes: 0,
    },
    response: {
      status: 200,
      headers: [
        ['content-type', 'application/json; charset=utf-8'],
        ['content-length', String(body.length)],
      ],
      body,
      body_bytes: body.length,
    },
    ...parts,
  };
}

/** The matrix of a server that answers as it should. */
export function sampleMatrix(operations: readonly ContractOperation[]): Record<string, ScopeRow> {
  return Object.fromEntries(
    operations.map(({ id, method }, index) => {
      const needs = required[index % required.length] ?? 'read:actions';
      const accepted = method === 'DELETE' ? 204 : 200;
      const cells = Object.fromEntries(
        sampleScopes.map((scope) => [scope, scope === needs ? accepted : 403]),
      );
      return [id, { required: needs, cells }];
    }),
  );
}

const sampleObservations: Report['observations'] = [
  { id: '4.3/success-status', description: 'Status of a successful delete.', value: 204 },
  { id: '4.3/second-delete', description: 'Status when a policy is deleted again.', value: 404 },
  {
    id: '4.1/unknown-variable',
    description: 'Whether an unknown template variable is accepted.',
    value: true,
  },
  {
    id: '7/error-body',
    description: 'Shape of an error body.',
    value: { statusCode: 403, error: 'Forbidden', message: '…' },
  },
  {
    id: '8/payload-bytes',
    description: 'Largest accepted body between 1,000,000 and 1,048,576 bytes.',
    value: 1_048_576,
  },
  { id: '8/rate-limit-headers', description: 'Rate limit headers seen.', value: [] },
];

/** A walk of `total` items in pages of `take`. */
export function sampleWalk(total = 130, take = 25): Walk {
  const ids = Array.from({ length: total }, (_, index) => `exp_${index}`);
  const pages = Array.from({ length: Math.ceil(total / take) }, (_, page) => ({
    query: page === 0 ? `take=${take}` : `take=${take}&from=ck_${page}`,
    status: 200,
    items: ids.slice(page * take, (page + 1) * take),
  }));
  return {
    operation: 'listExperiments',
    title: `take=${take}, no filter`,
    requirement: '4.2/walk',
    expected: ids,
    pages,
  };
}

export const sampleCheckpoint: CheckpointLife = {
  operation: 'listExperiments',
  title: "the first page's checkpoint",
  requirement: '8/checkpoint-lifetime',
  lifetime_s: 86_400,
  uses: [
    { age_s: 0, status: 200, outcome: 'continued', expected: 'continued' },
    { age_s: 86_340, status: 200, outcome: 'continued', expected: 'continued' },
    { age_s: 86_460, status: 200, outcome: 'restarted', expected: 'restarted' },
  ],
};
