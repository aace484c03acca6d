import type { JsonObject } from './json.ts';
import type {
  CheckpointPagination,
  Cloud,
  OffsetPagination,
  PageSize,
  Pages,
  Pagination,
  Parameter,
  SuccessResponse,
} from './model.ts';
import type { Schema } from './schema.ts';

/** The default page size is half the maximum (section 8, conventions 1 and 2). */
export const defaultShareOfMaximum = 0.5;

/** The query parameters that make an operation a listing. The first row whose parameters all exist applies. */
const conventions: readonly (
  | (Pick<CheckpointPagination, 'kind' | 'from'> & {
      readonly size: string;
      readonly next: readonly string[];
    })
  | (Pick<OffsetPagination, 'kind' | 'page' | 'counts'> & { readonly size: string })
)[] = [
  // Section 8 of the specification. If an operation has both kinds, checkpoints are recommended (convention 3).
  { kind: 'checkpoint', from: 'from', size: 'take', next: ['next'] },
  { kind: 'offset', page: 'page', size: 'per_page', counts: 'pages' },
  // Conventions of other contracts.
  { kind: 'checkpoint', from: 'cursor', size: 'limit', next: ['next_cursor', 'nextCursor', 'next'] },
  { kind: 'checkpoint', from: 'cursor', size: 'page_size', next: ['next_cursor', 'nextCursor', 'next'] },
  { kind: 'checkpoint', from: 'page_token', size: 'page_size', next: ['next_page_token'] },
  { kind: 'checkpoint', from: 'page_token', size: 'limit', next: ['next_page_token'] },
  { kind: 'checkpoint', from: 'pageToken', size: 'pageSize', next: ['nextPageToken'] },
  { kind: 'checkpoint', from: 'after', size: 'limit', next: ['next', 'next_cursor'] },
  { kind: 'checkpoint', from: 'page', size: 'limit', next: ['next_page'] },
  { kind: 'offset', page: 'page', size: 'page_size', counts: 'pages' },
  { kind: 'offset', page: 'page', size: 'limit', counts: 'pages' },
  { kind: 'offset', page: 'pageNumber', size: 'pageSize', counts: 'pages' },
  { kind: 'offset', page: 'offset', size: 'limit', counts: 'items' },
  { kind: 'offset', page: 'skip', size: 'limit', counts: 'items' },
];

/** Names by which the items are recognized among several arrays. */
const usualItems = /^(data|items|results|entries)$/;

/** A parameter with its declaration, for what only extensions say. */
export type DeclaredParameter = Parameter & { readonly declaration: JsonObject };

/** Values of the shipped contract for a listing that declares none. */
export type ListingDefaults = Pick<CheckpointPagination, 'lifetime'> & Pick<PageSize, 'maximum'>;

/** The array of a response: the field of this name, or the response itself if the name is empty. */
type ResponseArray = Pick<Pages, 'shape' | 'items'>;

