import fc, { type Arbitrary } from 'fast-check';
import { isObject } from '../contract/json.ts';
import { essenceOf } from '../contract/media-types.ts';
import { merged, typeOf } from '../contract/merge.ts';
import type { Contract, MediaType, Operation, Parameter } from '../contract/model.ts';
import { ifGenerated, NotGenerated } from '../contract/not-generated.ts';
import { word } from '../contract/strings.ts';
import { textOf, writePairs, writeText } from '../contract/styles.ts';
import { arbitraryOf, type DescribedSchema, firstOf, validValues } from '../contract/valid.ts';
import { beyondBounds } from './invalid.ts';

/** The input of an operation: its serialized parameters, and the body as a value. */
export interface Input {
  /** Percent-encoded segments, by the parameter's name. */
  readonly path: Readonly<Record<string, string>>;
  /** Parts of the query, percent-encoded, by the parameter's name: `ids=1&ids=2`. */
  readonly query: Readonly<Record<string, string>>;
  /** Header fields, including one for all cookies. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the operation accepts none. */
  readonly body: unknown;
  /** The media type of the body. */
  readonly media: MediaType | undefined;
}

/** The seed for values that a request needs but no requirement judges. It is the same in every run. */
const fillingSeed = 1;

/**
 * The smallest input that matches the operation's schemas: required parameters and the required body only.
 * Defaults and enums come first; a path parameter that names data gets `resources[its kind]`, or a generated id.
 * @throws NotGenerated if no value is found for a required parameter or the body
 */
export function minimalInput(
  contract: Contract,
  operation: Operation,
  resources: Readonly<Record<string, string>> = {},
): Input {
  const namesData = Object.keys(resources).length > 0;
  const known = namesData ? undefined : withoutData.get(operation);
  if (known instanceof NotGenerated) throw known;
  if (known !== undefined) return known;
  try {
    const input = makeInput(contract, operation, resources);
    if (!namesData) withoutData.set(operation, input);
    return input;
  } catch (error) {
    if (error instanceof NotGenerated) withoutData.set(operation, error);
    throw error;
  }
}

/** True if a request to the operation can be generated. */
export function canCall(contract: Contract, operation: Operation): boolean {
  return ifGenerated(() => minimalInput(contract, operation)) !== undefined;
}

/** A cache of inputs that name no data: most requests of a run use them. */
const withoutData = new WeakMap<Operation, Input | NotGenerated>();

/** The JSON media type among these, `application/json` before similar ones. */
export function jsonOf(content: readonly MediaType[] = []): MediaType | undefined {
  const all = content.filter(({ kind }) => kind === 'json');
  return all.find(({ mediaType }) => essenceOf(mediaType) === 'application/json') ?? all[0];
}

function makeInput(contract: Contract, operation: Operation, resources: Readonly<Record<string, string>>) {
  const parameters = (location: Parameter['in'], write: (parameter: Parameter, value: unknown) => string) =>
    operation.parameters
      .filter((parameter) => parameter.in === location && parameter.required)
      .map((parameter): [string, string] => [
        parameter.name,
        write(parameter, resources[parameter.resource ?? ''] ?? parameterValue(contract, parameter)),
      ]);
  const plain = (text: string) => text;
  const cookies = parameters('cookie', (each, value) => writePairs(each, value).join('; ')).map(
    ([, text]) => text,
  );
  const content = operation.body?.content;
  // Valid requests use JSON if the operation accepts it, else a form, else the first media type.
  const media = jsonOf(content) ?? content?.find(({ kind }) => kind === 'form') ?? content?.[0];
  return {
    path: Object.fromEntries(parameters('path', (each, value) => writeText(each, value))),
    query: Object.fromEntries(parameters('query', (each, value) => writePairs(each, value).join('&'))),
    headers: {
      ...Object.fromEntries(parameters('header', (each, value) => writeText(each, value, plain))),
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
    },
    body: media && bodyValue(contract, media),
    media,
  };
}

/** Text that a header field can contain, without a comma, which separates values. */
const fieldText = /^[\x21-\x2b\x2d-\x7e]([\x20-\x2b\x2d-\x7e]*[\x21-\x2b\x2d-\x7e])?$/;

/** True for a value that the parameter can carry. An empty text would be equivalent to an absent parameter. */
function carries({ in: place, style, json }: Parameter, value: unknown): boolean {
  if (json) return true;
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [value];
  const texts = parts.map(textOf);
  if (texts.length === 0 || texts.some((text) => text === '')) return false;
  if (place === 'header') return texts.every((text) => fieldText.test(text));
  const separators = style === 'label' ? /[.,]/ : style === 'matrix' ? /[;,=]/ : /[,|]/;
  return !Array.isArray(value) || texts.every((text) => !separators.test(text));
}

