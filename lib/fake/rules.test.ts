import { describe, expect, test } from 'vitest';
import { loadContract } from '../contract/load.ts';
import { operation } from '../contract/model.ts';
import type { Call } from './call.ts';
import { override, type RulesOverride, startFake } from './index.ts';
import { conformingRules } from './rules.ts';

const contract = await loadContract();
const rules = conformingRules(contract);
const list = operation(contract, 'listExperiments');
const versions = operation(contract, 'listActionVersions');

function callWith(parts: Partial<Call> = {}): Call {
  return {
    number: 1,
    endpoint: undefined,
    operation: list,
    method: 'GET',
    target: '/',
    origin: 'http://tenant.localhost',
    pathTexts: {},
    query: [],
    headers: {},
    mediaType: undefined,
    chunked: false,
    contentLength: undefined,
    cloud: 'public',
    now: 1_000_000,
    clockOffset: 0,
    seeds: 1,
    ...parts,
  };
}
const call = callWith();

describe('the conforming rules', () => {
  test('take their limits from the contract', () => {
    expect(rules.payload.limit(call)).toBe(contract.payload.refuses - 1);
    for (const { pagination } of [list, versions]) {
      if (pagination === undefined) throw new Error('a listing has pages');
      expect(rules.paging.size(undefined, pagination, call)).toBe(pagination.size.default);
      expect(rules.paging.size(7, pagination, call)).toBe(7);
      for (const cloud of ['public', 'private'] as const) {
        expect(rules.paging.maximum(pagination, callWith({ cloud }))).toBe(pagination.size.maximum[cloud]);
      }
    }
  });

  test.each([
    [1001, false],
    [1000, true],
    [1000.5, false],
    [999, true],
    [undefined, true],
    ['1001', true],
    [Number.NaN, true],
  ])('exp %s has passed at 1000: %s', (exp, expired) => {
    expect(rules.token.isExpired(exp, call, {})).toBe(expired);
  });

  test.each([
    [undefined, false],
    [1060, false],
    [1061, true],
    ['1000', true],
  ])('nbf %s is still to come at 1000: %s', (nbf, early) => {
    expect(rules.token.isEarly(nbf, call, {})).toBe(early);
  });

  test('accept a checkpoint for its lifetime, not longer', () => {
    const { pagination } = list;
    if (pagination?.kind !== 'checkpoint') throw new Error('experiments have checkpoints');
    const validAfter = (seconds: number) =>
      rules.checkpoints.isValid(call.now - seconds * 1000, call, pagination);
    expect([0, pagination.lifetime - 1, pagination.lifetime].map(validAfter)).toEqual([true, true, false]);
  });

  test('permit what the claim names itself, nothing inherited', () => {
    const scope = { name: 'read:toString', verb: 'read', resource: 'toString' };
    expect(rules.scopes.permits({}, scope, {}, call)).toBe(false);
    expect(rules.scopes.permits({ toString: { actions: ['read'] } }, scope, {}, call)).toBe(true);
  });

  test('match exactly, and cut a correlation ID', () => {
    const matches = (wanted: string, found: unknown) =>
      rules.experiments.matches('a', wanted, found, {}, call);
    expect([matches('x', 'x'), matches('x', 'X'), matches('1', 1)]).toEqual([true, false, false]);
    const correlation = { header: 'X-Correlation-ID', recordedLength: 3 };
    expect(rules.correlation.recorded('abcdef', correlation, call)).toBe('abc');
    expect(rules.correlation.recorded('ab', correlation, call)).toBe('ab');
    const sent = callWith({ headers: { 'x-correlation-id': 'abc' } });
    expect(rules.correlation.sent(correlation, sent)).toBe('abc');
  });

  test('cut pages', () => {
    const items = [{ id: 0 }, { id: 1 }, { id: 2 }];
    const page = (number: number) =>
      rules.versions.items(items, { page: number, perPage: 2, total: 3 }, call).map(({ id }) => id);
    expect([0, 1, 2, Number.MAX_VALUE].map(page)).toEqual([[0, 1], [2], [], []]);
  });
});

