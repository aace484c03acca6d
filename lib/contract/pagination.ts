import type { Cloud, PageSize, Pagination, Parameter, SuccessResponse } from './model.ts';
import type { Schema } from './schema.ts';

/** Half the maximum is the default page size (section 8, conventions 1 and 2). */
const defaultShareOfMaximum = 0.5;

/** What makes a listing: the query parameters by which it is read in pages. The first row whose parameters all exist holds. */
const conventions: readonly (
  | {
      readonly kind: 'checkpoint';
      readonly from: string;
      readonly size: string;
      readonly next: readonly string[];
    }
  | {
      readonly kind: 'offset';
      readonly page: string;
      readonly size: string;
      readonly counts: 'pages' | 'items';
    }
)[] = [
  // Section 8 of the specification. Of two kinds on one operation, the checkpoint is recommended (convention 3).
  { kind: 'checkpoint', from: 'from', size: 'take', next: ['next'] },
  { kind: 'offset', page: 'page', size: 'per_page', counts: 'pages' },
  // What other documents have.
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

/** Names of the array among several. */
const usualItems = /^(data|items|results|entries)$/;

type WithExtensions = Parameter & { readonly extensions: Readonly<Record<string, unknown>> };

/** What a listing without bounds of its own takes from the shipped contract. */
export interface ListingDefaults {
  readonly lifetime: number;
  /** The largest page on each kind of cloud. */
  readonly maximum: Readonly<Record<Cloud, number>>;
}

/** How a GET operation is read in pages, or why not: nothing of both for what does not look like a listing. */
export function paginationOf(
  path: string,
  parameters: readonly WithExtensions[],
  success: readonly SuccessResponse[],
  resolve: (schema: Schema) => Schema,
  defaults: ListingDefaults,
): { readonly pagination: Pagination | undefined; readonly unpaged: string | undefined } {
  const query = (name: string) => parameters.find((each) => each.in === 'query' && each.name === name);
  const shapes = shapesOf(success[0]?.content.find(({ kind }) => kind === 'json')?.schema, resolve);
  const found = conventions.find((row) => {
    const start = query(row.kind === 'offset' ? row.page : row.from);
    const { type, anyOf = [], oneOf = [] } = start?.schema ?? {};
    const types = [type, ...[...anyOf, ...oneOf].map((each) => each.type)].flat();
    const counts = types.includes('integer') || types.includes('number');
    return start !== undefined && query(row.size) !== undefined && counts === (row.kind === 'offset');
  });
  const size = found && query(found.size);
  const listed = shapes.map((shape) => ({ shape, items: arrayOf(shape, path, resolve) }));
  const arrays = listed.filter((each) => each.items !== undefined);
  const none = (unpaged: string | undefined) => ({ pagination: undefined, unpaged });
  if (found === undefined || size === undefined)
    return none(arrays.length > 0 ? 'it has no parameters that choose a page' : undefined);
  if (arrays.length === 0) return none('its answer has no array, or several of which none has a usual name');

  if (found.kind === 'offset') {
    const page = query(found.page);
    const first = page?.schema.minimum ?? page?.schema.default;
    // An object says more than the bare array beside it.
    const { shape, items = '' } = arrays.find((each) => each.items !== '') ?? arrays[0] ?? {};
    const limit = limitOf(shape, items, resolve);
    const pagination: Pagination = {
      ...found,
      items,
      size: pageSize(size, limit, defaults),
      first: found.counts === 'pages' && first === 1 ? 1 : 0,
    };
    return { pagination, unpaged: undefined };
  }
  const own = found.from === 'from';
  const withNext = arrays.flatMap(({ shape, items = '' }) => {
    const next = found.next.find((name) => shape.properties?.[name] !== undefined);
    return next === undefined ? [] : [{ shape, items, next }];
  })[0];
  const [{ shape: bare, items = '' } = {}] = arrays;
  const link = success[0]?.links === true ? { shape: bare, items, next: undefined } : undefined;
  const usual = own && items !== '' ? { shape: bare, items, next: 'next' } : undefined;
  const listing = withNext ?? link ?? usual;
  if (listing === undefined) return none(`its answer has no ${found.next.join(' or ')}, and no Link header`);
  const seconds = query(found.from)?.extensions['x-checkpoint-lifetime'];
  const lifetime = typeof seconds === 'number' ? seconds : own ? defaults.lifetime : Number.POSITIVE_INFINITY;
  const pagination: Pagination = {
    kind: 'checkpoint',
    from: found.from,
    items: listing.items,
    next: listing.next,
    size: pageSize(size, limitOf(listing.shape, listing.items, resolve), defaults),
    lifetime,
  };
  return { pagination, unpaged: undefined };
}

function pageSize(size: WithExtensions, limit: number, { maximum: own }: ListingDefaults): PageSize {
  const usual = typeof size.schema.default === 'number' ? size.schema.default : undefined;
  const named: unknown = size.extensions['x-maximum'];
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

/** The schemas that an answer may follow. */
function shapesOf(schema: Schema | undefined, resolve: (schema: Schema) => Schema): readonly Schema[] {
  if (schema === undefined) return [];
  const found = resolve(schema);
  const alternatives = found.oneOf ?? found.anyOf;
  if (alternatives !== undefined && found.properties === undefined) return alternatives.map(resolve);
  if (found.allOf === undefined) return [found];
  const parts = found.allOf.map(resolve);
  return [{ ...found, properties: Object.assign({}, ...[...parts, found].map((part) => part.properties)) }];
}

/** The most items that the array may have. */
function limitOf(shape: Schema | undefined, items: string, resolve: (schema: Schema) => Schema): number {
  const array = items === '' ? shape : shape?.properties?.[items];
  return (array && resolve(array).maxItems) ?? Number.POSITIVE_INFINITY;
}

/** The array of an answer: empty for the answer itself, else its field's name; undefined where there is none, or no one. */
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
