import { isObject, type JsonObject } from './json.ts';
import { isAnnotation, type Schema } from './schema.ts';
import { percentDecode } from './styles.ts';
import { partsOf } from './upgrade.ts';

/** Length from which a chain of references is considered circular. */
const longestChain = 20;

/** Resolves the references of a document, which are JSON Pointers. */
export class References {
  readonly #document: object;

  /** @throws Error with the place of a dangling or circular reference */
  constructor(document: object) {
    this.#document = document;
    for (const { part, pointer } of partsOf(document)) {
      try {
        this.follow(part);
      } catch (error) {
        throw new Error(`${pointer}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** The object itself, or the target of its reference; an empty object for any other value. */
  follow(value: unknown): JsonObject {
    let current = value;
    for (let hops = 0; isObject(current) && typeof current.$ref === 'string'; hops += 1) {
      if (hops > longestChain) throw new Error(`$ref ${current.$ref} is circular`);
      current = this.#find(current.$ref);
    }
    return isObject(current) ? current : {};
  }

  /** The schema that this one refers to, combined by `allOf` with siblings that constrain the value. */
  schema(schema: Schema | boolean): Schema {
    if (typeof schema === 'boolean') return {};
    if (typeof schema.$ref !== 'string') return schema;
    const members = Object.keys(schema);
    const found = this.follow(schema);
    if (members.length === 1) return found;
    const { $ref, ...own } = schema;
    return members.every((name) => name === '$ref' || isAnnotation(name))
      ? { ...found, ...own }
      : { ...own, allOf: [...(own.allOf ?? []), { $ref }] };
  }

  #find(ref: string): unknown {
    let current: unknown = this.#document;
    for (const part of ref.split('/').slice(1)) {
      const name = (percentDecode(part) ?? part).replaceAll('~1', '/').replaceAll('~0', '~');
      const isThere = typeof current === 'object' && current !== null && Object.hasOwn(current, name);
      current = isThere ? Reflect.get(Object(current), name) : undefined;
    }
    if (current === undefined || !ref.startsWith('#')) throw new Error(`$ref ${ref} has no target`);
    return current;
  }
}
