import { listedItems } from '../lib/runner/exchange-checks.ts';
import { expectNone, expectThat, show } from '../lib/runner/expect.ts';
import type { JudgeExchange } from '../lib/runner/requirement.ts';
import { key, keys, listing } from '../lib/runner/walk.ts';
import { type Filter, isBeyondAscii, isOrdinary, wantedOf } from './experiments-content.ts';

/** Section 4.2: what single pages of experiments show of the filters, whichever requirement reads them. */

/** Judges the experiments of every first page of the run under the filter, as far as the tenant is known. */
export const onFirstPages =
  (field: Filter | 'status'): JudgeExchange =>
  (exchange, { operation, dataSet }) => {
    const { search, searchParams } = new URL(exchange.request.url);
    const [wanted = '', another] = searchParams.getAll(field);
    // A checkpoint may bring the filters of its walk with it.
    if (another !== undefined || searchParams.has('from')) return false;
    if (search.includes('+') || !isOrdinary(wanted)) return false;
    const listed = listedItems(exchange, operation);
    if (listed === undefined || dataSet === undefined) return false;
    const values = new Map(
      dataSet.experiments.map(({ status, experiment }) => [
        key(experiment),
        field === 'status' ? status : experiment[field],
      ]),
    );
    // Other values may be trimmed or normalized: 4.2/filter-any-text.
    if (isBeyondAscii(wanted) && ![...values.values()].includes(wanted)) return false;
    const others = listed.filter((item) => values.has(key(item)) && values.get(key(item)) !== wanted);
    expectNone(`experiments whose ${field} is not exactly ${show(wanted)}`, keys(others), exchange);
    return true;
  };

/**
 * Judges the pages of the run that are a whole listing, because they are not full and no other follows: each match under filters like
 * these is there.
 */
export const onWholeListings =
  (isJudged: (filters: readonly string[]) => boolean): JudgeExchange =>
  (exchange, { operation, dataSet }) => {
    const { search, searchParams } = new URL(exchange.request.url);
    const { from, take, ...query } = Object.fromEntries(searchParams);
    const listed = listedItems(exchange, operation);
    const next = Object(exchange.response?.json).next;
    const isPlain = !search.includes('+') && Object.values(query).every(isOrdinary);
    if (!isPlain || !isJudged(Object.keys(query)) || searchParams.size !== new Set(searchParams.keys()).size)
      return false;
    if (listed === undefined || dataSet === undefined || from !== undefined || next !== undefined)
      return false;
    if (listed.length >= Number(take ?? listing(operation).size.default)) return false;
    const shown = new Set(keys(listed));
    const missing = wantedOf(dataSet.experiments, query).wanted.filter((each) => !shown.has(each));
    expectNone(`matches of ${show(query)} that are missing`, missing, exchange);
    return true;
  };

/** Judges what was refused for nothing but a filter. */
export const refusesNoText: JudgeExchange = (exchange, { isValid }) => {
  const { searchParams } = new URL(exchange.request.url);
  const isFiltered = searchParams.has('authentication_flow') || searchParams.has('feature_flag_id');
  if (!isValid || !isFiltered || searchParams.has('from')) return false;
  expectThat(
    exchange.response?.status !== 400,
    'a status other than 400, because the filters may be any text',
    '400',
    exchange,
  );
  return true;
};
