import type { BodyKind } from './media-types.ts';
import { merged, typeOf } from './merge.ts';
import { type Contract, type MediaType, type Operation, type Parameter, safeMethods } from './model.ts';
import { isAnnotation, type Schema } from './schema.ts';

/** Kinds of operation to which a requirement may apply, in any contract. */
export const selectors = {
  all: () => true,
  /** Requires a token. */
  authenticated: (each) => each.authenticated,
  /** Responds with content. */
  reads: (each) => answers(each).length > 0,
  /** Responds with JSON. */
  'reads-json': answersJson,
  /** Accepts a JSON body. */
  body: (each) => accepted(each, 'json').length > 0,
  /** Accepts a form body. */
  form: (each, _, contract) => accepted(each, 'form').some(({ schema }) => isObjectSchema(schema, contract)),
  /** Changes something and accepts no body. */
  'bodyless-write': (each) => each.body === undefined && !safeMethods.has(each.method),
  /** Accepts a correlation ID. */
  correlated: (each) => each.correlation !== undefined,
  /** Accepts a correlation ID, and its path parameters can name existing data. */
  'correlated-resource': (each) =>
    each.correlation !== undefined &&
    each.parameters.every((parameter) => parameter.in !== 'path' || parameter.resource !== undefined),
  /** Paginated by checkpoints. */
  checkpoint: (each) => each.pagination?.kind === 'checkpoint',
  /** Paginated by checkpoints with a known lifetime. */
  'checkpoint-lifetime': (each) =>
    each.pagination?.kind === 'checkpoint' && each.pagination.lifetime < Number.POSITIVE_INFINITY,
  /** Requires scopes. */
  scoped: (each) => each.scopes.length > 0,
  /** Its scope is named by the specification or by another contract. */
  'scope-stated': (each) => each.scopes.length > 0 && !each.scopeInferred,
  /** Its scope follows from the catalogue. */
  'scope-inferred': (each) => each.scopes.length > 0 && each.scopeInferred,
  /** Not one of the operations that have requirements of their own. */
  generic: generic(() => true),
  'generic-reads': generic(answersJson),
  'generic-checkpoint': generic((each) => each.pagination?.kind === 'checkpoint'),
  'generic-offset': generic((each) => each.pagination?.kind === 'offset'),
  'generic-parameters': generic((each, contract) =>
    each.parameters.some((parameter) => canBeInvalid(parameter, contract)),
  ),
  'generic-body': generic((each) =>
    accepted(each, 'json').some(({ schema }) => !Object.keys(schema).every(isAnnotation)),
  ),
} satisfies Record<string, Fits>;

type Fits = (operation: Operation, specific: ReadonlySet<string>, contract: Contract) => boolean;

function generic(fits: (operation: Operation, contract: Contract) => boolean): Fits {
  return (each, specific, contract) => !isSpecific(each, specific) && fits(each, contract);
}

export type Selector = keyof typeof selectors;

/**
 * The contract's operations to which a ledger row applies. Ignores ids that the contract does not have.
 * @param specific ids of the operations that some row names by id
 */
export function select(
  contract: Contract,
  operations: Selector | readonly string[],
  specific: ReadonlySet<string>,
): readonly Operation[] {
  return contract.operations.filter((each) =>
    typeof operations === 'string'
      ? selectors[operations](each, specific, contract)
      : isSpecific(each, new Set(operations)),
  );
}

/** The content of its success responses; none for HEAD (RFC 9110, section 9.3.2). */
function answers({ method, success }: Operation): readonly MediaType[] {
  return method === 'HEAD' ? [] : success.flatMap(({ content }) => content);
}

function answersJson(operation: Operation): boolean {
  return answers(operation).some(({ kind, schema }) => kind === 'json' && Object.keys(schema).length > 0);
}

/** True for a parameter whose schema some text violates. */
function canBeInvalid({ in: place, json, schema }: Parameter, contract: Contract): boolean {
  if (json || (place !== 'path' && place !== 'query')) return false;
  const { type, enum: values, maxLength, oneOf, anyOf } = merged(contract, schema);
  if (values !== undefined) return true;
  if (oneOf !== undefined || anyOf !== undefined) return false;
  const isText = [type].flat().some((each) => each === undefined || each === 'string');
  const isStructure = [type].flat().some((each) => each === 'array' || each === 'object');
  return !isStructure && (!isText || (maxLength !== undefined && maxLength < longestText));
}

/** Length of a parameter that every server accepts. */
const longestText = 2000;

/** The media types of this kind that its body may have. */
function accepted({ body }: Operation, kind: BodyKind): readonly MediaType[] {
  return (body?.content ?? []).filter((each) => each.kind === kind);
}

/** True for a schema whose values a form can encode. */
function isObjectSchema(schema: Schema, contract: Contract): boolean {
  const type = typeOf(merged(contract, schema));
  return type === undefined || type === 'object';
}

/** True for an operation of the specification with one of these ids, which operations of other services may have, too. */
function isSpecific({ id, specified }: Operation, ids: ReadonlySet<string>): boolean {
  return specified && ids.has(id);
}
