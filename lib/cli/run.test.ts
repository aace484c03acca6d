import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Fake, type RulesOverride, startFake } from '../fake/index.ts';
import { listRequirements, runConformance } from '../index.ts';
import { faults } from '../mutation/faults/index.ts';
import { parseReportText } from '../report/parse.ts';
import type { RequirementResult } from '../report/report.ts';
import { exitCode } from '../report/summary.ts';
import type { ConformanceOptions } from './settings.ts';

let fake: Fake;
beforeAll(async () => {
  fake = await startFake({ control: true });
});
afterAll(() => fake.close());

/** Little enough to be quick. */
const small = { only: ['4.5'], runs: 3, seed: 1 };

async function againstFake(options: ConformanceOptions) {
  return runConformance({ baseUrl: fake.url, ...small, ...options });
}

/** A server that answers everything by the listener, for the time of the callback. */
async function withServer<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    return await use(`http://127.0.0.1:${port}/api/v2`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('the embedded fake is judged if no target is named, and conforms', async () => {
  const report = await runConformance({ ...small, only: ['4.5', '5.4'] });
  expect(report.verdict).toBe('incomplete');
  expect(report.summary.judged + report.summary.deselected).toBe(report.requirements.length);
  expect(report.summary.stated.passed).toBeGreaterThan(5);
  expect(report.run).toMatchObject({ seed: 1, shard: null });
  expect(exitCode(report)).toBe(0);
  const text = JSON.stringify(report);
  expect(parseReportText(text)).toEqual(JSON.parse(text));
});

test('a server is judged with everything that it offers', async () => {
  if (fake.controlUrl === undefined) throw new Error('the fake has no control');
  const before = fake.dataSet;
  const report = await againstFake({ control: fake.controlUrl, signingKey: { ...fake.signingKey } });
  expect(report.summary.judged + report.summary.deselected).toBe(report.requirements.length);
  expect(report.target.capabilities).toEqual(expect.arrayContaining(['mint', 'seed', 'clock', 'logs']));
  expect(fake.dataSet).toEqual(before);
  expect(fake.clock.offsetSeconds).toBe(0);
});

test('with only a base URL, what needs a token is not judged, and never green as a whole', async () => {
  const report = await againstFake({ only: ['5.1', '4.5'] });
  expect(report.verdict).toBe('incomplete');
  const reads = report.requirements.find(({ id }) => id === '4.5/reads');
  expect(reads).toMatchObject({ verdict: 'not-judged', required_flags: expect.arrayContaining(['--token']) });
  expect(exitCode(report)).toBe(0);
  expect(exitCode(report, { complete: true })).toBe(1);
});

test('secrets are in no report', async () => {
  const token = await fake.token();
  const [client] = fake.clients;
  if (client === undefined) throw new Error('the fake has no client');
  const report = await againstFake({
    only: ['4.5', '5.4'],
    token,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    header: ['X-Api-Key: key-of-mine'],
  });
  const text = JSON.stringify(report);
  for (const secret of [token, client.client_secret, 'key-of-mine']) expect(text).not.toContain(secret);
});

test('a target that is not there leaves everything unjudged, with the remedy', async () => {
  const report = await runConformance({ ...small, baseUrl: 'http://127.0.0.1:9/api/v2' });
  expect(report.run.ended_early).toMatch(/No server is listening at http:\/\/127\.0\.0\.1:9/);
  expect(report.requirements.every(({ verdict }) => verdict === 'not-judged')).toBe(true);
  expect(report.requirements.length).toBeGreaterThan(3);
  expect(exitCode(report)).toBe(3);
});

test('a control endpoint that is not there is named', async () => {
  const report = await againstFake({ control: 'http://127.0.0.1:9' });
  expect(report.run.ended_early).toMatch(/^control: GET http:\/\/127\.0\.0\.1:9/);
});

test('refused credentials end the run before anything is judged', async () => {
  const other = await startFake();
  const report = await againstFake({ token: await other.token() });
  await other.close();
  expect(report.run.ended_early).toMatch(/refuses the credentials/);
  expect(exitCode(report)).toBe(3);
  const wrongClient = await againstFake({ clientId: 'nobody', clientSecret: 'not-the-secret' });
  expect(wrongClient.run.ended_early).toMatch(/The suite could not get a token: .*Check the credentials/);
  expect(JSON.stringify(wrongClient)).not.toContain('not-the-secret');
});

test('a forgotten path is named', async () => {
  const report = await againstFake({ baseUrl: fake.origin, only: ['4.2'], token: await fake.token() });
  expect(report.run.ended_early).toContain(`is ${fake.origin} the right --base-url, with its path`);
});

test('pages for people and redirects are named', async () => {
  const page: RequestListener = (_, response) =>
    response.setHeader('content-type', 'text/html').end('<html>');
  const html = await withServer(page, (baseUrl) => runConformance({ ...small, only: ['4.2'], baseUrl }));
  expect(html.run.ended_early).toMatch(
    /200 and a body that is not JSON: this looks like a login page or a gateway/,
  );
  const moved: RequestListener = (_, response) => response.writeHead(301, { location: '/elsewhere' }).end();
  const redirected = await withServer(moved, (baseUrl) =>
    runConformance({ ...small, only: ['4.2'], baseUrl }),
  );
  expect(redirected.run.ended_early).toMatch(/redirects to http:\/\/127\.0\.0\.1:\d+\/elsewhere/);
});

test('what a conforming server may do is not mistaken for another service', async () => {
  // The body of a refusal is free, and a missing token may lead a person to a login.
  const refusing: RequestListener = (_, response) =>
    response.writeHead(401, { 'content-type': 'text/html' }).end('<html>log in</html>');
  const report = await withServer(refusing, (baseUrl) =>
    runConformance({ ...small, only: ['5.1'], baseUrl }),
  );
  expect(report.run.ended_early).toBeUndefined();
  expect(report.summary.stated.passed).toBeGreaterThan(0);
});

test('what is left of a target that dies is an error, not a failure', async () => {
  let seen = 0;
  const dying: RequestListener = (request, response) => {
    seen += 1;
    if (seen > 12) request.socket.destroy();
    else response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  };
  const report = await withServer(dying, (baseUrl) =>
    runConformance({ baseUrl, only: ['5.1', '5.2'], runs: 3, seed: 1, restartWait: 1 }),
  );
  expect(report.summary.stated.failed).toBe(0);
  expect(report.summary.stated.error).toBeGreaterThan(0);
  expect(exitCode(report)).toBe(3);
});

test('an aborted run reports what it has, and puts the data back', async () => {
  if (fake.controlUrl === undefined) throw new Error('the fake has no control');
  const controller = new AbortController();
  const before = fake.dataSet;
  const report = await againstFake({
    only: ['4.2'],
    runs: 20,
    control: fake.controlUrl,
    signingKey: { ...fake.signingKey },
    signal: controller.signal,
    onProgress: ({ done }) => {
      if (done >= 10) controller.abort();
    },
  });
  expect(report.run.ended_early).toBe('interrupted');
  expect(report.verdict).toBe('incomplete');
  const verdicts = report.requirements.map(({ verdict }) => verdict);
  expect(verdicts).toContain('passed');
  expect(verdicts).toContain('not-judged');
  expect(verdicts).not.toContain('error');
  expect(fake.dataSet).toEqual(before);
});

test('each result is reported once it is there, an operation at a time, without secrets', async () => {
  const results: RequirementResult[] = [];
  const options = { only: ['5.1/no-header', '4.2/answer-members', '4.2/take-accepted'], runs: 3, seed: 1 };
  const report = await runConformance({ ...options, onResult: (result) => results.push(result) });
  const listed = await listRequirements(options);
  expect(listed.map(({ id }) => id).toSorted()).toEqual(options.only.toSorted());
  expect(report.requirements.filter(({ verdict }) => verdict === 'passed')).toHaveLength(3);
  const operations = results.filter(({ id }) => id === '5.1/no-header').flatMap((each) => each.operations);
  expect(operations.toSorted()).toEqual(
    listed.find(({ id }) => id === '5.1/no-header')?.operations.toSorted(),
  );
  expect(results.at(-1)).toMatchObject({ id: '4.2/answer-members', verdict: 'passed' });
});

test('a hanging target is given up at once when the run is aborted', async () => {
  const controller = new AbortController();
  let seen = 0;
  const hanging: RequestListener = (_, response) => {
    seen += 1;
    if (seen === 1) response.writeHead(401).end();
    else controller.abort();
  };
  const began = performance.now();
  const report = await withServer(hanging, (baseUrl) =>
    runConformance({ baseUrl, only: ['5.1'], signal: controller.signal }),
  );
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(report.run.ended_early).toBe('interrupted');
});

test('read-only sends nothing that changes anything, and that is not an error', async () => {
  const sent = new Set<string | undefined>();
  const spy: RequestListener = (request, response) => {
    sent.add(request.method);
    response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  };
  const report = await withServer(spy, (baseUrl) =>
    runConformance({ baseUrl, readOnly: true, runs: 2, seed: 1, skip: ['5.5'] }),
  );
  expect([...sent]).toEqual(['GET']);
  expect(report.summary.stated.error + report.summary.inferred.error).toBe(0);
});

test('the phone templates are put back as the profile says they were', async () => {
  const phone_templates = { enrollment_message: 'before {{code}}', verification_message: 'before' };
  await againstFake({ only: ['4.1/update*'], token: await fake.token(), phone_templates });
  expect(fake.dataSet.phone_templates).toEqual(phone_templates);
});

test('messages that the run did not update stay, whatever the profile says', async () => {
  const before = fake.dataSet.phone_templates;
  const phone_templates = { enrollment_message: 'older {{code}}', verification_message: 'older' };
  await againstFake({ only: ['4.2/reads'], token: await fake.token(), phone_templates });
  expect(fake.dataSet.phone_templates).toEqual(before);
});

test('messages that are not known are set to the defaults, and the report says so', async () => {
  const { run } = await againstFake({ only: ['4.1/update*', '4.1/json*'], token: await fake.token() });
  expect(fake.dataSet.phone_templates).toMatchObject({
    verification_message: '{{code}} is your verification code for {{tenant.friendly_name}}',
  });
  expect(run.notes).toEqual([expect.stringContaining('the phone messages were set to their defaults')]);
});

test('a session that replaces the token is reported, and its ID is in no report', async () => {
  const fault = faults.find(({ name }) => name === 'session-by-cookie');
  const other = await startFake(fault && { rules: fault.rules });
  try {
    const options = { baseUrl: other.url, signingKey: { ...other.signingKey }, only: ['5.1'], seed: 1 };
    const report = await runConformance(options);
    expect(report.requirements.find(({ id }) => id === '5.1/no-header')?.verdict).toBe('failed');
    const text = JSON.stringify(report);
    expect(text).toContain('SESSION=$COOKIE');
    expect(text).not.toContain('5f2d9c1b7a3e4d60');
  } finally {
    await other.close();
  }
});

test('a token that has expired is refused before the run', async () => {
  const claims = { exp: Math.floor(Date.now() / 1000) - 60, scopes: {} };
  const token = ['{}', JSON.stringify(claims), 'x'].map((part) => Buffer.from(part).toString('base64url'));
  await expect(againstFake({ token: token.join('.') })).rejects.toThrow(/^--token expired at 20/);
});

const existenceFirst: RulesOverride = (usual) => ({
  ...usual,
  checks: ['token', 'scopes', 'exists', 'parameters'],
});

test.each([
  { when: 'last', rules: [] },
  { when: 'first', rules: [existenceFirst] },
])('an action that does not exist accuses nobody if it is looked for $when', async ({ rules }) => {
  const other = await startFake({ rules });
  onTestFinished(() => other.close());
  const report = await runConformance({
    baseUrl: other.url,
    only: ['4.4'],
    token: await other.token(),
    actionId: ['no-such-action'],
  });
  expect(report.requirements.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(report.requirements.find(({ id }) => id === '4.4/reads')).toMatchObject({
    verdict: 'not-judged',
    required_flags: ['--action-id'],
  });
});

test('policies that an earlier run deleted are passed over', async () => {
  const [id = ''] = fake.dataSet.rate_limit_policies.map((policy) => policy.id);
  const report = await againstFake({
    only: ['4.3/delete-succeeds'],
    token: await fake.token(),
    rateLimitPolicyId: ['deleted-before', id],
  });
  expect(report.requirements.find((each) => each.id === '4.3/delete-succeeds')?.verdict).toBe('passed');
});

test('a profile may name the scopes that an operation needs', async () => {
  const token = await fake.token({ scopes: ['read:flows'] });
  const assumed = { assume: { required_scopes: { listExperiments: 'read:flows' } }, token };
  const report = await againstFake({ only: ['4.2/reads'], ...assumed });
  expect(report.requirements.find(({ id }) => id === '4.2/reads')).toMatchObject({
    verdict: 'not-judged',
    reason: expect.stringContaining('assume.required_scopes'),
  });
  await expect(
    againstFake({ assume: { required_scopes: { listExperimets: 'read:flows' } } }),
  ).rejects.toThrow('the contract has no operation listExperimets; did you mean listExperiments?');
});

test('a server that requires the scopes that a profile names, or none, is not accused', async () => {
  const flows = { name: 'read:flows', verb: 'read', resource: 'flows' };
  const other = await startFake({
    rules: (usual) => ({
      ...usual,
      scopes: {
        ...usual.scopes,
        required: (operation, call) => {
          if (operation.id === 'listActionVersions') return [];
          return operation.id === 'listExperiments' ? [flows] : usual.scopes.required(operation, call);
        },
      },
    }),
  });
  try {
    const report = await runConformance({
      baseUrl: other.url,
      signingKey: { ...other.signingKey },
      only: ['5.3', '5.5'],
      runs: 5,
      seed: 1,
      assume: { required_scopes: { listExperiments: 'read:flows', listActionVersions: '' } },
    });
    const accused = report.requirements.filter(({ verdict }) => !['passed', 'not-judged'].includes(verdict));
    expect(accused).toEqual([]);
  } finally {
    await other.close();
  }
});

test('without the subscription, what updates the phone templates is not judged', async () => {
  const report = await againstFake({
    only: ['4.1/json-accepted', '4.2/reads'],
    assume: { subscription: false },
    token: await fake.token(),
  });
  const verdicts = report.requirements.filter(({ reason }) => reason !== 'deselected');
  expect(verdicts).toMatchObject([
    {
      id: '4.1/json-accepted',
      verdict: 'not-judged',
      reason: expect.stringContaining('assume.subscription'),
    },
    { id: '4.2/reads', verdict: 'passed' },
  ]);
});

test('an operation that is left out is not used for requirements on other things', async () => {
  await using other = await startFake({
    clients: [{ client_id: 'one', client_secret: 'secret', scopes: ['read:experimentation'] }],
  });
  const client = { baseUrl: other.url, clientId: 'one', clientSecret: 'secret' };
  const verdict = async (options: ConformanceOptions) => {
    const { requirements } = await againstFake({ ...client, only: ['5.4'], ...options });
    return requirements.find(({ id }) => id === '5.4/token-works')?.verdict;
  };
  expect(await verdict({})).toBe('passed');
  expect(await verdict({ skip: ['listExperiments'] })).toBe('not-judged');
});

test.each<[ConformanceOptions, string]>([
  [{ runs: 0 }, 'runs must be an integer from 1'],
  [{ only: ['nowhere'] }, "--only 'nowhere' names no requirement"],
  [{ token: 'x' }, '--token needs --base-url'],
  [{ baseUrl: 'x' }, 'baseUrl must be an http or https URL'],
  [{ baseUrl: 'http://x.example/a\nb' }, 'white space or a line break'],
  [{ contract: '/nowhere.yaml' }, 'there is no file /nowhere.yaml'],
  [{ runs: 1, ...{ dryRun: true } }, 'dryRun is an option of the command line only'],
  [{ runs: 1, ...{ reportDir: 'x' } }, 'reportDir is an option of the command line only'],
  [{ runs: 1, ...{ concurency: 3 } }, 'there is no option concurency; did you mean concurrency?'],
  [{ limits: { wait_ms: 1, ...{ wait_millis: 3 } } }, 'limits: unknown key wait_millis'],
  [{ baseUrl: 'http://x.example', signingKey: { kty: 'OKP' } }, 'signing key'],
  [
    { baseUrl: 'http://x.example', header: ['authorization: Basic bWU6cHc='] },
    '--header must not contain Authorization: requests without a token would have it too',
  ],
  [
    { assume: { required_scopes: { listExperiments: 'read:experimentations' } } },
    'assume.required_scopes: the contract has no scope read:experimentations; did you mean read:experimentation?',
  ],
])('%j is wrong usage', async (options, message) => {
  await expect(runConformance(options)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(message),
  });
});

test('everything deselected is nothing judged', async () => {
  const report = await runConformance({ only: ['4.5'], skip: ['4.5'] });
  expect(report.verdict).toBe('incomplete');
  expect(exitCode(report)).toBe(3);
});
