import type { Operation } from '../contract/model.ts';
import { type CallResult, status } from './call-result.ts';
import type { FullContext, RequirementContext } from './context.ts';
import { expectServed } from './expect.ts';
import type { RunContext } from './run-context.ts';
import { NotJudged, Violation } from './verdict.ts';

/** Operations whose smallest request with the default token was answered with 403, by run and operation id. */
const refusedOperations = new WeakMap<RunContext, Map<string, Promise<boolean>>>();

/**
 * Tells a refusal by this request's own fault from one that meets every request. The specification does not show the required scopes
 * of all operations, nor the answer for data that does not exist: a 403 to the smallest request may mean another scope, or an
 * unknown id, and nothing that follows from it is a violation.
 * @throws NotJudged where the operation needs credentials that are not tokens, and for a 403 where its smallest request is answered
 * with 403 too
 */
export async function assertPermitted(
  ctx: FullContext,
  answer: CallResult,
  operation: Operation,
): Promise<void> {
  const { status: code } = answer.exchange.response ?? {};
  if ((code === 401 || code === 403) && operation.otherSchemes.length > 0)
    throw new NotJudged(
      `it needs credentials that the suite was not given: ${operation.otherSchemes.join(', ')}`,
      ['--header'],
    );
  if (code !== 403) return;
  if (!operation.scopeInferred && answer.certain) return;
  const known = refusedOperations.get(ctx.run) ?? new Map<string, Promise<boolean>>();
  refusedOperations.set(ctx.run, known);
  const isRefused = known.get(operation.id) ?? smallestIsRefused(ctx, operation);
  known.set(operation.id, isRefused);
  if (!(await isRefused)) return;
  const scopes = operation.scopes.map(({ name }) => name).join(' ');
  throw new NotJudged(
    answer.certain
      ? `every request to ${operation.id} is answered with 403: if it requires another scope than ${scopes}, say so by assume.required_scopes in the profile`
      : `every request to ${operation.id} with an id that does not exist is answered with 403`,
    ['assume.required_scopes'],
  );
}

async function smallestIsRefused(ctx: FullContext, operation: Operation): Promise<boolean> {
  return status(await ctx.call({ operation, mayBeForbidden: true })) === 403;
}

/**
 * The valid twin of a rejected request was served.
 * @throws NotJudged where it was rejected too: then another requirement is about that
 */
export function expectTwinServed({ run }: RequirementContext, answer: CallResult): CallResult {
  try {
    expectServed(answer);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw new NotJudged(
      `the equivalent valid request was rejected too (${status(answer)}), so this rejection is inconclusive: see 5.1/valid-token and the operation's own requirements`,
    );
  }
  run.recordValid(answer.exchange);
  return answer;
}

/**
 * The request was served, because its token permits it.
 * @throws NotJudged where the usual token gets the same status, which is not a refusal of the token: then it is about something else
 */
export async function expectPermitted(
  ctx: RequirementContext,
  answer: CallResult,
  because: string,
): Promise<void> {
  try {
    expectServed(answer, because);
  } catch (error) {
    const code = status(answer);
    if (code === 401 || code === 403 || status(await ctx.call()) !== code) throw error;
    throw new NotJudged(`${code} whatever the token: see the operation's own requirements`);
  }
}
