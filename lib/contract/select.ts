import type { BodyKind } from './media-types.ts';
import { type Contract, type Operation, safeMethods } from './model.ts';

/** Kinds of operation to which a requirement may apply, whatever the contract. */
export const selectors = {
  all: () => true,
  /** A token is needed. */
  authenticated: (each) => each.authenticated,
  /** Answers with content. */
  reads: (each) => each.success.some((response) => response.content.length > 0),
  /** Takes a JSON body. */
  body: (each) => accepts(each, 'json'),
  /** Takes a form body. */
  form: (each) => accepts(each, 'form'),
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
  /** A token needs scopes. */
  scoped: (each) => each.scopes.length > 0,
  /** Its scope is named by a sentence or by the document handed in. */
  'scope-stated': (each) => each.scopes.length > 0 && !each.scopeInferred,
  /** Its scope follows from the catalogue. */
  'scope-inferred': (each) => each.scopes.length > 0 && each.scopeInferred,
  /** Not one of the operations that have requirements of their own. */
  generic: (each, specific) => !isSpecific(each, specific),
  'generic-reads': (each, specific) =>
    !isSpecific(each, specific) && each.success.some((response) => response.content.length > 0),
  'generic-checkpoint': (each, specific) =>
    !isSpecific(each, specific) && each.pagination?.kind === 'checkpoint',
  'generic-offset': (each, specific) => !isSpecific(each, specific) && each.pagination?.kind === 'offset',
  'generic-parameters': (each, specific) =>
    !isSpecific(each, specific) &&
    each.parameters.some(({ in: place }) => place === 'path' || place === 'query'),
  'generic-body': (each, specific) => !isSpecific(each, specific) && accepts(each, 'json'),
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
    typeof operations === 'string'
      ? selectors[operations](each, specific)
      : isSpecific(each, new Set(operations)),
  );
}

function accepts(operation: Operation, kind: BodyKind): boolean {
  return operation.body?.content.some((each) => each.kind === kind) ?? false;
}

/** True for one of these operations of the specification; an operation of another service may have the same id. */
function isSpecific({ id, specified }: Operation, ids: ReadonlySet<string>): boolean {
  return specified && ids.has(id);
}
