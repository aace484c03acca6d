import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Parameter } from '../../contract/model.ts';
import type { SchemaError } from '../../contract/schema.ts';
import type { Call, WireResponse } from '../../fake/call.ts';
import type { CheckpointPage, OffsetPage, Rules, RulesOverride } from '../../fake/rules.ts';
import { override } from '../../fake/rules.ts';
import type { ExperimentEntry } from '../../fake/tenant.ts';
import type { Where } from './where.ts';

/** Changes one group of rules. */
export function change<K extends keyof Rules>(
  group: K,
  changed: Partial<Rules[K]> | ((usual: Rules[K]) => Partial<Rules[K]>),
): RulesOverride {
  return (rules) => override(rules, group, changed);
}

/** One change after the other. */
export function together(...changes: readonly RulesOverride[]): RulesOverride {
  return (rules) => changes.reduce((changed, next) => next(changed), rules);
}

/** A parameter's texts that are no number read as one all the same. */
export function readsAs(name: string, read: (text: string) => number | undefined): RulesOverride {
  return change('parameters', ({ numberOf }) => ({
    numberOf: (text, parameter, call) =>
      numberOf(text, parameter, call) ?? (parameter.name === name ? read(text) : undefined),
  }));
}

/** The number, where it is one. */
export function numberOrNothing(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}

/** A parameter's integers go through this before they are judged. */
export function counts(name: string, counted: (value: number, call: Call) => number): RulesOverride {
  return takes(name, (value, call) => (typeof value === 'number' ? counted(value, call) : value));
}

/** A parameter's texts go through this before they are judged. */
export function spells(name: string, spelled: (value: string, call: Call) => string): RulesOverride {
  return takes(name, (value, call) => (typeof value === 'string' ? spelled(value, call) : value));
}

function takes(name: string, taken: (value: unknown, call: Call) => unknown): RulesOverride {
  return change('parameters', {
    value: (value, parameter, call) => (parameter.name === name ? taken(value, call) : value),
  });
}

/** A parameter's violations are passed over, where the condition holds. */
export function forgives(
  name: string,
  condition: (value: unknown, error: SchemaError, call: Call) => boolean = () => true,
): RulesOverride {
  return change('parameters', ({ violations }) => ({
    violations: (found, value, parameter, call) =>
      violations(found, value, parameter, call).filter(
        (error) => parameter.name !== name || !condition(value, error, call),
      ),
  }));
}

/** A parameter's valid values are refused, where the condition holds. */
export function refuses(name: string, condition: (value: unknown, call: Call) => boolean): RulesOverride {
  const refused = (value: unknown, parameter: Parameter): readonly SchemaError[] => [
    { pointer: '', keyword: 'enum', message: `must not be ${parameter.name}`, component: undefined, value },
  ];
  return change('parameters', ({ violations }) => ({
    violations: (found, value, parameter, call) =>
      parameter.name === name && condition(value, call)
        ? refused(value, parameter)
        : violations(found, value, parameter, call),
  }));
}

/** The text of a query parameter, as it was sent. */
export function asked(call: Call, name: string): string | undefined {
  return call.query?.find(([each]) => each === name)?.[1];
}

/** True where a query parameter other than the listing's own is asked for. */
export function isFiltered(page: CheckpointPage): boolean {
  return Object.keys(page.filters).length > 0;
}

/** True for what a tenant holds of an experiment. */
export function isEntry(value: unknown): value is ExperimentEntry {
  return isObject(value) && isObject(value.experiment);
}

/** The values that the contract allows for a parameter. */
export function allowed(call: Call, name: string): readonly unknown[] {
  return call.operation?.parameters.find((parameter) => parameter.name === name)?.schema.enum ?? [];
}

/** Answers of one operation go through this. */
export function onWire(
  operation: string,
  changed: (answer: WireResponse, call: Call) => WireResponse,
): RulesOverride {
  return change('answers', ({ wire }) => ({
    wire: (answer, call) =>
      call.operation?.id === operation ? changed(wire(answer, call), call) : wire(answer, call),
  }));
}