function parameterValue(contract: Contract, parameter: Parameter): unknown {
  const name = `the ${parameter.in} parameter ${parameter.name}`;
  return smallest(contract, parameter, name, 100, (each) => carries(parameter, each));
}

/** The smallest value that matches the schema of a media type. @throws NotGenerated */
export function bodyValue(contract: Contract, media: MediaType): unknown {
  if (media.kind === 'binary' || media.kind === 'text')
    return media.examples.find((each) => typeof each === 'string') ?? 'conformance';
  if (media.kind === 'json') return smallest(contract, media, media.mediaType, 1, () => true);
  // A form can encode only objects, and no empty lists in them.
  const isEncodable = (value: unknown) =>
    isObject(value) && Object.values(value).every((each) => !Array.isArray(each) || each.length > 0);
  return smallest(contract, media, media.mediaType, 20, isEncodable);
}

/**
 * The smallest value, else an example of the document, else the first of `most` generated values to fit.
 * @param name what it is for, in the message of the error
 * @throws NotGenerated
 */
function smallest(
  contract: Contract,
  described: DescribedSchema,
  name: string,
  most: number,
  fits: (value: unknown) => boolean,
): unknown {
  const { schema, validate, examples } = described;
  const isValid = (value: unknown) => validate(value).length === 0 && fits(value);
  const found =
    ifGenerated(() => firstOf(arbitraryOf(contract, schema, { smallest: true }), isValid)) ??
    examples.find(isValid) ??
    firstOf(validValues(contract, described), isValid, most);
  if (found === undefined) throw new NotGenerated(`no value is generated for ${name}`);
  return found;
}

/** A text that violates the schema of a parameter, and the JSON Schema keyword that it violates. */
export interface InvalidText {
  readonly text: string;
  readonly keyword: string;
}

/** Parameters with a maximum length from this on are not tested for it, because servers refuse long URLs anyway. */
const longestParameter = 2_000;

/** Texts that violate the schema of a parameter; undefined if every text is valid. */
export function invalidText(contract: Contract, parameter: Parameter): Arbitrary<InvalidText> | undefined {
  // The schema alone does not define the meaning of a text for these.
  if (parameter.json || ['array', 'object'].includes(typeOf(merged(contract, parameter.schema)) ?? ''))
    return undefined;
  const texts = textsOfKeywords(contract, parameter);
  const isInvalid = ({ text }: InvalidText) =>
    readings(text).every((value) => parameter.validate(value).length > 0);
  return texts !== undefined && fc.sample(texts, { numRuns: 20, seed: fillingSeed }).some(isInvalid)
    ? texts.filter(isInvalid)
    : undefined;
}

/** The JSON values as which a text may be parsed. */
function readings(text: string): readonly unknown[] {
  const number = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? [Number(text)] : [];
  return [text, ...number, ...(text === 'true' || text === 'false' ? [text === 'true'] : [])];
}

/** Texts that no parser accepts as a value of the type. */
const notOfType: Readonly<Record<string, readonly string[]>> = {
  integer: ['many', 'ten', '1x', 'x1', '--1', '1.5', '2.25', '0.1'],
  number: ['many', 'ten', '1x', 'x1', '--1'],
  boolean: ['maybe', '2', 'yes and no'],
};

function textsOfKeywords(
  contract: Contract,
  { schema: given }: Parameter,
): Arbitrary<InvalidText> | undefined {
  const schema = merged(contract, given);
  const withKeyword = (keyword: string, values: Arbitrary<unknown>) =>
    values.map((value) => ({ text: String(value), keyword }));
  if (schema.enum !== undefined && schema.enum.length > 0) {
    const values = schema.enum.map(String);
    const others = fc.oneof(fc.constantFrom(...values.map((each) => `${each}x`)), word(3, 12));
    return withKeyword(
      'enum',
      others.filter((text) => !values.includes(text)),
    );
  }
  const ofType = notOfType[typeOf(schema) ?? ''];
  const found = Object.entries({
    ...(ofType && { type: fc.constantFrom(...ofType) }),
    ...beyondBounds(schema, longestParameter),
  });
  return found.length === 0
    ? undefined
    : fc.oneof(...found.map(([keyword, values]) => withKeyword(keyword, values)));
}
