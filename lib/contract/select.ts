import type { BodyKind } from './media-types.ts';
import { merged, typeOf } from './merge.ts';
import { type Contract, type MediaType, type Operation, type Parameter, safeMethods } from './model.ts';
import type { Schema } from './schema.ts';

/** Kinds of operation to which a requirement may apply, whatever the contract. */
export const selectors = {
  all: () => true,
  /** A token is needed. */
  authenticated: (each) => each.authenticated,
  /** Answers with content. */
  reads: (each) => answers(each).length > 0,
  /** Answers with JSON. */
  'reads-json': (each) => answersJson(each),
  /** Takes a JSON body. */
  body: (each) => accepts(each, 'json'),
  /** Takes a form body. */
  form: (each, _, contract) => accepts(each, 'form', (schema) => isObjectSchema(schema, contract)),
  /** Changes something and takes no body. */
  'bodyless-write': (each) => each.body === undefined && !safeMethods.has(each.method),
  /** Takes a correlation ID. */
  correlated: (each) => each.correlation !== undefined,
  /** Takes a correlation ID, and what its path names can be filled in with data that exists. */
  'correlated-resource': (each) =>
    each.correlation !== undefined &&
    each.parameters.every((parameter) => parameter.in !== 'path' || parameter.resource !== undefined),
  /** Listed by checkpoints. */
  checkpoint: (each) => each.pagination?.kind === 'checkpoint',
  /** Listed by checkpoints that are valid for a time that something says. */
  'checkpoint-lifetime': (each) =>
    each.pagination?.kind === 'checkpoint' && each.pagination.lifetime < Number.POSITIVE_INFINITY,
  /** A token needs scopes. */
  scoped: (each) => each.scopes.length > 0,
  /** Its scope is named by a sentence or by the document handed in. */
  'scope-stated': (each) => each.scopes.length > 0 && !each.scopeInferred,
  /** Its scope follows from the catalogue. */
  'scope-inferred': (each) => each.scopes.length > 0 && each.scopeInferred,
  /** Not one of the operations that have requirements of their own. */
  generic: (each, specific) => !isSpecific(each, specific),
  'generic-reads': (each, specific) => !isSpecific(each, specific) && answersJson(each),
  'generic-checkpoint': (each, specific) =>
    !isSpecific(each, specific) && each.pagination?.kind === 'checkpoint',
  'generic-offset': (each, specific) => !isSpecific(each, specific) && each.pagination?.kind === 'offset',
  'generic-parameters': (each, specific, contract) =>
    !isSpecific(each, specific) && each.parameters.some((parameter) => canBeInvalid(parameter, contract)),
  'generic-body': (each, specific) =>
    !isSpecific(each, specific) &&
    each.body?.content.some(({ kind, schema }) => kind === 'json' && restricts(schema)) === true,
} satisfies Record<
  string,
  (operation: Operation, specific: ReadonlySet<string>, contract: Contract) => boolean
>;

export type Selector = keyof typeof selectors;

/**
 * The contract's operations to which a ledger row applies; of ids that the contract does not have, none.
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

/** The content of its success answers; none for HEAD (RFC 9110, section 9.3.2). */
function answers({ method, success }: Operation): readonly MediaType[] {
  return method === 'HEAD' ? [] : success.flatMap(({ content }) => content);
}

function answersJson(operation: Operation): boolean {
  return answers(operation).some(({ kind, schema }) => kind === 'json' && Object.keys(schema).length > 0);
}

/** True for a parameter for which there is a text that breaks its schema. */
function canBeInvalid({ in: place, json, schema }: Parameter, contract: Contract): boolean {
  if (json || (place !== 'path' && place !== 'query')) return false;
  const { type, enum: values, maxLength, oneOf, anyOf } = merged(contract, schema);
  if (values !== undefined) return true;
  if (oneOf !== undefined || anyOf !== undefined) return false;
  const isText = [type].flat().some((each) => each === undefined || each === 'string');
  const isStructure = [type].flat().some((each) => each === 'array' || each === 'object');
  return !isStructure && (!isText || (maxLength !== undefined && maxLength < longestText));
}

/** Characters of a parameter that every server reads. */
const longestText = 2000;

/** Keywords that describe a value and restrict nothing (JSON Schema 2020-12, and `example` of OpenAPI). */
const annotations = new Set([
  ...['title', 'description', 'default', 'example', 'examples', 'deprecated'],
  ...['readOnly', 'writeOnly', '$comment', 'externalDocs'],
]);

/** True unless every value matches the schema. */
function restricts(schema: Schema): boolean {
  return Object.keys(schema).some((keyword) => !annotations.has(keyword) && !keyword.startsWith('x-'));
}

function accepts(
  operation: Operation,
  kind: BodyKind,
  fits: (schema: Schema) => boolean = () => true,
): boolean {
  return operation.body?.content.some((each) => each.kind === kind && fits(each.schema)) ?? false;
}

/** True for what the fields of a form can say. */
function isObjectSchema(schema: Schema, contract: Contract): boolean {
  const type = typeOf(merged(contract, schema));
  return type === undefined || type === 'object';
}

/** True for one of these operations of the specification; an operation of another service may have the same id. */
function isSpecific({ id, specified }: Operation, ids: ReadonlySet<string>): boolean {
  return specified && ids.has(id);
}
