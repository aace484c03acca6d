import { canCall, type Input, minimalInput } from '../arbitraries/input.ts';
import { pairwiseRows, type Row, widestOf } from '../arbitraries/pairwise.ts';
import { neutralTexts } from '../arbitraries/text.ts';
import { encodeBody } from '../client/encode.ts';
import type { Authorization, Body, Request } from '../client/exchange.ts';
import { isObject } from '../contract/json.ts';
import { bodyKindOf, formType } from '../contract/media-types.ts';
import { type Operation, type Scope, safeMethods } from '../contract/model.ts';
import { bodyOf, type Call, pageQuery, targetOf } from './call.ts';
import type { LaneLock } from './lanes.ts';
import {
  type Claims,
  claimVariations,
  correlationIds,
  freeMembers,
  type Neutral,
  neutralOf,
  unusualValues,
} from './neutral-classes.ts';
import { settleAll } from './settle-all.ts';
import type { Target } from './target.ts';

/** Further scopes of a token with many. Its header field stays under the limits of common servers and proxies (8 KB). */
const furtherScopes = 30;

/** Length of the Authorization field above which a request gets no correlation ID. */
const largeAuthorization = 6_000;

const furtherHeaders = [
  ['x-request-id', 'conformance'],
  ['accept-language', 'de, en;q=0.5'],
  ['cache-control', 'no-cache'],
] as const;

/** Bytes to which a JSON object is padded with white space (RFC 8259, section 2). */
const paddedBytes = 17_000;

/** Dimensions whose classes can be combined in one request, each with its classes that need no probe. `joint` joins names. */
const combined: Readonly<Record<string, readonly string[]>> = {
  claims: [],
  text: Object.keys(neutralTexts.accepted),
};
const joint = ' + ';

/** Covering arrays of an operation; each requirement uses one of them. */
const arraysPerOperation = 16;

/**
 * Varies requests without changing their meaning, so that each requirement also detects defects that show only under a
 * variation: further claims and scopes of the token, headers, order, size, framing and texts of the body. The requests of a
 * requirement use the rows of a covering array in turn: a few requests cover every class, and many cover every pair.
 */
export class NeutralVariations {
  readonly #target: Target;
  readonly #probed = new Set<Operation>();
  readonly #accepted = new Map<string, readonly string[]>();
  readonly #rows = new Map<string, readonly Row[]>();
  readonly #leftOut: Record<string, Record<string, string>> = {};

  constructor(target: Target) {
    this.#target = target;
  }

