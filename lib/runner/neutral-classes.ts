import { hasTextInTarget } from '../arbitraries/dimensions.ts';
import { neutralTexts } from '../arbitraries/text.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Operation } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import { hash } from './hash.ts';

/** Joins the names of classes that are combined in one request. */
export const joint = ' + ';

/** The class of claims that make a token long. */
export const longClaims = 'over 1.5 kB';

/** Claims that do not change what a token permits (RFC 7519, section 4), made from the usual ones. The key makes them unique. */
export const claimVariations: Readonly<Record<string, (usual: JsonObject, key: string) => JsonObject>> = {
  usual: () => ({}),
  nbf: ({ iat }) => ({ nbf: Number(iat) - 3600 }),
  'audience list': ({ aud }) => ({ aud: [aud].flat() }),
  'far expiry': ({ iat }) => ({ exp: Number(iat) + 7 * 24 * 3600 }),
  // Does not change claims that identify the caller: a target may bind checkpoints to them.
  further: (usual, key) => ({
    // Tokens with other claims have another ID (RFC 7519, section 4.1.7).
    jti: `t-${hash(`${key} ${JSON.stringify(usual)}`)}`,
    name: 'Zoë 😀',
    roles: ['admin'],
    gty: 'client-credentials',
  }),
  [longClaims]: () => ({ note: 'n'.repeat(1_500) }),
};

/** Correlation IDs by class. The key makes them unique, within the characters that the logs keep. */
export const correlationIds: Readonly<Record<string, (key: string) => string>> = {
  'over 500': (key) => `varied-${key}-`.padEnd(600, 'x'),
  'UUID in upper case': (key) =>
    `${Number(key).toString(16).padStart(8, '0')}-0AF3-4C1D-9B2E-C0FFEE5ABCDE`.toUpperCase(),
};

/**
 * Dimensions of a request whose classes do not change its meaning, each with its plain class first. `doubtful` classes are used if
 * the target accepts them in a plain request: the specification does not say that it does, or one requirement judges that. Those that
 * are also among `classes` are used unless they are refused.
 */
export interface Neutral {
  readonly classes: Readonly<Record<string, readonly string[]>>;
  readonly doubtful: Readonly<Record<string, readonly string[]>>;
}

/** The dimensions of requests to the operation. */
export function neutralOf(operation: Operation): Neutral {
  const { body, correlation } = operation;
  const hasForm = (body?.content ?? []).slice(1).some(({ kind }) => kind === 'form');
  const hasJson = body?.content.some(({ kind }) => kind === 'json') === true;
  const queries = Object.entries(furtherQuery(operation));
  const queryClasses = (of: (values: QueryValues) => readonly string[]) =>
    Object.fromEntries(queries.map(([name, values]) => [`query ${name}`, of(values)]));
  const hasFree = freeMembers(operation).size > 0;
  return {
    classes: {
      order: ['as declared', 'other'],
      headers: ['usual'],
      claims: ['usual'],
      scopes: ['one'],
      ...(correlation && { 'correlation ID': ['absent', ...Object.keys(correlationIds)] }),
      ...queryClasses(({ usual }) => ['absent', ...usual]),
      ...(hasTextInTarget(operation) && { 'percent-encoding': ['upper case', 'lower case'] }),
      ...(body && { 'body size': ['as it is', 'over 16 kB'], framing: ['Content-Length'] }),
      ...(body && { charset: ['none'], 'media type': ['usual'] }),
      ...(hasJson && { 'JSON notation': ['compact', 'escaped'] }),
      ...(hasForm && { 'form encoding': ['blank as +', 'blank as %20'] }),
      ...(hasFree && { text: ['plain', ...Object.keys(neutralTexts.accepted)] }),
    },
    doubtful: {
      ...(correlation && { 'correlation ID': Object.keys(correlationIds) }),
      ...(body && { 'body size': ['over 16 kB'], framing: ['chunked'], charset: ['charset'] }),
      ...(hasForm && { 'media type': ['form'] }),
      ...(hasFree && { text: Object.keys(neutralTexts.doubtful) }),
      ...queryClasses(({ unusual }) => unusual),
    },
  };
}

/** Members of the body that accept any text and have a default, which another text may replace. */
export function freeMembers({ body }: Operation): ReadonlySet<string> {
  const members = Object.entries(body?.content[0]?.schema.properties ?? {});
  const isFree = ({ type, enum: values, pattern, format, maxLength, ...schema }: Schema) =>
    type === 'string' && schema.default !== undefined && !values && !pattern && !format && !maxLength;
  return new Set(members.filter(([, schema]) => isFree(schema)).map(([name]) => name));
}

/** Valid values of a query parameter. The specification does not say that a server accepts the unusual ones. */
interface QueryValues {
  readonly usual: readonly string[];
  readonly unusual: readonly string[];
}

/** A text with wildcards, reserved characters and other scripts, longer than many database columns. */
const unusualValue = '%_* .? &=+#/;: it\'s "Grüße" 😀 '.padEnd(80, 'x');

/** Unusual values of query parameters. A row's key makes them unique, so that no cache knows the URL. */
export const unusualValues = {
  'upper case': unusualValue,
  /** Its request is percent-encoded in lower case. */
  'lower case': `${unusualValue}y`,
} as const;

/** The longest key of a row. */
const longestKey = '4294967295';

/** Values of each optional query parameter except the checkpoint. */
function furtherQuery({ parameters, pagination }: Operation): Readonly<Record<string, QueryValues>> {
  const from = pagination?.kind === 'checkpoint' ? pagination.from : undefined;
  return Object.fromEntries(
    parameters.flatMap(
      ({ name, in: place, required, schema, validate, examples }): [string, QueryValues][] => {
        const isInteger = schema.type === 'integer';
        if (place !== 'query' || required || name === from || !(isInteger || schema.type === 'string'))
          return [];
        // A page size of 0 is not valid, even if the schema allows it.
        const least = name === pagination?.size.parameter.name ? 1 : 0;
        const { minimum = least, maximum = minimum + 3 } = schema;
        const [text] = [...examples, ...(schema.enum ?? []), 'conformance'];
        const values = isInteger ? [minimum, minimum + 1, maximum] : [text];
        const isValid = (each: unknown) => validate(each).length === 0;
        const unusual = Object.values(unusualValues).filter((each) => isValid(each + longestKey));
        const usual = values.filter(isValid).map(String);
        return [[name, { usual, unusual: isInteger ? [] : unusual }]];
      },
    ),
  );
}
