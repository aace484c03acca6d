import type { ExperimentEntry } from '../contract/data-set.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { CheckpointPagination, Contract, Operation } from '../contract/model.ts';
import { type Call, type FakeResponse, refuse } from './call.ts';
import type { Inputs } from './checks.ts';
import { checkpointPage, offsetPage } from './pages.ts';
import { type Projection, projection } from './project.ts';
import type { State } from './state.ts';
import type { Filters } from './tenant.ts';

/** Executes one operation for a request that passed all checks. */
export type Handler = (inputs: Inputs, call: Call, state: State) => FakeResponse;

/** Creates the handler of an operation, once for each fake. */
export type HandlerFactory = (operation: Operation, state: State) => Handler;

/** The operations with state. Every other operation of a contract is served from its schemas alone. */
const handlers: Readonly<Record<string, HandlerFactory>> = {
  put_factor_phone_templates: () => updateTemplates,
  listExperiments,
  deleteRateLimitPolicy: () => deletePolicy,
  listActionVersions,
  getSelfServiceProfileCustomText: () => readCustomText,
};

/** The handler of an operation of the specification; undefined for others, even with the same id. */
export function handlerFor({ id, specified }: Operation): HandlerFactory | undefined {
  return specified && Object.hasOwn(handlers, id) ? handlers[id] : undefined;
}

function updateTemplates({ body }: Inputs, call: Call, state: State): FakeResponse {
  const { templates: rules } = state.rules;
  const sent = textsOf(body);
  const before = state.tenant.templates;
  for (const field of rules.checked(Object.keys(state.defaultTemplates), call)) {
    const details = rules.problem(field, sent[field] ?? '', call);
    if (details !== undefined) refuse(400, 'invalid_template', rules.message(field, details, call));
  }
  const stored = rules.stored(sent, before, call);
  state.tenant.templates = stored;
  return ok(rules.responseBody(sent, stored, call));
}

function listExperiments(operation: Operation, { contract }: State): Handler {
  const { pagination } = operation;
  if (pagination?.kind !== 'checkpoint') throw new Error(`${operation.id} has no from and take`);
  const project = itemProjection(operation, pagination.items, contract);
  const shown = ({ experiment }: ExperimentEntry) => project(experiment);
  return ({ query }, call, state) => {
    const { experiments } = state.tenant;
    const filters = filtersOf(query, pagination);
    return ok(checkpointPage(experiments, pagination, query, filters, call, state, shown));
  };
}

const deletePolicy: Handler = ({ path }, call, { rules: { policies: rules }, tenant }) => {
  const policy = rules.found(tenant.policies, String(path.id), call);
  if (policy === undefined) return refuse(404, 'inexistent_policy', 'The rate limit policy does not exist');
  rules.remove(tenant.policies, policy, call);
  return { status: 204, headers: [], body: undefined };
};

function listActionVersions(operation: Operation, { contract }: State): Handler {
  const { pagination } = operation;
  if (pagination?.kind !== 'offset') throw new Error(`${operation.id} has no page and per_page`);
  const project = itemProjection(operation, pagination.items, contract);
  return ({ path, query }, call, state) => {
    const { versions: rules } = state.rules;
    const action = rules.found(state.tenant.actions, String(path.actionId), call);
    if (action === undefined) return refuse(404, 'inexistent_action', 'The action does not exist');
    return ok(offsetPage(rules.listed(action, state.tenant, call), pagination, query, call, state, project));
  };
}

const readCustomText: Handler = ({ path }, call, { rules: { customText: rules }, tenant }) => {
  const profile = rules.found(tenant.profiles, String(path.id), call);
  if (profile === undefined)
    return refuse(404, 'inexistent_profile', 'The self-service profile does not exist');
  const pages = ownValue(profile.custom_text, String(path.language)) ?? {};
  return ok(rules.shown(ownValue(pages, String(path.page)) ?? {}, call));
};

function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** The filters of a query: all parameters except those that select the page. */
export function filtersOf(query: JsonObject, { from, size }: CheckpointPagination): Filters {
  const filters = Object.entries(query).filter(([name]) => name !== from && name !== size.parameter.name);
  return Object.fromEntries(filters.map(([name, value]) => [name, String(value)]));
}

/** The projection for the items that an operation lists. */
function itemProjection(operation: Operation, items: string, contract: Contract): Projection {
  const list = operation.success[0]?.content[0]?.schema.properties?.[items];
  return projection(contract, (list && contract.resolve(list).items) ?? {});
}

export function ok(body: unknown): FakeResponse {
  return { status: 200, headers: [], body };
}

/** The fields of a body that are strings. */
export function textsOf(body: unknown): Readonly<Record<string, string>> {
  if (!isObject(body)) return {};
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );
}
