import fc from 'fast-check';
import { NotGenerated, validValues } from '../arbitraries/valid.ts';
import { merged, typeOf } from '../contract/merge.ts';
import type { Contract, MediaType } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';

/** Schemas may hold themselves; deeper than this, optional parts are left out. */
const deepest = 6;

/**
 * A value that holds against the schema of a media type: an example of the document where one holds, else a readable sample, else
 * a generated value; the sample where nothing is found that holds.
 */
export function example(contract: Contract, media: MediaType): unknown {
  const holds = (value: unknown) => media.validate(value).length === 0;
  const given = media.examples.find(holds);
  if (given !== undefined) return given;
  const made = sample(media.schema, contract);
  if (holds(made)) return made;
  try {
    return fc.sample(validValues(contract, media, 'response'), { numRuns: 1, seed: 1 })[0];
  } catch (error) {
    if (error instanceof NotGenerated) return made;
    throw error;
  }
}

/**
 * A value after a schema, always the same for the same `index`; strings tell items apart by it. It is readable, but patterns and
 * the rarer keywords are not looked at.
 */
export function sample(
  unresolved: Schema,
  contract: Contract,
  index = 0,
  name = 'value',
  depth = 0,
): unknown {
  const schema = merged(contract, unresolved);
  const inner = (part: Schema, called = name): unknown => sample(part, contract, index, called, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[index % schema.enum.length];
  const { oneOf, anyOf, ...rest } = schema;
  const [alternative] = oneOf ?? anyOf ?? [];
  if (alternative && depth < 2 * deepest) return inner({ allOf: [rest, alternative] });

  const type = typeOf(schema);
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).filter(
      ([field, part]) =>
        typeof part === 'object' &&
        contract.resolve(part).writeOnly !== true &&
        (depth < deepest || (schema.required?.includes(field) && depth < 2 * deepest)),
    );
    return Object.fromEntries(fields.map(([field, part]) => [field, inner(part, field)]));
  }
  if (type === 'array') {
    const length = Math.max(schema.minItems ?? 0, depth < deepest && schema.maxItems !== 0 ? 1 : 0);
    return Array.from({ length }, (_, at) =>
      sample(schema.prefixItems?.[at] ?? schema.items ?? {}, contract, index + at, name, depth + 1),
    );
  }
  if (type === 'boolean') return index % 2 === 0;
  if (type === 'integer' || type === 'number') return number(schema, index);
  if (type === 'null') return null;
  return type === 'string' ? text(schema, index, name) : {};
}

function number(schema: Schema, index: number): number {
  const step = schema.multipleOf ?? 1;
  const lowest =
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + step);
  const highest = schema.maximum ?? (schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) - step;
  const first = Math.ceil(Math.min(lowest, highest) / step) * step;
  return Math.min(first + index * step, Math.max(first, Math.floor(highest / step) * step));
}

const formats: Readonly<Record<string, (index: number) => string>> = {
  'date-time': (index) => new Date(Date.UTC(2024, 0, 1) + index * 60_000).toISOString(),
  date: (index) => new Date(Date.UTC(2024, 0, 1) + index * 86_400_000).toISOString().slice(0, 10),
  time: () => '12:00:00Z',
  email: (index) => `user${index}@example.com`,
  uri: (index) => `https://example.com/${index}`,
  'uri-reference': (index) => `/${index}`,
  url: (index) => `https://example.com/${index}`,
  uuid: (index) => `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  hostname: (index) => `host${index}.example.com`,
};

function text(schema: Schema, index: number, name: string): string {
  const formatted = schema.format === undefined ? undefined : formats[schema.format]?.(index);
  if (formatted !== undefined) return formatted;
  return `${name}_${index}`.padEnd(schema.minLength ?? 0, '_').slice(-(schema.maxLength ?? Infinity));
}
