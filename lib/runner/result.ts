import type { Exchange, Field } from '../client/exchange.ts';
import { curl } from '../client/reproduce.ts';
import type { RequirementRow } from '../contract/ledger.ts';
import { NotGenerated } from '../contract/not-generated.ts';
import { LogError } from '../control/tenant-logs.ts';
import { differenceLine } from '../report/difference.ts';
import type {
  Difference,
  OperationVerdict,
  RecordedExchange,
  RequirementResult,
  Verdict,
} from '../report/report.ts';
import { deselectedReason, isAboutStatus } from '../report/summary.ts';
import { truncate } from '../report/text.ts';
import type { Step } from './steps.ts';
import { NotJudged, TargetFailure, Violation } from './verdict.ts';

/** The result of a check on one operation. */
export type CheckResult =
  | { readonly kind: 'passed'; readonly value?: unknown }
  | {
      readonly kind: 'violation';
      readonly violation: Violation;
      readonly shownBy?: string;
      /** True if the check passed when it was judged again with plain requests. */
      readonly passesPlain?: boolean;
    }
  | { readonly kind: 'not-judged'; readonly reason: string; readonly requiredFlags: readonly string[] }
  | { readonly kind: 'error'; readonly error: string; readonly exchange?: Exchange };

type NotPassed = Exclude<CheckResult, { readonly kind: 'passed' }>;

/** The result of a check on one operation, with its requests and times. */
export type OperationResult = CheckResult & {
  readonly operation: string | undefined;
  readonly requests: number;
  /** The exchanges that show the result, the decisive one last; empty if the check passed. */
  readonly exchanges: readonly Exchange[];
  /** The steps that led to them. */
  readonly steps: readonly Step[];
  /** A valid request of the operation that was served. */
  readonly twin?: Exchange | undefined;
  /** Milliseconds from the run's start. */
  readonly startedAt: number;
  readonly durationMs: number;
};

/** The measurements of a check that sent nothing. */
export const unsent = { requests: 0, exchanges: [], steps: [], startedAt: 0, durationMs: 0 };

/** Exchanges that a result shows; more would hide the decisive one. */
const maximumExchanges = 12;

/** Characters of a body that a result keeps. */
const maximumCharacters = 4000;

/**
 * The verdict of a requirement on each of its operations and on all together. A violation on one operation breaks it; otherwise
 * an error on one makes it an error; otherwise it passes if it was judged on one. Operations without a result were deselected.
 */
export function resultOf(
  row: RequirementRow,
  operations: readonly string[],
  results: readonly OperationResult[],
  rerun: string | undefined,
  script: (steps: readonly Step[]) => string | undefined = () => undefined,
): RequirementResult {
  const violation = results.find((each) => each.kind === 'violation');
  const error = results.find((each) => each.kind === 'error');
  const unjudged = results.filter((each) => each.kind === 'not-judged');
  const decisive = violation ?? error ?? (unjudged.length === results.length ? unjudged[0] : undefined);
  const requests = results.reduce((sum, each) => sum + each.requests, 0);
  const began = results.filter((each) => each.requests > 0).map((each) => each.startedAt);
  const found = new Map(results.map((each) => [each.operation, each]));
  const result: RequirementResult = {
    id: row.id,
    section: row.section,
    source: row.source,
    ...(row.reading !== undefined && { reading: row.reading }),
    level: row.level,
    description: row.description,
    operations,
    by_operation: operations.map((operation) => ({
      operation,
      ...operationVerdict(row, found.get(operation) ?? deselected),
    })),
    verdict: verdictOf(row, decisive),
    ...(rerun !== undefined && { rerun }),
    duration_ms: Math.round(Math.max(0, ...results.map((each) => each.durationMs))),
    ...(began.length > 0 && { started_ms: Math.round(Math.min(...began)) }),
    requests,
    exchanges: [],
  };
  if (results.length === 0) return { ...result, verdict: 'not-judged', reason: deselectedReason };
  return decisive === undefined ? result : { ...result, ...details(decisive, script) };
}

const deselected = { kind: 'not-judged', reason: deselectedReason, requiredFlags: [] } as const;

function operationVerdict(row: RequirementRow, result: CheckResult): Omit<OperationVerdict, 'operation'> {
  if (result.kind === 'passed') return { verdict: 'passed' };
  const verdict = verdictOf(row, result);
  if (result.kind === 'error') return { verdict, reason: result.error };
  if (result.kind === 'violation') return { verdict, reason: differenceLine(result.violation.difference) };
  const { reason, requiredFlags } = result;
  return { verdict, reason, ...(requiredFlags.length > 0 && { required_flags: requiredFlags }) };
}