/** The response of a fake with this override. */
async function ask(change: RulesOverride, path: string, init: RequestInit = {}): Promise<Response> {
  const fake = await startFake({ rules: change });
  const answer = await fetch(fake.url + path, {
    ...init,
    headers: {
      authorization: `Bearer ${await fake.token()}`,
      ...Object.fromEntries(new Headers(init.headers)),
    },
  });
  const body = await answer.arrayBuffer();
  await fake.close();
  return new Response(answer.status === 204 ? null : body, answer);
}

const experiments = '/experimentation/experiments';

describe('a rule alone makes', () => {
  test('a bound off by one', async () => {
    const offByOne: RulesOverride = (usual) =>
      override(usual, 'parameters', {
        violations: (found, value) => (value === 51 ? [] : found),
      });
    expect((await ask(offByOne, `${experiments}?take=51`)).status).toBe(200);
    expect((await ask(offByOne, `${experiments}?take=52`)).status).toBe(400);
  });

  test('a last page that loses an item', async () => {
    const lost: RulesOverride = (usual) =>
      override(usual, 'versions', {
        items: (items, page, at) => {
          const found = items.slice(page.page * page.perPage, (page.page + 1) * page.perPage);
          const isLast = (page.page + 1) * page.perPage >= page.total;
          return isLast && at.method === 'GET' ? found.slice(0, -1) : found;
        },
      });
    const fake = await startFake();
    const id = fake.dataSet.actions[0]?.action.id;
    await fake.close();
    const found: unknown = await (await ask(lost, `/actions/actions/${id}/versions?page=2`)).json();
    expect(found).toMatchObject({ total: 57, versions: { length: 16 } });
  });

  test('a filter that does not mind case', async () => {
    const collation: RulesOverride = (usual) =>
      override(usual, 'experiments', {
        matches: (_name, wanted, found) =>
          typeof found === 'string' && wanted.toLowerCase() === found.toLowerCase(),
      });
    const answer = await ask(collation, `${experiments}?authentication_flow=LOGIN`);
    expect(await answer.text()).toContain('"authentication_flow":"login"');
  });

  test('an unsigned token good enough', async () => {
    const unsigned: RulesOverride = (usual) =>
      override(usual, 'token', ({ accepts, verifiesSignature: signatureHolds }) => ({
        accepts: (algorithm, header, at) => algorithm === 'none' || accepts(algorithm, header, at),
        candidates: () => [undefined],
        acceptsIssuer: (iss) => iss === 'https://t/',
        verifiesSignature: async (token, key, at) =>
          token.algorithm === 'none' || signatureHolds(token, key, at),
      }));
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      exp: 2 ** 40,
      aud: '/api/v2/',
      iss: 'https://t/',
      scopes: { experimentation: { actions: ['read'] } },
    };
    const headers = { authorization: `Bearer ${encode({ alg: 'none' })}.${encode(claims)}.` };
    expect((await ask(unsigned, experiments, { headers })).status).toBe(200);
    expect((await ask((usual) => usual, experiments, { headers })).status).toBe(401);
  });

  test('another form of every answer', async () => {
    const pretty: RulesOverride = (usual) =>
      override(usual, 'responses', {
        serialized: (body) => JSON.stringify(body, undefined, 2),
        error: ({ message }) => ({ detail: message }),
        wire: (answer) => ({ ...answer, parts: [...answer.parts, '\n'], chunked: true, close: true }),
      });
    const answer = await ask(pretty, `${experiments}?take=0`);
    expect(answer.headers.get('content-length')).toBeNull();
    expect(await answer.text()).toMatch(/^\{\n {2}"detail": .*\n\}\n$/);
  });

  test('another order of checks', async () => {
    const late: RulesOverride = (usual) => ({
      ...usual,
      checks: ['parameters', 'mediaType', 'body', 'rate', 'payload', 'token', 'scopes'],
    });
    const headers = { authorization: 'none' };
    expect((await ask(late, `${experiments}?take=0`, { headers })).status).toBe(400);
    expect((await ask(late, experiments, { headers })).status).toBe(401);
  });
});
