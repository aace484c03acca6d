import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { didYouMean } from './similar.ts';
import { createAjv, messageOf } from './validation.ts';

/**
 * A function that returns its argument if it matches the JSON Schema (2020-12).
 * @param what the name of the value in messages: `the data set`
 * @param schema called once, when the parser is first used
 * @param fail makes the error to throw (default: an `Error`) from a line such as `experiments[3].status must be draft or active`
 */
export function createParser<T>(
  what: string,
  schema: () => object,
  fail: (problem: string) => Error = (problem) => new Error(problem),
): (value: unknown) => T {
  let validate: ValidateFunction<T> | undefined;
  return (value) => {
    validate ??= createAjv().compile<T>(schema());
    if (validate(value)) return value;
    throw fail(describe(what, validate.errors ?? []));
  };
}

/** The most helpful error, in one line: an unknown key may be the misspelling of a missing one. */
function describe(what: string, errors: readonly ErrorObject[]): string {
  const isForbidden = ({ keyword }: ErrorObject) =>
    keyword === 'additionalProperties' || keyword === 'propertyNames';
  const error = errors.find(isForbidden) ?? errors[0];
  if (error === undefined) return `${what} is invalid`;
  const { keyword, params, parentSchema } = error;
  const place = placeOf(error.instancePath);
  switch (keyword) {
    case 'required':
      return `${place && `${place}.`}${params.missingProperty} is missing`;
    case 'additionalProperties': {
      const key = String(params.additionalProperty).slice(0, 80);
      const hint = didYouMean(key, Object.keys(parentSchema?.properties ?? {}));
      return `${place && `${place}: `}unknown key ${key}${hint}`;
    }
    case 'propertyNames':
      return `${place && `${place}: `}${params.propertyName} is not allowed`;
    default:
      return `${place || what} ${messageOf(error)}`;
  }
}

/** A JSON Pointer (RFC 6901) in JavaScript notation: `actions[0].versions`. */
function placeOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
}
