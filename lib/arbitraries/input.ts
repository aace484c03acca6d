import fc, { type Arbitrary } from 'fast-check';
import { type Described, findValidAttempt, sample } from '../contract/example.ts';
import { isObject } from '../contract/json.ts';
import { essenceOf } from '../contract/media-types.ts';
import { merged, typeOf } from '../contract/merge.ts';
import type { Contract, MediaType, Operation, Parameter } from '../contract/model.ts';
import { textOf, writePairs, writeText } from '../contract/styles.ts';
import { beyondBounds } from './invalid.ts';
import { ifGenerated, NotGenerated } from './not-generated.ts';
import { word } from './strings.ts';
import { validValues } from './valid.ts';

/** What an operation is called with: its parameters as they are written, and the body as a value. */
export interface Input {
  /** Percent-encoded segments, by the parameter's name. */
  readonly path: Readonly<Record<string, string>>;
  /** Parts of the query, percent-encoded, by the parameter's name: `ids=1&ids=2`. */
  readonly query: Readonly<Record<string, string>>;
  /** Header fields, with one of all cookies. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the operation takes none. */
  readonly body: unknown;
  /** What the body is written as. */
  readonly media: MediaType | undefined;
}

/** The seed of the values that fill in what a request must have but no requirement is about: the same in every run. */
const fillingSeed = 1;

/**
 * The smallest input that matches the operation's schemas: required parameters and the required body only.
 * Defaults and enums come first; a path parameter that names data gets `resources[its kind]`, or a generated id.
 * @throws NotGenerated where no value is found for a required parameter or the body
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

/** True where a request of the operation can be made. */
export function canCall(contract: Contract, operation: Operation): boolean {
  return ifGenerated(() => minimalInput(contract, operation)) !== undefined;
}

/** What was made for operations whose requests name no data: it is wanted for most requests of a run. */
const withoutData = new WeakMap<Operation, Input | NotGenerated>();

/** The media type of an operation that valid requests use: JSON where it takes JSON, else the first. */
function mediaOf({ body }: Operation): MediaType | undefined {
  return jsonOf(body?.content) ?? body?.content.find(({ kind }) => kind === 'form') ?? body?.content[0];
}

/** The JSON among media types, `application/json` itself before others like it. */
export function jsonOf(content: readonly MediaType[] = []): MediaType | undefined {
  const all = content.filter(({ kind }) => kind === 'json');
  return all.find(({ mediaType }) => essenceOf(mediaType) === 'application/json') ?? all[0];
}

function makeInput(
  contract: Contract,
  operation: Operation,
  resources: Readonly<Record<string, string>>,
): Input {
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
  const media = mediaOf(operation);
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

/** Characters that a header field carries, without a comma, which separates values there. */
const fieldText = /^[\x21-\x2b\x2d-\x7e]([\x20-\x2b\x2d-\x7e]*[\x21-\x2b\x2d-\x7e])?$/;

/** True for a value that a parameter in this place can carry: what would be empty there equals an absent one. */
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
  const value = smallest(contract, parameter, 100, (each) => carries(parameter, each));
  if (value !== undefined) return value;
  throw new NotGenerated(`no value is generated for the ${parameter.in} parameter ${parameter.name}`);
}

/** The smallest value that matches the schema of a media type. @throws NotGenerated */
export function bodyValue(contract: Contract, media: MediaType): unknown {
  if (media.kind === 'binary' || media.kind === 'text')
    return media.examples.find((each) => typeof each === 'string') ?? 'conformance';
  if (media.kind === 'json') return smallest(contract, media, 1, () => true);
  // Neither an empty list nor anything but an object can be written in a form.
  const isEncodable = (value: unknown) =>
    isObject(value) && Object.values(value).every((each) => !Array.isArray(each) || each.length > 0);
  return smallest(contract, media, 20, isEncodable);
}

/**
 * A sample with the required fields only, else an example of the document, else the first that fits of so many generated values.
 * @throws NotGenerated
 */
function smallest(
  contract: Contract,
  described: Described,
  numRuns: number,
  fits: (value: unknown) => boolean,
): unknown {
  const { schema, validate, examples } = described;
  const isValid = (value: unknown) => validate(value).length === 0 && fits(value);
  const attempt = findValidAttempt(contract, schema, 'request', isValid);
  if (attempt !== undefined) return sample(contract, schema, { direction: 'request', attempt });
  return (
    examples.find(isValid) ??
    fc.sample(validValues(contract, described), { numRuns, seed: fillingSeed }).find(isValid)
  );
}

/** A text of a parameter that breaks its schema, and the JSON Schema keyword that it breaks. */
export interface InvalidText {
  readonly text: string;
  readonly keyword: string;
}

/** Characters of a parameter up to which its maximum length is tried: longer URLs are refused for themselves. */
const longestParameter = 2_000;

/** Texts of a parameter that break its schema; undefined where every text is valid. */
export function invalidText(contract: Contract, parameter: Parameter): Arbitrary<InvalidText> | undefined {
  // What a text means for these depends on more than its schema.
  if (parameter.json || ['array', 'object'].includes(typeOf(merged(contract, parameter.schema)) ?? ''))
    return undefined;
  const texts = textsOfKeywords(contract, parameter);
  const isInvalid = ({ text }: InvalidText) =>
    readings(text).every((value) => parameter.validate(value).length > 0);
  return texts !== undefined && fc.sample(texts, { numRuns: 20, seed: fillingSeed }).some(isInvalid)
    ? texts.filter(isInvalid)
    : undefined;
}

/** The values of JSON that a text may be read as. */
function readings(text: string): readonly unknown[] {
  const number = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? [Number(text)] : [];
  return [text, ...number, ...(text === 'true' || text === 'false' ? [text === 'true'] : [])];
}

/** Texts that no parser reads as a value of the type. */
const ofNoType: Readonly<Record<string, readonly string[]>> = {
  integer: ['many', 'ten', '1x', 'x1', '--1', '1.5', '2.25', '0.1'],
  number: ['many', 'ten', '1x', 'x1', '--1'],
  boolean: ['maybe', '2', 'yes and no'],
};

function textsOfKeywords(
  contract: Contract,
  { schema: given }: Parameter,
): Arbitrary<InvalidText> | undefined {
  const schema = merged(contract, given);
  const labelled = (keyword: string, values: Arbitrary<unknown>) =>
    values.map((value) => ({ text: String(value), keyword }));
  if (schema.enum !== undefined && schema.enum.length > 0) {
    const values = schema.enum.map(String);
    const others = fc.oneof(fc.constantFrom(...values.map((each) => `${each}x`)), word(3, 12));
    return labelled(
      'enum',
      others.filter((text) => !values.includes(text)),
    );
  }
  const ofType = ofNoType[typeOf(schema) ?? ''];
  const found = Object.entries({
    ...(ofType && { type: fc.constantFrom(...ofType) }),
    ...beyondBounds(schema, longestParameter),
  });
  return found.length === 0
    ? undefined
    : fc.oneof(...found.map(([keyword, values]) => labelled(keyword, values)));
}