/** How a GET operation is paginated, or why it is not; neither if it does not look like a listing. */
export function paginationOf(
  path: string,
  parameters: readonly DeclaredParameter[],
  success: readonly SuccessResponse[],
  resolve: (schema: Schema) => Schema,
  defaults: ListingDefaults,
): { readonly pagination: Pagination | undefined; readonly unpaged: string | undefined } {
  const query = (name: string) => parameters.find((each) => each.in === 'query' && each.name === name);
  const shapes = shapesOf(success[0]?.content.find(({ kind }) => kind === 'json')?.schema, resolve);
  const rows = conventions.flatMap((row) => {
    const start = query(row.kind === 'offset' ? row.page : row.from);
    const size = query(row.size);
    const applies = start && size && isNumber(size) && isNumber(start) === (row.kind === 'offset');
    return applies ? [{ row, start, size }] : [];
  });
  const listed = shapes.map((shape) => ({ shape, items: arrayOf(shape, path, resolve) }));
  const arrays = listed.flatMap(({ shape, items }) => (items === undefined ? [] : [{ shape, items }]));
  const none = (unpaged: string | undefined) => ({ pagination: undefined, unpaged });
  // Prefers an object to a bare array, because it says more.
  const array = arrays.find(({ items }) => items !== '') ?? arrays[0];
  if (array === undefined)
    return none(rows.length > 0 ? 'its response has no array, or several without a common name' : undefined);
  const paginations = rows.map(({ row, start, size }): Pagination | undefined => {
    const sizeOf = (listing: ResponseArray) => pageSize(size, limitOf(listing, resolve), defaults);
    if (row.kind === 'offset') {
      const first = start.schema.minimum ?? start.schema.default;
      return { ...row, ...array, size: sizeOf(array), first: row.counts === 'pages' && first === 1 ? 1 : 0 };
    }
    const isOwn = row.from === 'from';
    const [withNext] = arrays.flatMap((each) => {
      const next = row.next.find((name) => each.shape.properties?.[name] !== undefined);
      return next === undefined ? [] : [{ ...each, next }];
    });
    const link = success[0]?.links === true ? { ...array, next: undefined } : undefined;
    const { additionalProperties: more } = array.shape;
    const usual = isOwn && array.items !== '' && more !== false ? { ...array, next: 'next' } : undefined;
    const listing = withNext ?? link ?? usual;
    if (listing === undefined) return undefined;
    const seconds = start.declaration['x-checkpoint-lifetime'];
    const lifetime = isOwn ? defaults.lifetime : Number.POSITIVE_INFINITY;
    return {
      kind: 'checkpoint',
      from: row.from,
      ...listing,
      size: sizeOf(listing),
      lifetime: typeof seconds === 'number' ? seconds : lifetime,
    };
  });
  const pagination = paginations.find((each) => each !== undefined);
  if (pagination !== undefined) return { pagination, unpaged: undefined };
  return none(
    rows.length > 0
      ? 'its response has no field or Link header for the next page'
      : 'it has no parameters that choose a page',
  );
}

function isNumber({ schema: { type, anyOf = [], oneOf = [] } }: Parameter): boolean {
  const types = [type, ...[...anyOf, ...oneOf].map((each) => each.type)].flat();
  return types.includes('integer') || types.includes('number');
}

function pageSize(size: DeclaredParameter, limit: number, { maximum: own }: ListingDefaults): PageSize {
  const usual = typeof size.schema.default === 'number' ? size.schema.default : undefined;
  const named: unknown = size.declaration['x-maximum'];
  const cloudMaximum = typeof named === 'object' && named !== null ? { ...own, ...named } : own;
  const maximumOn = (cloud: Cloud) =>
    Math.min(limit, size.schema.maximum ?? Math.max(cloudMaximum[cloud], usual ?? 0));
  const maximum = { public: maximumOn('public'), private: maximumOn('private') };
  return {
    parameter: size,
    default: Math.min(usual ?? Math.ceil(maximum.public * defaultShareOfMaximum), maximum.public),
    minimum: Math.max(1, size.schema.minimum ?? 1),
    maximum,
    cloudMaximum,
  };
}

/** The schemas that a response may match. */
function shapesOf(schema: Schema | undefined, resolve: (schema: Schema) => Schema): readonly Schema[] {
  if (schema === undefined) return [];
  const found = resolve(schema);
  const alternatives = found.oneOf ?? found.anyOf;
  if (alternatives !== undefined && found.properties === undefined) return alternatives.map(resolve);
  if (found.allOf === undefined) return [found];
  const parts = found.allOf.map(resolve);
  return [{ ...found, properties: Object.assign({}, ...[...parts, found].map((part) => part.properties)) }];
}

/** The maximum number of items in the array. */
function limitOf({ shape, items }: ResponseArray, resolve: (schema: Schema) => Schema): number {
  const array = items === '' ? shape : shape.properties?.[items];
  return (array && resolve(array).maxItems) ?? Number.POSITIVE_INFINITY;
}

/** The field name of a response's array; empty for the response itself, undefined if there is none or it is ambiguous. */
function arrayOf(shape: Schema, path: string, resolve: (schema: Schema) => Schema): string | undefined {
  const isArray = ({ type }: Schema) => [type].flat().includes('array');
  if (isArray(shape)) return '';
  const names = Object.entries(shape.properties ?? {})
    .filter(([, property]) => isArray(resolve(property)))
    .map(([name]) => name);
  if (names.length === 1) return names[0];
  const last = path.split('/').findLast((part) => !part.startsWith('{'));
  return names.find((name) => name === last) ?? names.find((name) => usualItems.test(name));
}
