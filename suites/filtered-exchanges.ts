import { isObject } from '../lib/contract/json.ts';
import { listedItems } from '../lib/runner/exchange-checks.ts';
import { expectEqual, expectNone, show } from '../lib/runner/expect.ts';
import type { JudgeExchange } from '../lib/runner/requirement.ts';
import { key, keys, requirePagination } from '../lib/runner/walk.ts';
import { expectedOf, type Filter, isBeyondAscii, isOrdinaryFilter } from './experiments-content.ts';
import { expectNot400 } from './valid-exchanges.ts';

/** Section 4.2: what the filters of every listing of experiments show, whichever requirement sent it. */

/** Judges every first page of the run with this filter, if the data set is known. */
export const onFirstPages =
  (field: Filter): JudgeExchange =>
  (exchange, { operation, dataSet }) => {
    const { search, searchParams } = new URL(exchange.request.url);
    const [text = '', another] = searchParams.getAll(field);
    // A checkpoint may contain the filters of its walk.
    if (another !== undefined || searchParams.has('from')) return false;
    if (search.includes('+') || !isOrdinaryFilter(text)) return false;
    const listed = listedItems(exchange, operation);
    if (listed === undefined || dataSet === undefined) return false;
    const { wanted, optional } = expectedOf(dataSet.experiments, { [field]: text });
    const matches = new Set([...wanted, ...optional]);
    // A server may trim or normalize other values: see 4.2/filter-any-text.
    if (isBeyondAscii(text) && matches.size === 0) return false;
    const known = new Set(dataSet.experiments.map(({ experiment }) => key(experiment)));
    const others = keys(listed).filter((each) => known.has(each) && !matches.has(each));
    expectNone(`experiments whose ${field} is not exactly ${show(text)}`, others, exchange);
    return true;
  };

/** Judges refusals that only a filter can have caused. */
export const acceptsAnyText: JudgeExchange = (exchange, { isValid }) => {
  const { searchParams } = new URL(exchange.request.url);
  const filters = [...searchParams].filter(([name]) => /^(authentication_flow|feature_flag_id)$/.test(name));
  if (!isValid || filters.length === 0 || searchParams.has('from')) return false;
  expectNot400(exchange, `${show(Object.fromEntries(filters))} may be any text`);
  return true;
};

/** Judges every listing of the run with this filter that is one page long, if the data set is known: it contains all matches. */
export const onSinglePages =
  (field: Filter): JudgeExchange =>
  (exchange, { operation, dataSet }) => {
    const { search, searchParams } = new URL(exchange.request.url);
    const sent = Object.fromEntries(searchParams);
    const { from, take, ...filters } = sent;
    const { json } = exchange.response ?? {};
    const listed = listedItems(exchange, operation);
    const hasNext = isObject(json) && Boolean(json.next);
    if (dataSet === undefined || listed === undefined || from !== undefined || hasNext) return false;
    // A repeated filter may have another meaning.
    if (filters[field] === undefined || searchParams.size !== Object.keys(sent).length) return false;
    if (search.includes('+') || !Object.values(filters).every(isOrdinaryFilter)) return false;
    const { wanted } = expectedOf(dataSet.experiments, filters);
    // 8/checkpoint-next-present reports a next that is missing.
    if (wanted.length > Number(take ?? requirePagination(operation).size.default)) return false;
    const shown = keys(listed);
    const found = wanted.filter((each) => shown.includes(each));
    expectEqual(`experiments with ${field} ${show(filters[field])}`, wanted, found, exchange);
    return true;
  };
