import type { Operation } from '../contract/model.ts';
import { type Body, type Call, type FakeResponse, type Refusal, RefusedError } from './call.ts';
import { check } from './checks.ts';
import { genericHandler } from './generic.ts';
import { type Handler, handlers } from './handlers.ts';
import { realNow } from './real-time.ts';
import type { State } from './state.ts';

/** Answers a request whose body has been read. */
export type Serve = (call: Call, body: Body) => Promise<FakeResponse>;

/** The service itself, without sockets. */
export function createService(state: State): Serve {
  const made = new Map<Operation, Handler>();
  const handlerOf = (operation: Operation): Handler => {
    const handler = made.get(operation) ?? (handlers[operation.id] ?? genericHandler)(operation, state);
    made.set(operation, handler);
    return handler;
  };
  return (call, body) => answered(call, state, () => carryOut(call, body, state, handlerOf));
}

async function carryOut(
  call: Call,
  body: Body,
  state: State,
  handlerOf: (operation: Operation) => Handler,
): Promise<FakeResponse> {
  const { operation } = call;
  if (operation === undefined) {
    throw new RefusedError({ status: 404, code: 'not_found', message: 'The endpoint does not exist' });
  }
  const handler = handlerOf(operation);
  try {
    const answer = handler(await check(operation, call, body, state), call, state);
    record(answer.status, call, state);
    return answer;
  } catch (error) {
    if (error instanceof RefusedError) {
      const rules = state.rules.answers.executedAfterRefusal(error.refusal, call);
      if (rules !== undefined) {
        const under = { ...state, rules };
        await check(operation, call, body, under)
          .then((inputs) => handler(inputs, call, under))
          .catch(() => {});
      }
      record(error.refusal.status, call, state);
    }
    throw error;
  }
}

/** What `answer` comes to: its answer, or the body that stands for its refusal. */
export async function answered(
  call: Call,
  { rules: { answers: rules } }: State,
  answer: () => Promise<FakeResponse>,
): Promise<FakeResponse> {
  try {
    return rules.answer(await answer(), call);
  } catch (error) {
    const refusal = rules.refusal(refusalOf(error), call);
    const { status, headers = [] } = refusal;
    return rules.answer({ status, headers, body: rules.error(refusal, call) }, call);
  }
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
