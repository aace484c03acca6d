/** The keywords of JSON Schema (2020-12) that the suite reads. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly prefixItems?: readonly Schema[];
  readonly minProperties?: number;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly example?: unknown;
  readonly examples?: unknown;
  readonly discriminator?: {
    readonly propertyName?: string;
    readonly mapping?: Readonly<Record<string, string>>;
  };
}

/** True for a keyword that describes values without restricting them (JSON Schema 2020-12, `example` of OpenAPI, extensions). */
export function isAnnotation(keyword: string): boolean {
  return /^(\$comment|title|description|summary|default|examples?|deprecated|readOnly|writeOnly|externalDocs|x-.*)$/.test(
    keyword,
  );
}

/** The direction of a value: requests have no `readOnly` fields, responses no `writeOnly` ones. */
export type Direction = 'request' | 'response';

/** One way in which a value violates its schema. */
export interface SchemaError {
  /** JSON Pointer (RFC 6901) to the place in the value; empty for the whole value. */
  readonly pointer: string;
  /** The violated keyword, for example `maximum`. */
  readonly keyword: string;
  /** What the keyword requires, in words. */
  readonly message: string;
  /** The component schema that contains the keyword, `Experiment` of `#/components/schemas/Experiment`, if any. */
  readonly component: string | undefined;
  /** The value at the place. */
  readonly value: unknown;
}

/** Validates a value against a schema. Returns all violations, none for a valid value. */
export interface Validate {
  (value: unknown): readonly SchemaError[];
  /** Why the schema cannot be used. Every value is then valid. */
  readonly problem?: string | undefined;
}
