import { type Contract, type Operation, safeMethods } from './model.ts';

/** Kinds of operation to which a requirement may apply, whatever the contract. */
export const selectors = {
  all: () => true,
  /** A token is needed. */
  authenticated: (each) => each.authenticated,
  /** Answers with content. */
  reads: (each) => each.success.some((response) => response.content.length > 0),
  /** Takes a JSON body. */
  body: (each) => accepts(each, 'application/json'),
  /** Takes a form body. */
  form: (each) => accepts(each, 'application/x-www-form-urlencoded'),
  /** Changes something and takes no body. */
  'bodyless-write': (each) => each.body === undefined && !safeMethods.has(each.method),
  /** Takes a correlation ID. */
  correlated: (each) => each.correlation !== undefined,
  /** Takes a correlation ID, and what its path names can be filled in with data that exists. */
  'correlated-resource': (each) =>
    each.correlation !== undefined &&
    each.parameters.every((parameter) => parameter.in !== 'path' || parameter.resource !== undefined),
  /** Listed by `from` and `take`. */
  checkpoint: (each) => each.pagination?.kind === 'checkpoint',
  /** Its scope is named by a sentence or by the document handed in. */
  'scope-stated': (each) => each.authenticated && each.scopes.length > 0 && !each.scopeInferred,
  /** Its scope follows from the catalogue. */
  'scope-inferred': (each) => each.authenticated && each.scopes.length > 0 && each.scopeInferred,
  /** Not one of the operations that have requirements of their own. */
  generic: (each, specific) => !specific.has(each.id),
  'generic-reads': (each, specific) =>
    !specific.has(each.id) && each.success.some((response) => response.content.length > 0),
  'generic-checkpoint': (each, specific) => !specific.has(each.id) && each.pagination?.kind === 'checkpoint',
  'generic-offset': (each, specific) => !specific.has(each.id) && each.pagination?.kind === 'offset',
  'generic-parameters': (each, specific) =>
    !specific.has(each.id) && each.parameters.some((parameter) => parameter.in !== 'header'),
  'generic-body': (each, specific) => !specific.has(each.id) && accepts(each, 'application/json'),
} satisfies Record<string, (operation: Operation, specific: ReadonlySet<string>) => boolean>;

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
    typeof operations === 'string' ? selectors[operations](each, specific) : operations.includes(each.id),
  );
}

function accepts(operation: Operation, mediaType: string): boolean {
  return operation.body?.content.some((each) => each.mediaType === mediaType) ?? false;
}