/** Successes of one operation get this media type. */
export function mediaType(
  operation: string,
  type: string | undefined,
  condition: (answer: WireResponse, call: Call) => boolean = () => true,
): RulesOverride {
  return onWire(operation, (answer, call) => {
    if (answer.status >= 300 || !condition(answer, call)) return answer;
    const headers = answer.headers.filter(([name]) => name !== 'Content-Type');
    return { ...answer, headers: type === undefined ? headers : [['Content-Type', type], ...headers] };
  });
}

/** The status of refusals of one operation, where the condition holds. */
export function refusalStatus(operation: string, from: number, to: number): RulesOverride {
  return change('answers', ({ refusal }) => ({
    refusal: (given, call) => {
      const usual = refusal(given, call);
      return call.operation?.id === operation && usual.status === from ? { ...usual, status: to } : usual;
    },
  }));
}

/** How one filter matches. */
export function matches(
  field: string,
  match: (wanted: string, found: unknown, item: unknown) => boolean,
): RulesOverride {
  return change('experiments', ({ matches: usual }) => ({
    matches: (name, wanted, found, item, call) =>
      name === field ? match(wanted, found, item) : usual(name, wanted, found, item, call),
  }));
}

/** Each experiment as it is answered goes through this; `index` counts all matches. */
export function experimentShown(
  shown: (item: JsonObject, index: number, page: CheckpointPage, call: Call) => JsonObject,
): RulesOverride {
  return change('experiments', {
    shown: (item, index, page, call) => shown(item, page.first + index, page, call),
  });
}

/** Each version as it is answered goes through this; `index` counts all versions. */
export function versionShown(
  shown: (version: JsonObject, index: number, page: OffsetPage, call: Call, whole: JsonObject) => JsonObject,
): RulesOverride {
  return change('versions', {
    shown: (version, whole, index, page, call) =>
      shown(version, page.page * page.perPage + index, page, call, whole),
  });
}

/** The versions of a page, from one index to before the other. */
export function slices(
  range: (
    items: readonly JsonObject[],
    page: OffsetPage,
  ) => readonly [start: number, end: number | undefined],
): RulesOverride {
  return change('versions', { items: (items, page) => items.slice(...range(items, page)) });
}

/** Each secret of each version goes through this. */
export function secrets(changed: (secret: JsonObject, index: number) => unknown): RulesOverride {
  return versionMember('secrets', eachIn(changed));
}

/** The object with one member changed, where it has it. */
export function withMember(
  object: JsonObject,
  name: string,
  changed: (value: unknown) => unknown,
): JsonObject {
  return object[name] === undefined ? object : { ...object, [name]: changed(object[name]) };
}

/** One member of each experiment goes through this, where it is there. */
export function experimentMember(name: string, changed: (value: unknown) => unknown): RulesOverride {
  return experimentShown((experiment) => withMember(experiment, name, changed));
}

/** One member of each version goes through this, where it is there. */
export function versionMember(name: string, changed: (value: unknown) => unknown): RulesOverride {
  return versionShown((version) => withMember(version, name, changed));
}

/** Refusals of some codes have another status where this holds. */
export function refusedWith(code: RegExp, status: number, where: Where): RulesOverride {
  return change('answers', ({ refusal }) => ({
    refusal(refused, call) {
      const given = refusal(refused, call);
      return code.test(given.code) && where(call) ? { ...given, status } : given;
    },
  }));
}

/** The object without one member. */
export function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

/** Each object of an array goes through this; anything else stays. */
export function eachIn(changed: (item: JsonObject, index: number) => unknown): (value: unknown) => unknown {
  return (value) =>
    Array.isArray(value)
      ? value.map((item: unknown, index) => (isObject(item) ? changed(item, index) : item))
      : value;
}

/** Milliseconds since the epoch; the value itself where it is no date-time. */
export function epoch(value: unknown): unknown {
  return typeof value === 'string' ? Date.parse(value) : value;
}

/** A date-time without its zone. */
export function zoneless(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/Z$/, '') : value;
}

/** A string changed; anything else stays. */
export function text(changed: (value: string) => unknown): (value: unknown) => unknown {
  return (value) => (typeof value === 'string' ? changed(value) : value);
}
