import { isDeepStrictEqual } from 'node:util';
import type { AsyncCommand } from 'fast-check';
import type { DataSet } from '../lib/contract/data-set.ts';
import { operation as operationOf } from '../lib/contract/model.ts';
import { type CallResult, items, members } from '../lib/runner/call-result.ts';
import { tenantMessages } from '../lib/runner/content.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import {
  expectAtMost,
  expectEqual,
  expectNone,
  expectNoServerError,
  expectServed,
  expectStatus,
  isRefusal,
} from '../lib/runner/expect.ts';
import type { ContextFor } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { checkpointLifetime, key } from '../lib/runner/walk.ts';
import { expectedOf } from './experiments-content.ts';

/** The commands of the model-based test, and the model that their responses are compared with. */

const hour = 3600;

/** Seconds before and after the expiry of a checkpoint in which both responses are accepted. */
const margin = 60;

export type Query = Readonly<Record<string, string>>;

/** The state of a walk through the experiments. */
interface WalkState {
  readonly query: Query;
  readonly take: number;
  /** Keys of the items seen since its first page. */
  seen: string[];
  /** Keys of the items on its first page. */
  first: readonly string[];
  /** The checkpoint that continues it; undefined before its first page and at its end. */
  next: string | undefined;
  /** The offset of the target's clock, in seconds, when `next` was issued. */
  issuedAt: number;
  /** True if it began before the last seed: its checkpoint is void, and the response is not specified. */
  isVoid: boolean;
  /** Resolves when its latest page has arrived. The next page waits for it. */
  lastPage: Promise<void>;
  /** Number of its pages requested since the last barrier. */
  pendingPages: number;
}

/** What the tenant must contain, the walks and the requests under way. */
export interface Model {
  data: DataSet;
  policies: Set<string>;
  templates: DataSet['phone_templates'];
  offset: number;
  readonly walks: WalkState[];
  /** Requests under way. Unrelated commands do not wait for them. */
  readonly requests: Promise<void>[];
  /** True if the templates were updated since the last barrier: the order of two concurrent updates would be unknown. */
  isUpdated: boolean;
}

/** What the tenant must contain after it was seeded with this data. */
const seeded = (data: DataSet): Pick<Model, 'data' | 'policies' | 'templates'> => ({
  data,
  policies: new Set(data.rate_limit_policies.map(({ id }) => id)),
  templates: { ...data.phone_templates },
});

/** The model of a tenant that was just seeded with this data. */
export const modelOf = (data: DataSet): Model => ({
  ...seeded(data),
  offset: 0,
  walks: [],
  requests: [],
  isUpdated: false,
});

/** The context of every command. */
export type CommandContext = ContextFor<'seed' | 'inspect' | 'clock'>;

/** A command: sends a request to the target, and compares the response with the model. */
export interface Command extends AsyncCommand<Model, CommandContext> {
  toString(): string;
}

type Run = (model: Model, ctx: CommandContext) => Promise<void>;

/** A command on the whole tenant or the clock. It waits for all earlier commands. */
const barrier = (description: string, run: Run, check: (model: Model) => boolean = () => true): Command => ({
  check,
  async run(model, ctx) {
    await settle(model);
    await run(model, ctx);
  },
  toString: () => description,
});

/** A command that sends one request. Later commands need not wait for it. */
const request = (description: string, run: Run, check: (model: Model) => boolean = () => true): Command => ({
  check,
  async run(model, ctx) {
    const sent = run(model, ctx);
    // Its violation is thrown when it is awaited, which may be later.
    sent.catch(() => {});
    model.requests.push(sent);
  },
  toString: () => description,
});

/** Waits for all requests under way, and throws their violations. */
export async function settle(model: Model): Promise<void> {
  for (const walk of model.walks) walk.pendingPages = 0;
  model.isUpdated = false;
  await settleAll(model.requests.splice(0), (each) => each);
}

/** One of the walks with the fewest pending pages, so that pages seldom wait for each other. */
function pickWalk({ walks }: Model, pick: number): WalkState | undefined {
  const least = Math.min(...walks.map(({ pendingPages }) => pendingPages));
  const free = walks.filter(({ pendingPages }) => pendingPages === least);
  return free[pick % free.length];
}

const list = (ctx: RequirementContext, query: Readonly<Record<string, string | number>>) =>
  ctx.call({ operation: 'listExperiments', query });

