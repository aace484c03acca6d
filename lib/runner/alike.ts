import type { Contract, Operation } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';

/** An operation that stands for others on which a requirement makes as many requests. */
export interface Representative {
  readonly operation: Operation;
  /** Operations for which it stands, itself included. */
  readonly standsFor: number;
}

/** One of each kind of operation, as far as the requests of this row depend on it. */
export function representatives(
  contract: Contract,
  operations: readonly Operation[],
): readonly Representative[] {
  const kinds = new Map<string, Representative>();
  for (const operation of operations) {
    const kind = kindOf(contract, operation);
    const known = kinds.get(kind);
    kinds.set(kind, {
      operation: known?.operation ?? operation,
      standsFor: (known?.standsFor ?? 0) + 1,
    });
  }
  return [...kinds.values()];
}

/** A text that is the same for operations of one kind. */
function kindOf(contract: Contract, operation: Operation): string {
  const { method, scopes, pagination, parameters, body } = operation;
  return JSON.stringify([
    method,
    scopes.length,
    [pagination?.kind, pagination?.size.maximum],
    parameters.map((each) => [each.in, each.required, each.resource, shapeOf(contract, each.schema)]),
    body?.content.map(({ mediaType, schema }) => [mediaType, shapeOf(contract, schema)]),
  ]);
}

/** A schema without its names and figures: types and keywords, of an object those of its properties. */
function shapeOf(contract: Contract, schema: Schema): unknown {
  const keywordsOf = (each: Schema) => [each.type, Object.keys(each).sort()];
  const { properties = {}, required = [], ...rest } = contract.resolve(schema);
  const inner = Object.values(properties).map((each) => keywordsOf(contract.resolve(each)));
  return [keywordsOf(rest), required.length, inner];
}
