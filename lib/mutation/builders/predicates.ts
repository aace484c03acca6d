import type { ExperimentEntry } from '../../contract/data-set.ts';
import { isObject, type JsonObject, parseJson } from '../../contract/json.ts';
import { formType } from '../../contract/media-types.ts';
import type { Call } from '../../fake/call.ts';
import type { CheckpointPage } from '../../fake/pages.ts';
import type { CallPredicate } from './builder.ts';

export const isJson: CallPredicate = ({ mediaType }) => mediaType === 'application/json';
export const isForm: CallPredicate = ({ mediaType }) => mediaType === formType;
/** True for every page of a checkpoint-based listing except the first. */
export const isLaterPage: CallPredicate = (call) => query(call, 'from') !== undefined;
/** True for a listing with a filter: any query parameter that does not select the page. */
export const isFiltered: CallPredicate = (call) =>
  call.query?.some(([name]) => !['from', 'take', 'page', 'per_page'].includes(name)) ?? false;

/** The text of a query parameter, as it was sent. */
export function query(call: Call, name: string): string | undefined {
  return call.query?.find(([each]) => each === name)?.[1];
}

/** True for an experiment as the tenant stores it. */
export function isEntry(value: unknown): value is ExperimentEntry {
  return isObject(value) && isObject(value.experiment);
}

/** True for an unfiltered listing that needs more than two pages of the maximum size. */
export function isLong(page: CheckpointPage): boolean {
  return Object.keys(page.filters).length === 0 && page.positions.length > 100;
}

/** The JOSE header of a compact token; empty if it cannot be parsed. */
export function joseHeader(token: string): JsonObject {
  return partOf(token, 0);
}

/** The claims of a compact token, whether it is valid or not; empty if they cannot be parsed. */
export function claimsOf(token: string): JsonObject {
  return partOf(token, 1);
}

function partOf(token: string, index: number): JsonObject {
  const value = parseJson(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
  return isObject(value) ? value : {};
}