/** Compares a page with its walk, and stores its checkpoint. */
function judgePage(model: Model, walk: WalkState, take: number, answer: CallResult): void {
  expectStatus(answer, 200, 'the request is valid');
  const page = items(answer, 'experiments').map(key);
  const { wanted, optional } = expectedOf(model.data.experiments, walk.query);
  expectAtMost(take, page, answer);
  const others = page.filter((each) => !wanted.includes(each) && !optional.has(each));
  expectNone('experiments that the filters do not match', others, answer.exchange);
  const twice = page.filter((each, index) => walk.seen.includes(each) || page.indexOf(each) !== index);
  expectNone('experiments that this walk returned before', twice, answer.exchange);
  walk.seen.push(...page);
  const { next } = members(answer);
  walk.next = typeof next === 'string' && next !== '' ? next : undefined;
  walk.issuedAt = model.offset;
  if (walk.next !== undefined) return;
  const missing = wanted.filter((each) => !walk.seen.includes(each));
  expectNone('experiments that the walk omitted', missing, answer.exchange);
}

/** Reads the walk's first page. */
async function begin(model: Model, walk: WalkState, ctx: RequirementContext): Promise<void> {
  const answer = await list(ctx, { ...walk.query, take: walk.take });
  walk.seen = [];
  walk.isVoid = false;
  walk.first = items(answer, 'experiments').map(key);
  judgePage(model, walk, walk.take, answer);
}

export const startWalk = (query: Query, take: number): Command =>
  request(
    `GET /experimentation/experiments?${new URLSearchParams({ ...query, take: String(take) })}`,
    (model, ctx) => {
      const walk: WalkState = {
        query,
        take,
        seen: [],
        first: [],
        next: undefined,
        issuedAt: model.offset,
        isVoid: false,
        lastPage: Promise.resolve(),
        pendingPages: 1,
      };
      model.walks.push(walk);
      walk.lastPage = begin(model, walk, ctx);
      return walk.lastPage;
    },
  );

/**
 * Reads the next page of a walk, or its first one again if it has ended.
 * @param changed a take other than the walk's own: the response is not specified, and the walk starts again after it
 */
export const followWalk = (pick: number, changed?: number): Command => {
  const follow = async (walk: WalkState, model: Model, ctx: RequirementContext): Promise<void> => {
    await walk.lastPage;
    if (walk.next === undefined) return begin(model, walk, ctx);
    const lifetime = checkpointLifetime(operationOf(ctx.contract, 'listExperiments'));
    const take = changed ?? walk.take;
    const answer = await list(ctx, { ...walk.query, take, from: walk.next });
    const age = model.offset - walk.issuedAt;
    walk.next = undefined;
    if (walk.isVoid || take !== walk.take || Math.abs(age - lifetime) < margin)
      return expectNoServerError(answer, 'the page for this checkpoint is not specified');
    if (age > lifetime) {
      const shown = items(answer, 'experiments').map(key);
      const what = 'the first page again, because its checkpoint has expired';
      expectEqual(what, walk.first.toSorted(), shown.toSorted(), answer.exchange);
      walk.seen = [];
    }
    judgePage(model, walk, take, answer);
  };
  return request(
    `GET /experimentation/experiments?take=${changed ?? '<its own>'}&from=<next of walk ${pick} of those with the fewest pending pages, with its filters>`,
    async (model, ctx) => {
      const walk = pickWalk(model, pick);
      if (walk === undefined) return;
      walk.pendingPages += 1;
      walk.lastPage = follow(walk, model, ctx);
      return walk.lastPage;
    },
    ({ walks }) => walks.length > 0,
  );
};

export const readVersions = (pick: number, page: number, perPage: number): Command =>
  request(
    `GET /actions/actions/<action ${pick}>/versions?page=${page}&per_page=${perPage}`,
    async ({ data }, ctx) => {
      const action = data.actions[pick % data.actions.length];
      if (action === undefined) return;
      const actionId = String(action.action.id);
      const query = { page, per_page: perPage };
      const answer = await ctx.call({ operation: 'listActionVersions', path: { actionId }, query });
      // A page that begins exactly at the end of the versions may be refused: see 4.4/at-the-end.
      if (page > 0 && page * perPage === action.versions.length && isRefusal(answer)) return;
      expectStatus(answer, 200, 'the action exists');
      const got = items(answer, 'versions').map(key);
      const own = new Set(action.versions.map(key));
      const others = got.filter((each) => !own.has(each));
      expectNone('versions of other actions', others, answer.exchange);
      const count = Math.max(0, Math.min(perPage, own.size - page * perPage));
      expectEqual(`versions on page ${page} of ${own.size}`, count, new Set(got).size, answer.exchange);
    },
  );