function verdictOf(row: RequirementRow, decisive: NotPassed | undefined): Verdict {
  if (decisive === undefined) return 'passed';
  if (decisive.kind === 'violation') return row.level === 'stated' ? 'failed' : 'warned';
  return decisive.kind;
}

function details(
  decisive: NotPassed & OperationResult,
  script: (steps: readonly Step[]) => string | undefined,
): Partial<RequirementResult> {
  if (decisive.kind === 'not-judged')
    return { reason: decisive.reason, required_flags: decisive.requiredFlags };
  const { operation, exchanges, steps, twin } = decisive;
  const { difference, counterexample } = decisive.kind === 'violation' ? decisive.violation : {};
  const reason = decisive.kind === 'error' ? decisive.error : differenceLine(decisive.violation.difference);
  const last = exchanges.at(-1);
  return {
    // A requirement on one operation may fail at a request to another one.
    reason: operation === undefined ? reason : `${last?.operation ?? operation}: ${reason}`,
    ...(difference && { difference }),
    ...(counterexample !== undefined && { counterexample }),
    ...(decisive.kind === 'violation' && decisive.passesPlain && { passes_plain: true }),
    ...(last && { reproduce: script(steps) ?? curl(last) }),
    exchanges: exchanges.map(recorded),
    ...(twin && difference && needsTwin(difference, last) && { twin: recorded(twin) }),
  };
}

/** True if the status is wrong or missing: then a served request next to it shows the difference. */
function needsTwin(difference: Difference, exchange: Exchange | undefined): boolean {
  const status = exchange?.response?.status;
  return exchange !== undefined && (status === undefined || isAboutStatus(difference, status));
}

/** The exchanges that show the result, the decisive one last. @param sent all exchanges of the check */
export function shownExchanges(result: CheckResult, sent: readonly Exchange[]): readonly Exchange[] {
  if (result.kind === 'passed') return [];
  if (result.kind === 'error') return result.exchange === undefined ? sent.slice(-3) : [result.exchange];
  const own = result.kind === 'violation' ? result.violation.exchanges : [];
  return (own.length > 0 ? own : sent).slice(-maximumExchanges);
}

/** The exchange as reports contain it. */
export function recorded(exchange: Exchange): RecordedExchange {
  const { request, response, failure } = exchange;
  return {
    ...(exchange.operation !== undefined && { operation: exchange.operation }),
    started_ms: Math.round(exchange.startedAt),
    duration_ms: Math.round(exchange.durationMs),
    request: {
      method: request.method,
      url: request.url,
      headers: request.chunked ? [...request.headers, ['transfer-encoding', 'chunked']] : request.headers,
      ...(request.token && { token: request.token }),
      ...(request.body !== undefined && { body: truncate(request.body, maximumCharacters) }),
      body_bytes: request.bodyBytes,
    },
    ...(response && {
      response: {
        status: response.status,
        // A session is as secret as the token with which it began.
        headers: response.headers.map(
          ([name, value]): Field => [
            name,
            name === 'set-cookie' ? value.replace(/=[^;]*/, '=$COOKIE') : value,
          ],
        ),
        body: truncate(response.text, maximumCharacters),
        body_bytes: response.bodyBytes,
      },
    }),
    ...(failure && { failure: failure.message }),
  };
}

/** One line that describes an error of the suite or of the connection to the target. */
export function errorOf(error: unknown): string {
  const message = String(error).replace(/^Error: /, '');
  return message.replace(/\s+/g, ' ').slice(0, 500);
}

/** Runs a check and returns its result. Only a Violation counts against the target. */
export async function resultOfCheck(check: () => Promise<unknown>): Promise<CheckResult> {
  try {
    return { kind: 'passed', value: await check() };
  } catch (error) {
    if (error instanceof Violation) return { kind: 'violation', violation: error };
    if (error instanceof NotJudged)
      return { kind: 'not-judged', reason: error.message, requiredFlags: error.requiredFlags };
    if (error instanceof NotGenerated)
      return { kind: 'not-judged', reason: error.message, requiredFlags: [] };
    if (error instanceof LogError)
      return { kind: 'not-judged', reason: error.message, requiredFlags: ['logs in the profile'] };
    const exchange = error instanceof TargetFailure ? { exchange: error.exchange } : {};
    return { kind: 'error', error: errorOf(error), ...exchange };
  }
}
