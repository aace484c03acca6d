import type { Operation } from '../contract/model.ts';
import { type Body, type Call, type FakeResponse, type Refusal, RefusedError, refuse } from './call.ts';
import { check } from './checks.ts';
import { type Handler, handlerFor, ok } from './handlers.ts';
import { issueToken } from './issue.ts';
import { realNow } from './real-time.ts';
import type { State } from './state.ts';
import { TokenVerifier } from './verify.ts';

/** The service itself, without sockets: answers a request whose body has been read. */
export function createService(state: State): (call: Call, body: Body) => Promise<FakeResponse> {
  const made = new Map<Operation, Handler>();
  const handlerOf = async (operation: Operation): Promise<Handler> => {
    const before = made.get(operation);
    if (before !== undefined) return before;
    // Loaded, with fast-check, for those only who serve a contract of their own.
    const factory = handlerFor(operation) ?? (await import('./generic.ts')).genericHandler;
    const handler = factory(operation, state);
    made.set(operation, handler);
    return handler;
  };
  const execute = async (operation: Operation, call: Call, body: Body, under: State): Promise<FakeResponse> =>
    (await handlerOf(operation))(await check(operation, call, body, under), call, under);
  const serve = async (call: Call, body: Body, state: State): Promise<FakeResponse> => {
    const { operation } = call;
    if (call.endpoint === 'token') return issueToken(call, body, state);
    if (call.endpoint === 'jwks') return ok({ keys: [state.signingKey.publicJwk] });
    if (operation === undefined) return refuse(404, 'not_found', 'The endpoint does not exist');
    try {
      const answer = await execute(operation, call, body, state);
      record(answer.status, call, state);
      return answer;
    } catch (error) {
      if (error instanceof RefusedError) {
        const rules = state.rules.responses.executedAfterRefusal(error.refusal, call);
        if (rules) await execute(operation, call, body, { ...state, rules }).catch(() => {});
        record(error.refusal.status, call, state);
      }
      throw error;
    }
  };
  const respond = async (call: Call, body: Body, state: State): Promise<FakeResponse> => {
    const { responses: rules } = state.rules;
    try {
      return rules.response(await serve(call, body, state), call);
    } catch (error) {
      const refusal = rules.refusal(refusalOf(error), call);
      const { status, headers = [] } = refusal;
      return rules.response({ status, headers, body: rules.error(refusal, call) }, call);
    }
  };
  return async (call, body) => {
    const { executed } = state.rules.responses;
    if (executed === undefined) return respond(call, body, state);
    const before = copyOf(state);
    const response = await respond(call, body, state);
    await executed(call, async (rules) => {
      const copy = { ...copyOf(before), rules };
      return { ...copy, response: await respond(call, body, copy) };
    });
    return response;
  };
}

/** A copy, which later requests do not change; it has verified no token yet. */
function copyOf(state: State): State {
  const { codec, tenant, log } = state;
  const policies = new Map(tenant.policies);
  const verifier = new TokenVerifier();
  return { ...state, codec: codec.copy(), verifier, tenant: { ...tenant, policies }, log: [...log] };
}

/** Any error but a refusal is a defect of the fake or of a rule; the response says nothing about it. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof RefusedError) return error.refusal;
  process.emitWarning(error instanceof Error ? error : String(error));
  return { status: 500, code: 'internal_error', message: 'Internal error' };
}

/** Writes the tenant log (section 5, request correlation). */
function record(status: number, call: Call, state: State): void {
  const { correlation: rules } = state.rules;
  const { operation } = call;
  if (operation?.correlation === undefined || !rules.logs(status, call)) return;
  const id = rules.sent(operation.correlation, call);
  if (id === undefined) return;
  const entry = {
    date: new Date(call.now).toISOString(),
    operation: operation.id,
    references: { correlation_id: rules.recorded(id, operation.correlation, call) },
    at: realNow(),
  };
  rules.append(state.log, entry, call);
}