  /**
   * Finds out which doubtful classes the target accepts, once for each operation and with separate requests: classes of a token
   * by one operation that reads, the others by each of these operations that may be sent.
   */
  async probe(operations: readonly Operation[], lock: LaneLock): Promise<void> {
    const unknown = [...new Set(operations)].filter((each) => !this.#probed.has(each));
    if (unknown.length === 0) return;
    for (const each of unknown) this.#probed.add(each);
    await lock.run({ lane: 'exclusive' }, () => this.#probeAll(unknown));
  }

  async #probeAll(operations: readonly Operation[]): Promise<void> {
    const { contract, tokens, capabilities } = this.#target;
    if (tokens.minter !== undefined && !this.#accepted.has('claims')) {
      const readOperation = [...operations, ...contract.operations].find(
        ({ method, path, authenticated, parameters }) =>
          safeMethods.has(method) &&
          authenticated &&
          !path.includes('{') &&
          !parameters.some((each) => each.required),
      );
      const tokenClasses = { claims: Object.keys(claimVariations), scopes: ['one', 'many'] };
      if (readOperation !== undefined) await this.#probe(readOperation, tokenClasses, '');
    }
    if (!capabilities.has('token')) return;
    const withoutIds = operations.filter(({ path }) => !path.includes('{'));
    await settleAll(withoutIds, (each) => this.#probe(each, neutralOf(each).doubtful, `${each.id} `));
  }

  async #probe(operation: Operation, classes: Neutral['doubtful'], key: string): Promise<void> {
    const { contract, capabilities } = this.#target;
    if (!safeMethods.has(operation.method) && !capabilities.has('write')) return;
    if (
      Object.values(classes).flat().length === 0 ||
      !canCall(contract, operation) ||
      !(await this.#isAccepted(operation, {}))
    )
      return;
    const hasForm =
      classes['media type']?.includes('form') === true &&
      (await this.#isAccepted(operation, { 'media type': 'form' }));
    for (const [dimension, names] of Object.entries(classes)) {
      const accepted = await this.#acceptedOf(operation, dimension, names, hasForm);
      this.#accepted.set(key + dimension, accepted);
      const group = key === '' ? 'token' : operation.id;
      for (const name of names)
        if (!accepted.some((each) => each.split(joint).includes(name)))
          this.#leftOut[group] = {
            ...this.#leftOut[group],
            [`${dimension}: ${name}`]: 'the target refuses a plain request with it',
          };
    }
  }

  /** The classes that the target accepts, as one class if they can be combined, so that few requests cover every class. */
  async #acceptedOf(
    operation: Operation,
    dimension: string,
    names: readonly string[],
    hasForm: boolean,
  ): Promise<readonly string[]> {
    const accepts = async (name: string) =>
      (await this.#isAccepted(operation, { [dimension]: name })) &&
      // A class may be accepted in JSON but refused in a form.
      (!hasForm || (await this.#isAccepted(operation, { [dimension]: name, 'media type': 'form' })));
    const others = combined[dimension];
    const all = [...(others ?? []), ...names].join(joint);
    if (others !== undefined && (await accepts(all))) return [all];
    const accepted: string[] = [];
    for (const name of names) if (await accepts(name)) accepted.push(name);
    const rest = [...(others ?? []), ...accepted].join(joint);
    return others !== undefined && rest !== all && (await accepts(rest)) ? [rest] : accepted;
  }

  async #isAccepted(operation: Operation, row: Row): Promise<boolean> {
    const { contract, tokens } = this.#target;
    const claims = tokens.minter?.claims(this.scopes(operation.scopes, row));
    const authorization = await (claims && tokens.minter
      ? tokens.minter.sign(this.claims(claims, row))
      : tokens.permitting(operation.scopes));
    const input = minimalInput(contract, operation);
    const options = { authorization, isRefused: true };
    const request = this.request(operation, input, {}, row, options);
    const { status = 0 } = (await this.#target.call(request)).response ?? {};
    return status >= 200 && status < 300;
  }

  /** By operation id, or `token`, the classes that are not used, with the reason. */
  get leftOut(): Readonly<Record<string, Readonly<Record<string, string>>>> {
    return this.#leftOut;
  }

  /** The row for a request of a requirement: `seed` chooses the covering array, `index` its row. */
  row(operation: Operation, seed: number, index: number): Row {
    const key = `${operation.id} ${seed % arraysPerOperation}`;
    const rows = this.#rows.get(key) ?? this.#rowsOf(this.#classes(operation), seed % arraysPerOperation);
    this.#rows.set(key, rows);
    return rows[index % rows.length] ?? {};
  }

  /** Number of rows in a group: a request that is sent with each row of a group covers every class. */
  rowsOfGroup(operation: Operation): number {
    return widestOf(this.#classes(operation));
  }

  /** Caches the rows by their classes, because many operations of a large contract have equal ones. */
  #rowsOf(classes: Neutral['classes'], seed: number): readonly Row[] {
    const key = `${JSON.stringify(classes)} ${seed}`;
    const rows = this.#rows.get(key) ?? pairwiseRows(classes, seed);
    this.#rows.set(key, rows);
    return rows;
  }

  #classes(operation: Operation): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      Object.entries(neutralOf(operation).classes).map(([name, classes]) => {
        const accepted = this.#accepted.get(`${operation.id} ${name}`) ?? this.#accepted.get(name) ?? [];
        const isCombined = accepted.some((each) => each.includes(joint));
        return [name, [...new Set([...(isCombined ? classes.slice(0, 1) : classes), ...accepted])]];
      }),
    );
  }

  /** The usual claims with the row's variations. */
  claims(usual: Claims, { claims = 'usual', key = '0' }: Row): Claims {
    const changes = claims.split(joint).map((name) => claimVariations[name]?.(usual, key));
    const varied = Object.assign({}, ...changes);
    // The first spread only sets the order: servers may not expect further claims before the usual ones.
    return { ...varied, ...usual, ...varied };
  }

