import { type Answer, type Body, type Call, type Refusal, RefusedError } from './call.ts';
import { check } from './checks.ts';
import { genericHandler } from './generic.ts';
import { type Handler, handlers } from './handlers.ts';
import type { Rules } from './rules.ts';
import type { State } from './state.ts';

/** Answers a request whose body has been read. */
export type Serve = (call: Call, body: Body) => Promise<Answer>;

/** The service itself, without sockets. */
export function createService(state: State): Serve {
  const made = new Map<string, Handler>();
  const handlerOf = (call: Call): Handler | undefined => {
    const { operation } = call;
    if (operation === undefined) return undefined;
    const handler = made.get(operation.id) ?? (handlers[operation.id] ?? genericHandler)(operation, state);
    made.set(operation.id, handler);
    return handler;
  };
  return (call, body) =>
    answered(call, state, async () => {
      const { operation } = call;
      const handler = handlerOf(call);
      if (operation === undefined || handler === undefined) {
        throw new RefusedError({ status: 404, code: 'not_found', message: 'The endpoint does not exist' });
      }
      const carriedOut = async (rules: Rules): Promise<Answer> => {
        const under = { ...state, rules };
        return handler(await check(operation, call, body, under), call, under);
      };
      try {
        const inputs = await check(operation, call, body, state);
        const answer = handler(inputs, call, state);
        record(answer.status, call, state);
        return answer;
      } catch (error) {
        const rules = state.rules.answers.carriedOut(refusalOf(error), call);
        if (rules !== undefined) await carriedOut(rules).catch(() => {});
        if (error instanceof RefusedError) record(error.refusal.status, call, state);
        throw error;
      }
    });
}

/** What `answer` comes to: its answer, or the body that stands for its refusal. */
export async function answered(
  call: Call,
  { rules: { answers: rules } }: State,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return rules.answer(await answer(), call);
  } catch (error) {
    const refusal = rules.refusal(refusalOf(error), call);
    const { status, headers = [] } = refusal;
    return rules.answer({ status, headers, body: rules.error(refusal, call) }, call);
  }
}

/** Any error but a refusal is the fake's own fault, and told as such. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof RefusedError) return error.refusal;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: 500, code: 'internal_error', message };
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
    at: Date.now(),
  };
  rules.append(state.log, entry, call);
}
