import { isObject } from '../contract/json.ts';
import { adviceOn } from './advice.ts';
import { differenceLine, entryLines } from './difference.ts';
import type { OperationVerdict, RecordedExchange, Report, RequirementResult, Verdict } from './report.ts';
import {
  excuseOf,
  isAboutStatus,
  isBroken,
  isPartial,
  isWronglyServed,
  operationsShown,
  operationsWith,
} from './summary.ts';
import { inputText, line, listFirst, truncate, visibleLines } from './text.ts';

/** One entry for a reader: a result that failed, with all that needs no entry of its own. */
export interface Finding {
  readonly result: RequirementResult;
  /** Other requirements with the identical reason. */
  readonly same: readonly RequirementResult[];
  /** Other broken requirements that depend on this one. */
  readonly consequences: readonly RequirementResult[];
}

/** One labelled line of an explanation; without a label it continues the one before. */
export interface Field {
  readonly label: string;
  readonly text: string;
}

/** The verdicts that need an explanation. */
export type FindingVerdict = 'failed' | 'error' | 'warned';

/**
 * The results with this verdict, grouped by cause, the most basic first: what is served without permission, then what was judged
 * everywhere, then by the simplest requests. What another one causes is listed under its cause; a failure is never put under a warning.
 */
export function findingsOf(
  report: Pick<Report, 'requirements'> & { readonly run?: Pick<Report['run'], 'ended_early'> },
  verdict: FindingVerdict,
): Finding[] {
  const broken = new Map(report.requirements.filter(isBroken).map((result) => [result.id, result]));
  const groups = new Map<string, RequirementResult[]>();
  const consequences = new Map<string, RequirementResult[]>();
  const add = (all: Map<string, RequirementResult[]>, key: string, result: RequirementResult) =>
    all.set(key, [...(all.get(key) ?? []), result]);
  for (const result of report.requirements) {
    const root = broken.has(result.id) ? rootOf(result, broken) : result;
    if (root !== result) add(consequences, root.id, result);
    else if (didNotPass(result)) add(groups, causeKey(result, report.run?.ended_early), result);
  }
  return [...groups.values()]
    .flatMap((group): Finding[] => {
      const [result, ...same] = group.toSorted(compareSimplicity);
      if (result?.verdict !== verdict) return [];
      return [{ result, same, consequences: group.flatMap(({ id }) => consequences.get(id) ?? []) }];
    })
    .sort((one, other) => compareSimplicity(one.result, other.result));
}

/** The results for reports of tests: of errors with one cause the first is an error, the others were not judged. */
export function withOneErrorPerCause(report: Report): readonly RequirementResult[] {
  const first = new Map(
    findingsOf(report, 'error').flatMap(({ result, same }) => same.map(({ id }) => [id, result.id] as const)),
  );
  return report.requirements.map((result) => {
    const id = first.get(result.id);
    return id === undefined
      ? result
      : { ...result, verdict: 'not-judged', reason: `for the same reason as ${id}: ${result.reason}` };
  });
}

/** The broken requirement that this one's failure comes from in the end; itself if it depends on none. */
function rootOf(
  result: RequirementResult,
  broken: ReadonlyMap<string, RequirementResult>,
): RequirementResult {
  const seen = new Set([result.id]);
  const roots: RequirementResult[] = [];
  const visit = (from: RequirementResult): void => {
    const causes = (from.caused_by ?? []).flatMap((id) => broken.get(id) ?? []);
    for (const cause of causes) {
      if (seen.has(cause.id) || (result.verdict === 'failed' && cause.verdict === 'warned')) continue;
      seen.add(cause.id);
      if (cause.caused_by === undefined) roots.push(cause);
      else visit(cause);
    }
  };
  visit(result);
  return roots.toSorted(compareSimplicity)[0] ?? result;
}

/** Equal for results that would be explained by the same words. */
function causeKey(result: RequirementResult, ended?: string): string {
  const { id, difference, reason = id, exchanges } = result;
  const { operation, failure, response: { status } = { status: 0 } } = exchanges.at(-1) ?? {};
  if (difference === undefined) {
    const cause = failure ?? reason.replace(/^\w+: /, '');
    // A target that stopped responding is one cause, whatever error each request got.
    return ended !== undefined && (failure !== undefined || cause === ended) ? ended : cause;
  }
  // A redirect is one mistake for all requests, and so is a server error for valid ones, and a wrong status of all refusals.
  const isOfStatus = isAboutStatus(difference, status);
  const isRedirect = status >= 300 && status < 400;
  const isUnexpectedError = status >= 500 && /^(2\d\d|a 2xx)/.test(difference.expected);
  if (isOfStatus && (isRedirect || isUnexpectedError)) return JSON.stringify([operation, status]);
  const [, wanted] = /^(4\d\d)( or 4\d\d)?$/.exec(difference.expected) ?? [];
  if (isOfStatus && status >= 400 && status < 500 && wanted !== undefined)
    return JSON.stringify([operation, wanted, status]);
  // What is served only because of how it is sent, whatever is wrong with it.
  if (result.passes_plain && isWronglyServed(result)) return JSON.stringify([operation, sentAs(result)]);
  return difference.because === undefined ? id : JSON.stringify([operation, difference]);
}

