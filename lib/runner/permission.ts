import { type Exchange, isSuccess, type Request } from '../client/exchange.ts';
import type { Operation } from '../contract/model.ts';
import { type CallResult, status } from './call-result.ts';
import type { FullContext, RequirementContext } from './context.ts';
import { assertExists, expectServed } from './expect.ts';
import { NotJudged, Violation } from './verdict.ts';

/**
 * Characters of a request line and header fields that every server reads, with the fields that the client adds: uWSGI reads 4,096,
 * and counts names of variables for them, and the query twice.
 */
const shortHeaders = 3_000;

/** @throws NotJudged if the target refuses this request as it does long header fields: their length is not specified */
export function assertLengthAccepted({ run }: FullContext, request: Request, exchange: Exchange): void {
  const { target, headers = [], authorization } = request;
  const { length } = [target, target, ...headers, authorization?.value].flat().join(': \r\n');
  const status = exchange.response?.status ?? 0;
  if (length <= shortHeaders || status !== run.neutral.refusalOfLongHeaders) return;
  // No exchange check reports it either.
  run.attribute([exchange]);
  throw new NotJudged(`the target refuses long header fields with ${status === 0 ? 'no response' : status}`);
}

/**
 * Distinguishes a 403 for this request from a 403 for every request. The specification states neither the required scopes of all
 * operations nor the response for missing data: a 403 for the smallest request may mean that the operation requires another scope,
 * that the token, which cannot be read, has not the required one, or that the id does not exist, so it is not a violation.
 * @throws NotJudged if the operation needs credentials that are not tokens, or for a 403 if its smallest request gets 403 too
 */
export async function assertPermitted(
  ctx: FullContext,
  result: CallResult,
  operation: Operation,
): Promise<void> {
  const { status: code } = result.exchange.response ?? {};
  if ((code === 401 || code === 403) && operation.otherSchemes.length > 0)
    throw new NotJudged(
      `the operation needs credentials that the suite was not given: ${operation.otherSchemes.join(', ')}`,
      ['--header'],
    );
  if (code !== 403) return;
  const isReadable = result.exchange.request.token?.claims !== undefined;
  if (!operation.scopeInferred && result.certain && isReadable) return;
  const { forbidden } = ctx.run;
  const smallestIsRefused = async () => status(await ctx.call({ operation, mayBeForbidden: true })) === 403;
  const isRefused = forbidden.get(operation.id)?.catch(smallestIsRefused) ?? smallestIsRefused();
  forbidden.set(operation.id, isRefused);
  if (!(await isRefused)) return;
  if (!result.certain)
    throw new NotJudged(
      `every request to ${operation.id} with an id that does not exist is answered with 403`,
    );
  if (!isReadable)
    throw new NotJudged(
      `every request to ${operation.id} is answered with 403, and the scopes of the token are unknown`,
    );
  const scopes = operation.scopes.map(({ name }) => name).join(' ');
  throw new NotJudged(
    `every request to ${operation.id} is answered with 403: if it requires a scope other than ${scopes}, set assume.required_scopes in the profile`,
    ['assume.required_scopes'],
  );
}

/**
 * Distinguishes a 401 for this request from a 401 for every request since the usual token has expired or was revoked, or since
 * the clock was moved for checkpoints but not for tokens.
 * @param now the target's time, in seconds since the epoch
 * @throws NotJudged for a 401 if the token has expired, or if it was accepted before and the smallest request gets 401 too
 */
export async function assertAccepted(
  ctx: FullContext,
  operation: Operation,
  { request, response }: Exchange,
  now: number,
): Promise<void> {
  const { accepted } = ctx.run;
  if (response !== undefined && isSuccess(response.status)) accepted.add(operation.id);
  if (response?.status !== 401) return;
  const isMinted = ctx.can('mint');
  const { exp } = request.token?.claims ?? {};
  if (!isMinted && typeof exp === 'number' && exp <= now)
    throw new NotJudged('the token has expired', ['--token']);
  // A minted token is valid, unless the target has another time.
  if (!accepted.has(operation.id) || (isMinted && ctx.target.clock.offsetSeconds === 0)) return;
  if (status(await ctx.call({ operation, mayBeForbidden: true })) !== 401) return;
  if (isMinted)
    throw new NotJudged(
      'the target has refused valid tokens since its clock was moved: PUT /clock must also apply to token verification',
    );
  throw new NotJudged('the target no longer accepts the token: has it expired, or was it revoked?', [
    '--token',
    '--client-id',
  ]);
}

/**
 * The valid twin of a refused request was served.
 * @param see the requirements that judge the twin
 * @throws NotJudged if it was refused too: another requirement covers that
 */
export function assertTwinServed(
  ctx: RequirementContext,
  result: CallResult,
  see = "5.1/valid-token and the operation's own requirements",
): CallResult {
  // A deletion names a generated id: a 404 shows that the service accepted the request and looked for the policy.
  if (result.exchange.request.method !== 'DELETE') assertExists(ctx, result);
  try {
    expectServed(result);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw new NotJudged(
      `the equivalent valid request was refused too (${status(result)}), so this refusal is inconclusive: see ${see}`,
    );
  }
  ctx.run.recordValid(result.exchange);
  return result;
}

/**
 * The request was served, because its token permits it.
 * @throws NotJudged if the usual token gets the same status and it is neither 401 nor 403: then the token is not the cause
 */
export async function expectPermitted(
  ctx: RequirementContext,
  result: CallResult,
  because: string,
): Promise<void> {
  try {
    expectServed(result, because);
  } catch (error) {
    const code = status(result);
    if (code === 401 || code === 403 || status(await ctx.call()) !== code) throw error;
    throw new NotJudged(`${code} with the usual token too: see the operation's own requirements`);
  }
}
