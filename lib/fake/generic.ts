import { isObject, type JsonObject } from '../contract/json.ts';
import { concrete } from '../contract/media-types.ts';
import { merged } from '../contract/merge.ts';
import type { Contract, MediaType, Operation, Pagination } from '../contract/model.ts';
import { exampleOf, someValues } from '../contract/valid.ts';
import type { Call } from './call.ts';
import type { Inputs } from './checks.ts';
import { filtersOf, type Handler, type HandlerFactory } from './handlers.ts';
import { checkpointPage, offsetPage } from './pages.ts';
import type { State } from './state.ts';

/** How many items a generated listing has: more than two pages of the largest size, and not a multiple of it. */
const generatedItems = 57;

/**
 * The handler of an operation that only its contract describes: responses match the declared schema, and listings
 * page over generated items. Nothing that is written is stored.
 */
export const genericHandler: HandlerFactory = (operation, state) => {
  const [success] = operation.success;
  // 200 for `2XX` and `DEFAULT`.
  const status = Number(success?.status.replace(/X+/, '00')) || 200;
  const headers = status >= 300 ? ([['Location', '/']] as const) : [];
  const content = success?.content.find(({ kind }) => kind === 'json') ?? success?.content[0];
  if (content === undefined || [204, 205, 304].includes(status) || operation.method === 'HEAD')
    return () => ({ status, headers, body: undefined });
  const head = { status, mediaType: concrete(content.mediaType) };
  const { pagination } = operation;
  if (content.kind === 'json' && pagination !== undefined)
    return serveListing(operation, pageShape(state.contract, pagination, content), state, head);
  const body = content.kind === 'json' ? exampleOf(state.contract, content) : otherText(content);
  return () => ({ ...head, headers, body });
};

function otherText({ kind, examples }: MediaType): string {
  const text = examples.find((each) => typeof each === 'string');
  return typeof text === 'string' ? text : kind === 'xml' ? '<?xml version="1.0"?><value/>' : 'conformance';
}

/** What the contract says about a page: its schema, the name of the field of the next checkpoint, an example, its other fields. */
function pageShape(contract: Contract, pagination: Pagination, content: MediaType) {
  const schema = merged(contract, pagination.shape);
  const next = pagination.kind === 'checkpoint' ? pagination.next : undefined;
  const example = exampleOf(contract, { ...content, schema });
  const fields = Object.entries(isObject(example) ? example : {});
  const others = fields.filter(([name]) => name !== pagination.items && name !== next);
  return { pagination, content, schema, next, example, others: Object.fromEntries(others) };
}

type PageShape = ReturnType<typeof pageShape>;

function serveListing(
  { parameters }: Operation,
  shape: PageShape,
  state: State,
  head: { readonly status: number; readonly mediaType: string },
): Handler {
  const { pagination } = shape;
  const generated = generateItems(state.contract, shape);
  const items = generated.map((value): JsonObject => (isObject(value) ? value : { value }));
  const isBare = generated.some((value) => !isObject(value));
  const respond = (page: JsonObject, call: Call) => {
    const isLinked = pagination.kind === 'checkpoint' && pagination.next === undefined;
    const headers = isLinked ? linkTo(page.next, pagination.from, call) : [];
    return { ...head, headers, body: pageBody(page, shape, isBare) };
  };
  if (pagination.kind === 'offset')
    return ({ query }: Inputs, call: Call) =>
      respond(offsetPage(items, pagination, query, call, state), call);
  const list = { items, field: (each: JsonObject, name: string) => each[name] };
  // A required parameter selects what is listed, not items by a field, so it is no filter: every list has items.
  const names = parameters.filter(({ required }) => !required).map(({ name }) => name);
  const fields = names.filter((name) => items.some((each) => Object.hasOwn(each, name)));
  return ({ query }: Inputs, call: Call) => {
    const known = Object.entries(filtersOf(query, pagination)).filter(([name]) => fields.includes(name));
    const page = checkpointPage(list, pagination, query, Object.fromEntries(known), call, state);
    return respond(page, call);
  };
}

/** Different items with which a page is valid. Items with the same id, or without one that are equal, are listed once. */
function generateItems(contract: Contract, shape: PageShape): readonly unknown[] {
  const { pagination, content, schema, next, example, others } = shape;
  const list = pagination.items === '' ? schema : (schema.properties?.[pagination.items] ?? {});
  const validate = (item: unknown) => {
    if (pagination.items === '') return content.validate([item]);
    const page = { ...others, [pagination.items]: [item] };
    return content.validate(next === undefined || isValid(page, content) ? page : { ...page, [next]: '' });
  };
  const { items: item = {} } = merged(contract, list);
  const described = { schema: item, validate, examples: itemsOf(example, pagination) };
  const generated = someValues(contract, described, 'response', generatedItems);
  return [...new Map(generated.map((each) => [JSON.stringify(Object(each).id ?? each), each])).values()];
}

/** The body of a page: only the fields of its schema, and bare items in place of the objects with their values. */
function pageBody(page: JsonObject, shape: PageShape, isBare: boolean): unknown {
  const { pagination, content, schema, next, others } = shape;
  const list = page[pagination.items];
  const shown = isBare && Array.isArray(list) ? list.map((each) => Object(each).value) : list;
  if (pagination.items === '') return shown;
  const isKnown = (name: string) =>
    name === pagination.items || name === next || schema.properties?.[name] !== undefined;
  const known = Object.entries(page).filter(([name]) => isKnown(name));
  const body = { ...others, ...Object.fromEntries(known), [pagination.items]: shown };
  // If the field of the next checkpoint is required, its value says that there is none.
  const ends =
    next === undefined || next in page ? [] : [null, ''].map((none) => ({ ...body, [next]: none }));
  return [body, ...ends].find((each) => isValid(each, content)) ?? body;
}

function isValid(page: unknown, { validate }: MediaType): boolean {
  return validate(page).length === 0;
}

function itemsOf(value: unknown, { items }: Pagination): readonly unknown[] {
  const list = items === '' ? value : Object(value)[items];
  return Array.isArray(list) ? list : [];
}

/** The `Link` header of the next page (RFC 8288). */
function linkTo(
  next: unknown,
  from: string,
  { origin, target }: Call,
): readonly (readonly [string, string])[] {
  if (typeof next !== 'string') return [];
  const url = new URL(target, origin);
  url.searchParams.set(from, next);
  return [['Link', `<${url.href}>; rel="next"`]];
}