function compareSimplicity(one: RequirementResult, other: RequirementResult): number {
  const there = complexity(other);
  const differences = complexity(one).map((value, place) => value - (there[place] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** What makes a failure harder to understand, the weightiest first. */
function complexity(result: RequirementResult): readonly number[] {
  const { exchanges } = result;
  const operations = operationsWith(result, result.verdict);
  const last = exchanges.at(-1);
  const isOnJudgedOperation =
    operations.length === 0 || (last?.operation !== undefined && operations.includes(last.operation));
  const bytes = exchanges.reduce((sum, { request }) => {
    const characters = request.headers.reduce((all, [, value]) => all + value.length, request.url.length);
    return sum + characters + request.body_bytes;
  }, 0);
  const status = last?.response?.status ?? 0;
  // What is served without permission weighs more than what is refused in spite of it.
  const isGranted =
    /^40[13]( or \d+)?$/.test(result.difference?.expected ?? '') && status >= 200 && status < 300;
  // A refused token is what the sections on tokens are about.
  const isRefused = [401, 403].includes(status) && !/^[57]\b/.test(result.section);
  // A correlation ID that only varies a request is what another requirement is about.
  const hasVariedCorrelationId =
    last?.request.headers.some(([, value]) => value.startsWith('varied-')) === true;
  // Of requests of about the same size, those of the requirement that needs fewer.
  const size = Math.round(Math.log2(bytes + 1));
  // Failures come before warnings, even if they have the same reason.
  const ranks = [
    result.verdict === 'warned',
    !isGranted,
    isPartial(result),
    !isOnJudgedOperation,
    isRefused,
    hasVariedCorrelationId,
  ];
  return [...ranks.map(Number), exchanges.length, size, result.requests ?? 0];
}

/** What a result has to say, each value once; the same in every format. */
export function fieldsOf(report: Pick<Report, 'baseline'>, result: RequirementResult): Field[] {
  const { difference, verdict } = result;
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ['source', result.source],
    ['reading', result.reading],
    ['on', verdict === 'passed' ? undefined : listOperations(operationsShown(result))],
    ['request', requestLine(result)],
    ['sent as', sentAs(result)],
    ...reasonsElsewhere(result).map((text) => ['elsewhere', text] as const),
    ['expected', difference?.expected],
    ['received', difference?.received],
    ...(difference === undefined ? [] : entryLines(difference)).map((entry) => ['', entry] as const),
    ['because', difference === undefined ? result.reason : difference.because],
    ['input', result.counterexample === undefined ? undefined : inputText(result.counterexample, 600)],
    ['token', tokenOf(result)],
    ['advice', adviceOn(result)],
    ['caused by', result.caused_by?.join(', ')],
    ['known', excuseOf(report, result)?.reason],
  ];
  return rows.flatMap(([label, text]) => (text === undefined || text === '' ? [] : [{ label, text }]));
}

/** The reasons of other operations that do not pass, if they differ from the one shown: one line each, the first ones. */
function reasonsElsewhere({ by_operation, verdict }: RequirementResult): string[] {
  // Bodies, IDs and the status of success differ from operation to operation.
  const causeOf = ({ reason = '' }: OperationVerdict) =>
    (/^.*?; received \S+/.exec(reason)?.[0] ?? reason).replace(/\b2\d\d$|".*/, '');
  const shown = by_operation.find((each) => each.verdict === verdict);
  const causes = new Map<string, OperationVerdict[]>();
  for (const each of by_operation.filter(didNotPass))
    causes.set(causeOf(each), [...(causes.get(causeOf(each)) ?? []), each]);
  if (shown !== undefined) causes.delete(causeOf(shown));
  return [...causes.values()]
    .slice(0, namedElsewhere)
    .map((all) => `${listOperations(all.map(({ operation }) => operation))}: ${all[0]?.reason}`);
}

/** The first operations, and how many more. */
export function listOperations(operations: readonly string[]): string {
  return listFirst(operations, 8);
}

/** Claims that say nothing of what a token permits. */
const usualClaims = ['iss', 'aud', 'sub', 'iat', 'jti', 'client_id', 'roles', 'note'];

/**
 * The token of a broken requirement: all claims if it was refused with 401 or 403, or those that may explain why it was
 * accepted wrongly.
 */
function tokenOf(result: RequirementResult): string | undefined {
  const { request, response } = result.exchanges.at(-1) ?? {};
  const { header, claims: all, signature } = request?.token ?? {};
  const isRefused = response?.status === 401 || response?.status === 403;
  const isAboutTokens = /^(5\.|7)/.test(result.section);
  if (!isBroken(result) || !isObject(all) || !(isRefused || isAboutTokens)) return undefined;
  const alg = isObject(header) ? header.alg : undefined;
  // Scopes last, unless they are what is judged: there may be many, and whatever follows them is cut off.
  const { scopes, ...others } = all;
  const permission = scopes === undefined ? {} : { scopes };
  const isAboutScopes = /^5\.[235]/.test(result.section);
  const shown = Object.entries(
    isAboutScopes ? { ...permission, alg, ...others } : { alg, ...others, ...permission },
  )
    .filter(([name]) => isRefused || !usualClaims.includes(name))
    .map(([name, value]) => `${name} ${inputText(value, 200)}`);
  return [...(signature === undefined ? [] : [`signed as ${signature}`]), ...shown].join(', ');
}

/** The last request, if its query or body may show what is special about it. The body may be the input that is shown anyway. */
function requestLine({ exchanges, counterexample, section }: RequirementResult): string | undefined {
  const { method = '', url = '', body = '' } = exchanges.at(-1)?.request ?? {};
  const isAboutCredentials = /^5\./.test(section);
  const content = counterexample === undefined && !isAboutCredentials ? body : '';
  if (content === '' && !url.includes('?')) return undefined;
  return `${method} ${url.replace(/^https?:\/\/[^/]*/, '')} ${line(content, 200)}`.trimEnd();
}

/** How the last request has its body, if it is not JSON with Content-Length: `a form, in chunks`. */
function sentAs({ exchanges }: RequirementResult): string {
  const headers = new Map(exchanges.at(-1)?.request.headers);
  const isForm = headers.get('content-type')?.includes('form-urlencoded');
  return [isForm ? 'a form' : '', headers.has('transfer-encoding') ? 'in chunks' : '']
    .filter((part) => part !== '')
    .join(', ');
}

/** What a result has to say, on one line. */
export function messageOf(result: RequirementResult): string {
  const { difference, reason = '' } = result;
  if (difference === undefined) return reason;
  const how = sentAs(result);
  return `${differenceLine(difference)}${how === '' ? '' : ` (sent as ${how})`}`;
}

/** All that a result has to say, a labelled line each: its description first, its commands last. For reports of tests. */
export function detailsOf(report: Report, result: RequirementResult): string {
  const partly = isPartial(result) ? result.by_operation.filter((each) => each.verdict === 'not-judged') : [];
  const fields = [
    { label: 'clause', text: result.description },
    ...fieldsOf(report, result),
    { label: 'repeat', text: result.reproduce ?? '' },
    { label: 'rerun', text: result.rerun ?? '' },
    ...partly.map(({ operation, reason }) => ({ label: 'not judged', text: `on ${operation}: ${reason}` })),
  ];
  return fields
    .filter(({ text }) => text !== '')
    .map(
      ({ label, text }) => `${(label === '' ? '' : `${label}:`).padEnd(11)} ${visibleLines(truncate(text))}`,
    )
    .join('\n');
}

/** Lines on operations that fail for another reason. */
const namedElsewhere = 3;

/** True for what was judged and did not pass, and for errors. */
export function didNotPass({ verdict }: { readonly verdict: Verdict }): boolean {
  return verdict === 'failed' || verdict === 'warned' || verdict === 'error';
}

/** One command that judges again whatever did not pass; undefined if nothing broke or no result has a command. */
export function rerunAll(report: Report): string | undefined {
  const [first, ...others] = report.requirements.filter(didNotPass);
  return others.length === 0 ? first?.rerun : first?.rerun?.replace(/(?: --only '[^']*')+$/, ' --failed');
}

/** The part of the response that is marked, and the marked text. */
export interface Mark {
  readonly at: 'status' | 'body';
  readonly text: string | undefined;
}

/** Where the exchange differs from what was expected. */
export function markOf({ response }: RecordedExchange, { difference }: RequirementResult): Mark {
  if (difference !== undefined && response !== undefined && isAboutStatus(difference, response.status))
    return { at: 'status', text: undefined };
  const values = [
    difference?.received ?? '',
    ...(difference?.entries ?? []).map((entry) => entry.received ?? ''),
  ];
  // Values are JSON texts: a body contains them with or without quotes.
  const candidates = values.flatMap((value) => [value, value.replace(/^"|"$/g, '')]);
  return { at: 'body', text: candidates.find((text) => text.length >= 3 && response?.body.includes(text)) };
}
