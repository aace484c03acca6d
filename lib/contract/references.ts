import { isObject, type JsonObject } from './json.ts';
import type { Schema } from './schema.ts';
import { percentDecode } from './styles.ts';
import { partsOf } from './upgrade.ts';

/** The target of a reference. */
export interface Followed {
  readonly value: JsonObject;
  /** JSON Pointer of the target; undefined if there was no reference. */
  readonly pointer: string | undefined;
}

/** Length from which a chain of references is considered circular. */
const longestChain = 20;

/** Siblings of `$ref` that do not constrain the value. */
const describing =
  /^(\$ref|\$comment|title|description|summary|deprecated|readOnly|writeOnly|default|examples?|x-.*)$/;

/** Resolves the references of a document: JSON Pointers, `$anchor`, `$id`, and `$dynamicRef` to the first anchor of its name. */
export class References {
  readonly #document: object;
  #named: ReadonlyMap<string, JsonObject> | undefined;

  constructor(document: object) {
    this.#document = document;
  }

  /** @throws Error for a dangling or circular reference */
  follow(value: unknown): Followed {
    let pointer: string | undefined;
    let current = isObject(value) ? value : {};
    for (let hops = 0; typeof current.$ref === 'string'; hops += 1) {
      if (hops > longestChain) throw new Error(`$ref ${current.$ref} is circular`);
      pointer = percentDecode(current.$ref.slice(1));
      current = this.#find(current.$ref);
    }
    return { value: current, pointer };
  }

  /** The schema that this one refers to, combined by `allOf` with siblings that constrain the value. */
  schema(schema: Schema | boolean): Schema {
    if (typeof schema === 'boolean') return {};
    const target = schema.$ref ?? Reflect.get(schema, '$dynamicRef');
    if (typeof target !== 'string') return schema;
    const members = Object.entries(schema);
    const found = this.follow({ $ref: target }).value;
    if (members.length === 1) return found;
    const { $ref: _ref, ...own } = schema;
    return members.every(([name]) => describing.test(name))
      ? { ...found, ...own }
      : { ...own, allOf: [...(own.allOf ?? []), { $ref: target }] };
  }

  #find(ref: string): JsonObject {
    const found = ref.startsWith('#/') || ref === '#' ? this.#at(ref) : this.#byName(ref);
    if (found === undefined) throw new Error(`$ref ${ref} has no target`);
    return isObject(found) ? found : {};
  }

  #at(ref: string): unknown {
    let current: unknown = this.#document;
    for (const part of ref.split('/').slice(1)) {
      const name = percentDecode(part).replaceAll('~1', '/').replaceAll('~0', '~');
      const isThere = typeof current === 'object' && current !== null && Object.hasOwn(current, name);
      if (!isThere) return undefined;
      current = Reflect.get(Object(current), name);
    }
    return current;
  }

  #byName(ref: string): JsonObject | undefined {
    this.#named ??= named(this.#document);
    return this.#named.get(ref);
  }
}

/** The parts of a document that have an `$id` or an anchor, by its text. */
function named(document: object): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const { part } of partsOf(document)) {
    const names = [part.$id, ...[part.$anchor, part.$dynamicAnchor].map((name) => name && `#${name}`)];
    for (const name of names) if (typeof name === 'string' && !found.has(name)) found.set(name, part);
  }
  return found;
}