export const deletePolicy = (pick: number): Command =>
  request(
    `DELETE /rate-limit-policies/<policy ${pick}>`,
    async ({ policies }, ctx) => {
      // Routers and gateways may refuse other characters in a path.
      const ordinary = [...policies].filter((each) => /^[\w-]+$/.test(each));
      const id = ordinary[pick % ordinary.length];
      if (id === undefined) return;
      policies.delete(id);
      expectServed(await ctx.call({ operation: 'deleteRateLimitPolicy', path: { id } }), 'the policy exists');
    },
    ({ policies }) => policies.size > 0,
  );

export const deleteUnknown = (): Command =>
  request('DELETE /rate-limit-policies/no-such-policy', async (_model, ctx) => {
    // 7/no-server-error reports a status of 500.
    const path = { id: 'no-such-policy' };
    await ctx.call({ operation: 'deleteRateLimitPolicy', path, mayBeForbidden: true });
  });

/** A request that may change the templates. It is skipped if there was one since the last barrier. */
const update = (description: string, send: Run): Command =>
  request(
    description,
    (model, ctx) => {
      model.isUpdated = true;
      return send(model, ctx);
    },
    ({ isUpdated }) => !isUpdated,
  );

export const updateTemplates = (text: string): Command =>
  update(`PUT /guardian/factors/phone/templates with ${JSON.stringify(text)}`, async (model, ctx) => {
    const json = { enrollment_message: `${text} {{code}}`, verification_message: `{{code}} ${text}` };
    const answer = await ctx.call({ operation: 'put_factor_phone_templates', json });
    expectStatus(answer, 200, 'both messages are valid');
    model.templates = json;
  });

export const refusedUpdate = (): Command =>
  update('PUT /guardian/factors/phone/templates without verification_message', async (_model, ctx) => {
    const json = { enrollment_message: 'never stored' };
    const answer = await ctx.probe({ operation: 'put_factor_phone_templates', json });
    if (!isRefusal(answer)) throw new NotJudged('it is accepted: see 4.1/verification-required');
  });

export const readText = (pick: number): Command =>
  request(
    `GET /self-service-profiles/<profile ${pick}>/custom-text/en/get-started`,
    async ({ data }, ctx) => {
      const profile = data.self_service_profiles[pick % data.self_service_profiles.length];
      const text = profile?.custom_text.en?.['get-started'];
      if (profile === undefined || text === undefined) return;
      const path = { id: profile.id, language: 'en', page: 'get-started' };
      const answer = await ctx.call({ operation: 'getSelfServiceProfileCustomText', path });
      // The specification defines neither the response for a profile without text nor additional keys.
      if (Object.keys(text).length === 0) return;
      expectStatus(answer, 200, 'the profile exists');
      const got = members(answer);
      const shown = Object.fromEntries(Object.keys(text).map((name) => [name, got[name]]));
      expectEqual('its custom text', text, shown, answer.exchange);
    },
  );

export const inspect = (): Command =>
  barrier('inspect the tenant', async ({ policies, templates, data }, ctx) => {
    const last = ctx.exchanges.slice(-3);
    const ids = (each: DataSet) => each.rate_limit_policies.map(({ id }) => id).toSorted();
    // A deletion or an update may take effect after its response.
    const stored = await ctx.eventually(
      () => ctx.control.inspect(),
      ctx.run.effectWaitMs,
      (found) => ids(found).length === policies.size && isDeepStrictEqual(tenantMessages(found), templates),
    );
    expectEqual('the policies', [...policies].toSorted(), ids(stored), ...last);
    expectEqual('the messages', templates, tenantMessages(stored), ...last);
    const experiments = (each: DataSet) =>
      each.experiments.map(({ experiment }) => key(experiment)).toSorted();
    expectEqual('the experiments', experiments(data), experiments(stored), ...last);
  });

export const moveClock = (hours: number): Command =>
  barrier(`move the clock forward by ${hours} hours`, async (model, ctx) => {
    model.offset += hours * hour;
    await ctx.control.moveClock(model.offset);
  });

export const reseed = (experiments: number): Command =>
  barrier(`seed the tenant again, with ${experiments} experiments`, async (model, ctx) => {
    const kept = ctx.dataSet.experiments.slice(0, experiments);
    Object.assign(model, seeded({ ...ctx.dataSet, experiments: kept }));
    for (const walk of model.walks) walk.isVoid = true;
    await ctx.control.seed(model.data);
  });
