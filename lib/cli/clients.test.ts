import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startCli } from '../../test/child-process.ts';
import { runHere } from '../../test/in-process.ts';
import { type Fake, type FakeOptions, type RulesOverride, startFake } from '../fake/index.ts';
import { parseReportText } from '../report/parse.ts';
import type { Report } from '../report/report.ts';
import { runConformance } from './run.ts';
import type { ConformanceOptions } from './settings.ts';

/** Tokens of clients: what several of known scopes show of the scope matrix, and how tokens are renewed. */

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const client = (id: string, ...scopes: string[]) => ({
  client_id: id,
  client_secret: `secret-of-${id}`,
  scopes,
});
const reader = client('reader', 'read:actions');
const experimenter = client('experimenter', 'read:experimentation', 'read:actions');
const unrelated = client('unrelated', 'read:users', 'read:logs');
const factors = client('factors', 'update:guardian_factors');
const factorReader = client('factor-reader', 'read:guardian_factors');
const updater = client('updater', 'update:actions', 'update:users');
const nobody = client('nobody');

async function start(clients: readonly (typeof reader)[], options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake({ clients, ...options });
  open.push(() => fake.close());
  return fake;
}

const verdicts = ({ requirements }: Report) =>
  Object.fromEntries(requirements.map(({ id, verdict }) => [id.replace('5.5/', ''), verdict]));

async function judged(clients: readonly (typeof reader)[], options: FakeOptions = {}) {
  const fake = await start(clients, options);
  return runConformance({
    baseUrl: fake.url,
    auth: { clients },
    only: ['5.5', '5.3/empty-scopes'],
    runs: 2,
    seed: 1,
  });
}

test('clients of known scopes judge the scope matrix as far as they go', async () => {
  const report = await judged([reader, experimenter, unrelated, factors]);
  expect(verdicts(report)).toMatchObject({
    'required-scope': 'passed',
    'each-scope-alone': 'passed',
    'all-but-required': 'passed',
    'among-others': 'not-judged',
    'required-scope-inferred': 'passed',
    'each-scope-alone-inferred': 'passed',
    'all-but-required-inferred': 'passed',
    'among-others-inferred': 'passed',
    'any-set': 'passed',
    'any-set-inferred': 'passed',
    'wrong-resource-inferred': 'passed',
    'wrong-verb': 'not-judged',
    'wrong-resource': 'not-judged',
    '5.3/empty-scopes': 'not-judged',
  });
  // What no client shows is named, operation by operation.
  const partly = report.requirements.find(({ id }) => id === '5.5/required-scope-inferred')?.by_operation;
  expect(partly).toContainEqual(
    expect.objectContaining({ operation: 'deleteRateLimitPolicy', verdict: 'not-judged' }),
  );
  const { cells } = report.scope_matrix.operations.listExperiments ?? {};
  expect(cells).toEqual({ 'read:experimentation': 200, 'read:actions': 403, 'update:guardian_factors': 403 });
});

/** Clients that between them show all of the matrix that is not about scopes outside the catalogue. */
const all = [reader, experimenter, unrelated, factors, factorReader, updater, nobody];

test('more clients show more of it', async () => {
  const shown = ['any-set', 'wrong-verb', 'wrong-resource', '5.3/empty-scopes', 'all-but-required'];
  const found = verdicts(await judged(all));
  expect(shown.map((id) => found[id])).toEqual(shown.map(() => 'passed'));
});

test.each([
  [
    'lets in a client without the scope',
    true,
    ['all-but-required', 'wrong-verb', 'wrong-resource', 'any-set'],
  ],
  ['keeps out a client with it', false, ['required-scope', 'any-set']],
])('a server that %s is caught', async (_, permits, broken) => {
  const rules: RulesOverride = (usual) => ({ ...usual, scopes: { ...usual.scopes, permits: () => permits } });
  const found = verdicts(await judged(all, { rules }));
  for (const id of broken) expect(found[id]).toBe('failed');
});