  /** The needed scopes, with others of the catalogue if the row says so. No scopes stay none. */
  scopes(needed: readonly Scope[], { scopes = 'one' }: Row): readonly Scope[] {
    if (scopes === 'one' || needed.length === 0) return needed;
    const names = new Set(needed.map(({ name }) => name));
    const others = this.#target.contract.scopes.filter(({ name }) => !names.has(name));
    // Spread over the whole catalogue, so that they name many resources.
    const step = Math.max(1, Math.floor(others.length / furtherScopes));
    return [...others.filter((_, index) => index % step === 0).slice(0, furtherScopes), ...needed];
  }

  /** The varied request of a call. @param options.isRefused true if other valid query parameters may be added */
  request(
    operation: Operation,
    input: Input,
    call: Call,
    row: Row,
    options: { authorization: Authorization | undefined; isRefused?: boolean | undefined },
  ): Request {
    const { authorization } = options;
    const varied = this.#vary(operation, input, call, row, options);
    const body = frame(bodyOf(operation, input, varied), row, call.body !== undefined);
    const target = targetOf(operation, input, varied);
    const isLower =
      row['percent-encoding'] === 'lower case' || Object.values(row).includes(unusualValues['lower case']);
    return {
      operation,
      method: operation.method,
      // Upper and lower case are equivalent (RFC 3986, section 2.1).
      target: isLower ? target.replace(/%[\dA-F]{2}/g, (octet) => octet.toLowerCase()) : target,
      headers: [...Object.entries(input.headers), ...(varied.headers ?? [])],
      ...(authorization && { authorization }),
      ...(body && { body }),
    };
  }

  /**
   * The call with its members in another order, free texts replaced, further headers, and a correlation ID (section 5) that
   * the row's key makes unique.
   */
  #vary(
    operation: Operation,
    input: Input,
    call: Call,
    row: Row,
    { authorization, isRefused }: Parameters<NeutralVariations['request']>[4],
  ): Call {
    const { headers = [], body } = call;
    const isPlain = body === undefined && call.json === undefined && call.form === undefined;
    const isForm = isPlain ? row['media type'] === 'form' : call.json === undefined;
    const texts: Readonly<Record<string, string>> = { ...neutralTexts.accepted, ...neutralTexts.doubtful };
    const chosen = (row.text ?? '').split(joint).flatMap((name) => texts[name] ?? []);
    const text = chosen.length === 0 ? undefined : chosen.join(' ');
    const free = freeMembers(operation);
    const isFree = (name: string, value: unknown) =>
      free.has(name) && (value === Object(input.body)[name] || neutralTexts.replaceable.has(String(value)));
    const members = <T>(all: Readonly<Record<string, T>>): Readonly<Record<string, T | string>> => {
      const entries = Object.entries(all).map(([name, value]): [string, T | string] => [
        name,
        text !== undefined && typeof value === 'string' && isFree(name, value) ? text : value,
      ]);
      // Another contract may not allow a text of this length.
      const isAllowed = input.media?.validate(Object.fromEntries(entries)).length === 0;
      const changed = (isPlain || isRefused) && isAllowed ? entries : Object.entries(all);
      return Object.fromEntries(row.order === 'other' ? changed.toReversed() : changed);
    };
    const isJson = input.media?.mediaType === 'application/json';
    const content: unknown = isPlain ? isJson && input.body : (call.json ?? call.form);
    const form = isForm ? operation.body?.content.find(({ kind }) => kind === 'form') : undefined;
    /** The body of these members. If the call sets no body and the schema does not allow the varied members, they stay plain. */
    const variedCall = (varied: object, plain: object): Call => {
      const media = form ?? input.media;
      const value = isPlain && media !== undefined && media.validate(varied).length > 0 ? plain : varied;
      if (!isForm) return { json: value };
      return isPlain && form !== undefined
        ? { body: encodeBody(form, value) }
        : { form: Object.fromEntries(Object.entries(value)) };
    };
    const { query } = call;
    const field = operation.correlation?.header.toLowerCase();
    const hasId = headers.some(([name]) => name.toLowerCase() === field);
    const id = correlationIds[row['correlation ID'] ?? '']?.(row.key ?? '0');
    const isLarge = (authorization?.value.length ?? 0) > largeAuthorization;
    return {
      ...call,
      ...(isObject(content) && variedCall(members(content), content)),
      ...(typeof query !== 'string' && {
        // A checkpoint belongs to the filters and the page size of its walk.
        query: ordered(
          {
            ...(isRefused && query?.from === undefined && queryOf(row)),
            ...pageQuery(operation, query ?? {}),
          },
          row,
        ),
      }),
      headers: [
        ...headers,
        ...(row.headers === 'further' ? furtherHeaders : []),
        ...(field !== undefined && !hasId && id !== undefined && !isLarge ? [[field, id] as const] : []),
      ],
    };
  }
}

