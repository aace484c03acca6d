import { isObject, type JsonObject } from '../contract/json.ts';
import { concrete } from '../contract/media-types.ts';
import { merged } from '../contract/merge.ts';
import type { MediaType, Operation, Pagination } from '../contract/model.ts';
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
  const mediaType = concrete(content.mediaType);
  const { pagination } = operation;
  if (content.kind === 'json' && pagination !== undefined)
    return listing(operation, pagination, content, state, { status, mediaType });
  const body = content.kind === 'json' ? exampleOf(state.contract, content) : otherText(content);
  return () => ({ status, headers, body, mediaType });
};

function otherText({ kind, examples }: MediaType): string {
  const text = examples.find((each) => typeof each === 'string');
  return typeof text === 'string' ? text : kind === 'xml' ? '<?xml version="1.0"?><value/>' : 'conformance';
}

function listing(
  { parameters }: Operation,
  pagination: Pagination,
  content: MediaType,
  state: State,
  head: { readonly status: number; readonly mediaType: string },
): Handler {
  const { contract } = state;
  const shape = merged(contract, pagination.shape);
  const { items: item = {} } = merged(
    contract,
    pagination.items === '' ? shape : (shape.properties?.[pagination.items] ?? {}),
  );
  const { next } = pagination.kind === 'checkpoint' ? pagination : { next: undefined };
  const whole = exampleOf(contract, { ...content, schema: shape });
  const others = Object.fromEntries(
    Object.entries(isObject(whole) ? whole : {}).filter(
      ([name]) => name !== pagination.items && name !== next,
    ),
  );
  const isValidPage = (each: unknown) => content.validate(each).length === 0;
  const validate = (found: unknown) => {
    if (pagination.items === '') return content.validate([found]);
    const page = { ...others, [pagination.items]: [found] };
    return content.validate(next === undefined || isValidPage(page) ? page : { ...page, [next]: '' });
  };
  const described = { schema: item, validate, examples: itemsOf(whole, pagination) };
  const made = someValues(contract, described, 'response', generatedItems);
  // Items with the same id, or without one that are equal, are listed once.
  const different = [
    ...new Map(made.map((each) => [JSON.stringify(Object(each).id ?? each), each])).values(),
  ];
  const items = different.map((value): JsonObject => (isObject(value) ? value : { value }));
  const isBare = different.some((value) => !isObject(value));
  const shown = (each: JsonObject): JsonObject => each;
  const answer = (page: JsonObject, call: Call) => {
    const list = page[pagination.items];
    const bare = isBare && Array.isArray(list) ? list.map((each) => Object(each).value) : list;
    const link =
      pagination.kind === 'checkpoint' && pagination.next === undefined
        ? linkTo(page.next, pagination.from, call)
        : [];
    const known = Object.fromEntries(
      Object.entries(page).filter(
        ([name]) => name === pagination.items || name === next || shape.properties?.[name] !== undefined,
      ),
    );
    if (pagination.items === '') return { ...head, headers: link, body: bare };
    const body = { ...others, ...known, [pagination.items]: bare };
    // If the field of the next checkpoint is required, its value says that there is none.
    const ends =
      next === undefined || next in known ? [] : [null, ''].map((none) => ({ ...body, [next]: none }));
    return { ...head, headers: link, body: [body, ...ends].find(isValidPage) ?? body };
  };
  if (pagination.kind === 'offset')
    return ({ query }: Inputs, call: Call) =>
      answer(offsetPage(items, pagination, query, shown, call, state), call);
  const list = { items, field: (each: JsonObject, name: string) => each[name] };
  // A required parameter selects what is listed, not items by a field, so it is no filter: every list has items.
  const names = parameters.filter(({ required }) => !required).map(({ name }) => name);
  const fields = names.filter((name) => items.some((each) => Object.hasOwn(each, name)));
  return ({ query }: Inputs, call: Call) => {
    const known = Object.entries(filtersOf(query, pagination)).filter(([name]) => fields.includes(name));
    const page = checkpointPage(list, pagination, query, Object.fromEntries(known), shown, call, state);
    return answer(page, call);
  };
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