test('the clients of a profile are served by a fake in another process, and judge it by that profile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clients-'));
  const profile = join(folder, 'conformance.yaml');
  const secrets = Object.fromEntries(all.map((_, index) => [`SECRET_${index}`, `hidden-${index}`]));
  const clients = all.map((each, index) => ({ ...each, client_secret: `env:SECRET_${index}` }));
  writeFileSync(profile, JSON.stringify({ auth: { clients } }));
  const running = startCli(['fake', '--profile', profile], secrets);
  try {
    const printed = await running.until('Ctrl-C stops it');
    expect(printed).toContain(`client    ${all.map(({ client_id }) => client_id).join(', ')}\n`);
    const [, url = ''] = /^base URL +(\S+)/m.exec(printed) ?? [];
    const args = ['--base-url', url, '--profile', profile, '--only', '5.5', '--only', '5.3/empty-scopes'];
    const { code, stdout, stderr } = await runHere([...args, '--report-dir', folder, '--seed', '1'], secrets);
    const text = readFileSync(join(folder, 'report.json'), 'utf8');
    const found = verdicts(parseReportText(text));
    expect(code).toBe(0);
    for (const id of ['any-set', 'wrong-verb', 'wrong-resource', 'each-scope-alone', '5.3/empty-scopes'])
      expect(found[id]).toBe('passed');
    for (const secret of Object.values(secrets))
      expect(printed + stdout + stderr + text).not.toContain(secret);
  } finally {
    running.child.kill('SIGINT');
  }
  expect((await running.ended).code).toBe(0);
});

test('a server is not accused by a profile that is wrong about its client: the token says what it permits', async () => {
  const fake = await start([factors, reader]);
  const clients = [
    factors,
    { ...factors, scopes: ['read:users'] },
    { ...reader, scopes: ['update:guardian_factors'] },
  ];
  const report = await runConformance({
    baseUrl: fake.url,
    auth: { clients },
    only: ['5.5'],
    runs: 2,
    seed: 1,
  });
  expect(report.summary.stated.failed).toBe(0);
  expect(report.summary.inferred.warned).toBe(0);
});

test('a refusal proves nothing if no client is let in', async () => {
  const report = await judged([unrelated]);
  expect(new Set(Object.values(verdicts(report)))).toEqual(new Set(['not-judged']));
});

test('tokens of a client follow the clock that the run moves', async () => {
  const fake = await start([experimenter], { control: true });
  const { client_id: clientId, client_secret: clientSecret } = experimenter;
  const control = fake.controlUrl ?? '';
  const options = {
    baseUrl: fake.url,
    control,
    clientId,
    clientSecret,
    only: ['8/checkpoint-restart'],
    seed: 1,
  };
  expect(Object.values(verdicts(await runConformance(options)))).toContain('passed');
});

