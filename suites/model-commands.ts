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
import { checkpointLifetime, key } from '../lib/runner/walk.ts';
import { wantedOf } from './experiments-content.ts';

/** The steps of which histories are made (any-history.ts), and the model that says of each answer what the specification settles. */

const hour = 3600;

/** Seconds about the end of a checkpoint's life in which both answers are accepted. */
const margin = 60;

export type Query = Readonly<Record<string, string>>;

/** A walk through the experiments, as far as it has come. */
interface WalkState {
  readonly query: Query;
  readonly take: number;
  /** Keys of the items seen since its first page. */
  seen: string[];
  /** Keys of the items on its first page. */
  first: readonly string[];
  /** The checkpoint that continues it; undefined before its first page and at its end. */
  next: string | undefined;
  /** When that was issued, in seconds of the target's clock. */
  issuedAt: number;
  /** Earlier than the last seed: its checkpoint is void, and what comes is open. */
  isVoid: boolean;
  /** Its last page so far: the next one waits for it. */
  lastPage: Promise<void>;
  /** Its pages that were requested since everything was last waited for. */
  pendingPages: number;
}

/** What the tenant must contain. */
export interface Model {
  data: DataSet;
  policies: Set<string>;
  templates: DataSet['phone_templates'];
  offset: number;
  readonly walks: WalkState[];
  /** Requests under way. What does not concern them need not wait for them. */
  readonly requests: Promise<void>[];
  /** True where the templates were updated since everything was last waited for: of two concurrent updates the last one is unknown. */
  isUpdated: boolean;
}

/** What a tenant that was just filled with this data must contain. */
const filled = (data: DataSet): Pick<Model, 'data' | 'policies' | 'templates'> => ({
  data,
  policies: new Set(data.rate_limit_policies.map(({ id }) => id)),
  templates: { ...data.phone_templates },
});

/** The model of a tenant that was just filled with this data. */
export const modelOf = (data: DataSet): Model => ({
  ...filled(data),
  offset: 0,
  walks: [],
  requests: [],
  isUpdated: false,
});

/** The context of every command. */
export type CommandContext = ContextFor<'seed' | 'inspect' | 'clock'>;

/** A command: it is sent to the target, and its answer compared with the model. */
export interface Command extends AsyncCommand<Model, CommandContext> {
  toString(): string;
}

type Run = (model: Model, ctx: CommandContext) => Promise<void>;

/** A command that concerns the whole tenant, or the clock: it waits for all earlier ones. */
const barrier = (description: string, run: Run, check: (model: Model) => boolean = () => true): Command => ({
  check,
  async run(model, ctx) {
    await settled(model);
    await run(model, ctx);
  },
  toString: () => description,
});

/** A command of one request: later ones need not wait for it. */
const request = (description: string, run: Run, check: (model: Model) => boolean = () => true): Command => ({
  check,
  async run(model, ctx) {
    const sent = run(model, ctx);
    // Its violation is thrown where it is waited for, which may be later.
    sent.catch(() => {});
    model.requests.push(sent);
  },
  toString: () => description,
});

/** Resolves when nothing is under way; throws what a request has found. */
export async function settled(model: Model): Promise<void> {
  for (const walk of model.walks) walk.pendingPages = 0;
  model.isUpdated = false;
  await settleAll(model.requests.splice(0), (each) => each);
}

/** One of the walks with the fewest pending pages, so that few wait for one another. */
function chosen({ walks }: Model, pick: number): WalkState | undefined {
  const least = Math.min(...walks.map(({ pendingPages }) => pendingPages));
  const free = walks.filter(({ pendingPages }) => pendingPages === least);
  return free[pick % free.length];
}

const list = (ctx: RequirementContext, query: Readonly<Record<string, string | number>>) =>
  ctx.call({ operation: 'listExperiments', query });

/** Compares a page with the walk that it belongs to, and takes its checkpoint. */
function judgePage(model: Model, walk: WalkState, take: number, answer: CallResult): void {
  expectStatus(answer, 200, 'the request is valid');
  const page = items(answer, 'experiments').map(key);
  const { wanted, optional } = wantedOf(model.data.experiments, walk.query);
  expectAtMost(take, page, answer);
  const others = page.filter((each) => !wanted.includes(each) && !optional.has(each));
  expectNone('experiments that the filters do not match', others, answer.exchange);
  const twice = page.filter((each, index) => walk.seen.includes(each) || page.indexOf(each) !== index);
  expectNone('experiments that this walk gave before', twice, answer.exchange);
  walk.seen.push(...page);
  const { next } = members(answer);
  walk.next = typeof next === 'string' && next !== '' ? next : undefined;
  walk.issuedAt = model.offset;
  if (walk.next !== undefined) return;
  const missing = wanted.filter((each) => !walk.seen.includes(each));
  expectNone('experiments that the walk left out', missing, answer.exchange);
}

/** The walk's first page, when whatever it has under way has come. */
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
 * The next page of a walk; its first one again where it has come to its end.
 * @param changed another take than the walk's own: what comes then is open, and the walk begins anew after it
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
      return expectNoServerError(answer, 'what comes of this checkpoint is open');
    if (age > lifetime) {
      const shown = items(answer, 'experiments').map(key);
      const what = 'the listing to start over, because its checkpoint has expired';
      expectEqual(what, walk.first.toSorted(), shown.toSorted(), answer.exchange);
      walk.seen = [];
    }
    judgePage(model, walk, take, answer);
  };
  return request(
    `GET /experimentation/experiments?take=${changed ?? '<its own>'}&from=<next of walk ${pick} of those with the fewest pending pages, with its filters>`,
    async (model, ctx) => {
      const walk = chosen(model, pick);
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
      // The page that begins exactly where the versions end may be refused: see 4.4/at-the-end.
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
    // A status of 500 is what 7/no-server-error blames.
    const path = { id: 'no-such-policy' };
    await ctx.call({ operation: 'deleteRateLimitPolicy', path, mayBeForbidden: true });
  });

/** A request about the templates, with no other under way. */
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
    expectStatus(answer, 400, 'verification_message is missing');
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
      // Whether a profile without text is found, and further keys, are not specified.
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
    // A deletion or an update may take effect after its answer.
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
  barrier(`move the clock ${hours} hours on`, async (model, ctx) => {
    model.offset += hours * hour;
    await ctx.control.moveClock(model.offset);
  });

export const reseed = (experiments: number): Command =>
  barrier(`fill the tenant anew, with ${experiments} experiments`, async (model, ctx) => {
    const action = ctx.dataSet.experiments.slice(0, experiments);
    Object.assign(model, filled({ ...ctx.dataSet, experiments: action }));
    for (const walk of model.walks) walk.isVoid = true;
    await ctx.control.seed(model.data);
  });