/** The body with the row's variations: another notation, white space in a JSON object, chunks, a charset. */
function frame(body: Body | undefined, row: Row, isGiven: boolean): Body | undefined {
  if (body === undefined) return undefined;
  const { mediaType = '' } = body;
  const isJson = bodyKindOf(mediaType) === 'json';
  const isEscaped = !isGiven && row['JSON notation'] === 'escaped' && isJson;
  const isEncoded = !isGiven && row['form encoding'] === 'blank as %20' && mediaType === formType;
  const rewrite = isEscaped ? escapedJson : isEncoded ? percentEncoded : undefined;
  const bytes = rewrite ? Buffer.from(rewrite(Buffer.from(body.bytes).toString())) : body.bytes;
  const missing = row['body size'] === 'over 16 kB' ? paddedBytes - bytes.length : 0;
  const [opening = ''] = /^\s*\{/.exec(Buffer.from(bytes.subarray(0, 8)).toString()) ?? [];
  const isPadded = missing > 0 && isJson && opening !== '';
  const isBare = ['application/json', formType].includes(mediaType);
  return {
    ...body,
    bytes: isPadded
      ? Buffer.concat([
          bytes.subarray(0, opening.length),
          Buffer.alloc(missing, ' '),
          bytes.subarray(opening.length),
        ])
      : bytes,
    ...(row.framing === 'chunked' && { chunked: body.chunked ?? true }),
    ...(row.charset === 'charset' && isBare && { mediaType: `${mediaType}; charset=utf-8` }),
  };
}

/**
 * The same JSON text with white space around its tokens and escaped characters in its strings: a first letter, slashes,
 * braces and everything beyond ASCII (RFC 8259, sections 2 and 7).
 */
function escapedJson(json: string): string {
  const escaped = (character: string) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return character === '/' ? '\\/' : `\\u${code}`;
  };
  const written = json.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
    token.startsWith('"') ? token.replace(/(?<=^")[A-Za-z]|[/{}\x7f-\uffff]/g, escaped) : `\t${token}\r\n `,
  );
  return `\r\n\t${written} \n`;
}

/**
 * The same form with a blank as %20 in place of `+`, and everything but letters and digits percent-encoded in lower case (URL
 * standard, application/x-www-form-urlencoded).
 */
function percentEncoded(form: string): string {
  const encode = (each: string) => (each === '+' ? '%20' : `%${each.charCodeAt(0).toString(16)}`);
  return form.replace(/%[\dA-F]{2}|[-+_.!~*'()]/g, (each) =>
    each.startsWith('%') ? each.toLowerCase() : encode(each),
  );
}

function ordered<T>(members: Readonly<Record<string, T>>, { order }: Row): Readonly<Record<string, T>> {
  return order === 'other' ? Object.fromEntries(Object.entries(members).toReversed()) : members;
}

/** The optional query parameters of the row. */
function queryOf(row: Row): Readonly<Record<string, string>> {
  const values = Object.entries(row).filter(
    ([name, value]) => name.startsWith('query ') && value !== 'absent',
  );
  const unusual: readonly string[] = Object.values(unusualValues);
  return Object.fromEntries(
    values.map(([name, value]) => [
      name.slice('query '.length),
      unusual.includes(value) ? `${value}${row.key ?? ''}` : value,
    ]),
  );
}