/** A server whose token endpoint counts; `accepts` says whether it takes its n-th token for its m-th request. */
async function counting(accepts: (token: number, request: number) => boolean) {
  let [tokens, requests] = [0, 0];
  const server = createServer((request, response) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    request.resume();
    if (request.method === 'POST') return json(200, { access_token: `opaque-${++tokens}`, expires_in: 3600 });
    const [, token] = /opaque-(\d+)/.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined) return json(401, {});
    requests += 1;
    return accepts(Number(token), requests) ? json(200, { experiments: [] }) : json(401, {});
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  open.push(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const options: ConformanceOptions = {
    clientId: 'me',
    clientSecret: 'secret-of-me',
    only: ['4.2/status-accepted'],
  };
  const report = await runConformance({ baseUrl: `http://127.0.0.1:${port}/api/v2`, seed: 1, ...options });
  return { tokens, verdict: report.requirements.find(({ reason }) => reason !== 'deselected')?.verdict };
}

test('a token that is refused all of a sudden is renewed once, and then stands', async () => {
  // The preflight reads several operations first; then the first token is revoked.
  expect(await counting((token, request) => token === 2 || request <= 4)).toEqual({
    tokens: 2,
    verdict: 'passed',
  });
});

test('a server that refuses every token is not asked for new ones without end', async () => {
  const { tokens, verdict } = await counting((_, request) => request <= 4);
  expect(verdict).toBe('failed');
  expect(tokens).toBeLessThan(6);
});

test('a token from elsewhere shows a server that does not verify signatures, and the script repeats it', async () => {
  const rules: RulesOverride = (usual) => ({
    ...usual,
    token: { ...usual.token, accepts: () => true, verifiesSignature: async () => true },
  });
  const fake = await start([], { rules });
  const only = ['7/alg-none', '7/untrusted-key', '7/signature-missing', '7/payload-changed'];
  const token = await fake.token();
  const { requirements } = await runConformance({ baseUrl: fake.url, token, only, seed: 1, runs: 2 });
  const judged = requirements.filter(({ id }) => only.includes(id));
  expect(judged.map(({ verdict }) => verdict)).toEqual(only.map(() => 'failed'));
  expect(judged.find(({ id }) => id === '7/untrusted-key')?.reproduce).toContain(
    ' --signature untrusted-key) || exit 1',
  );
});

test('a token from elsewhere shows a server that ignores what follows its three parts', async () => {
  const rules: RulesOverride = (usual) => ({
    ...usual,
    token: { ...usual.token, sent: (call) => usual.token.sent(call)?.split('.').slice(0, 3).join('.') },
  });
  const fake = await start([], { rules });
  const id = '5.2/further-part';
  const { requirements } = await runConformance({
    baseUrl: fake.url,
    token: await fake.token(),
    only: [id],
    seed: 1,
  });
  expect(requirements.find((each) => each.id === id)?.verdict).toBe('warned');
});

test('a token that is not a JSON Web Token has no signature to judge', async () => {
  const fake = await start([]);
  const only = ['7/alg-none'];
  const report = await runConformance({ baseUrl: fake.url, token: 'opaque', only, seed: 1, runs: 2 });
  const reasons = report.requirements.filter(({ id }) => id === '7/alg-none').map(({ reason }) => reason);
  expect(reasons.join()).toMatch(/not a JSON Web Token|refuses the credentials/);
});

test.each([
  ['a policy that exists', 1, 'warned'],
  ['a made-up policy', 0, 'not-judged'],
])('a deletion that is permitted without its scope, of %s', async (_, count, verdict) => {
  const rules: RulesOverride = (usual) => ({ ...usual, scopes: { ...usual.scopes, permits: () => true } });
  const fake = await start([], { rules });
  const ids = fake.dataSet.rate_limit_policies.slice(0, count).map(({ id }) => id);
  const { requirements } = await runConformance({
    baseUrl: fake.url,
    signingKey: fake.signingKey,
    rateLimitPolicyId: ids,
    only: ['5.5/wrong-resource-inferred@deleteRateLimitPolicy'],
    seed: 1,
  });
  const found = requirements.find(({ id }) => id === '5.5/wrong-resource-inferred')?.by_operation;
  expect(found).toContainEqual(expect.objectContaining({ operation: 'deleteRateLimitPolicy', verdict }));
});

test.each([
  ['more', 'passed', /^the token command issued a token with scopes that were not requested: /],
  ['fewer', 'not-judged', /^no available token permits /],
])('a token command that issues %s scopes than requested makes nothing fail', async (what, plain, reason) => {
  const fake = await start([]);
  const file = join(mkdtempSync(join(tmpdir(), 'token-')), 'token');
  writeFileSync(file, await fake.token(what === 'more' ? {} : { scopes: [] }));
  const report = await runConformance({
    baseUrl: fake.url,
    tokenCommand: `cat '${file}'`,
    only: ['5.5/*', '5.3/*', '4.2/take-*'],
    runs: 2,
    seed: 1,
  });
  const judged = verdicts(report);
  expect(Object.values(judged)).not.toContain('failed');
  expect(judged).toMatchObject({ '4.2/take-maximum': plain, 'each-scope-alone': 'not-judged' });
  expect(report.requirements.flatMap((each) => each.by_operation)).toContainEqual(
    expect.objectContaining({ verdict: 'not-judged', reason: expect.stringMatching(reason) }),
  );
});
