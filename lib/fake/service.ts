import type { Operation } from '../contract/model.ts';
import { type Body, type Call, type FakeResponse, type Refusal, RefusedError, refuse } from './call.ts';
import { check } from './checks.ts';
import { type Handler, handlerFor, ok } from './handlers.ts';
import { issueToken } from './issue.ts';
import { realNow } from './real-time.ts';
import type { State } from './state.ts';

/** Responds to a request whose body has been read, by the data and rules of the state. */
export type Service = (call: Call, body: Body, state: State) => Promise<FakeResponse>;

/** Creates the service, without sockets. Its handlers serve this state's contract. */
export function createService(made: State): Service {
  const handlers = new Map<Operation, Handler>();
  const handlerOf = async (operation: Operation): Promise<Handler> => {
    const before = handlers.get(operation);
    if (before !== undefined) return before;
    // Loads fast-check too, so only for contracts with other operations.
    const factory = handlerFor(operation) ?? (await import('./generic.ts')).genericHandler;
    const handler = factory(operation, made);
    handlers.set(operation, handler);
    return handler;
  };
  const execute = async (operation: Operation, call: Call, body: Body, under: State): Promise<FakeResponse> =>
    (await handlerOf(operation))(await check(operation, call, body, under), call, under);
  const serve: Service = async (call, body, state) => {
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
  return async (call, body, state) => {
    const { responses: rules } = state.rules;
    try {
      return rules.response(await serve(call, body, state), call);
    } catch (error) {
      const refusal = rules.refusal(refusalOf(error), call);
      const { status, headers = [] } = refusal;
      return rules.response({ status, headers, body: rules.error(refusal, call) }, call);
    }
  };
}

/** Any error except a refusal is a defect of the fake or of a rule. The response does not describe it. */
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
  state.log.push({
    date: new Date(call.now).toISOString(),
    operation: operation.id,
    references: { correlation_id: rules.recorded(id, operation.correlation, call) },
    at: realNow(),
  });
}
