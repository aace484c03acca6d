import { classesOf } from '../arbitraries/dimensions.ts';
import type { Call } from '../fake/call.ts';
import type { RulesOverride } from '../fake/rules.ts';
import { callOf, compose } from './builders/builder.ts';
import { observe } from './builders/on.ts';
import { type AnyRule, changedRules, isRule, withRule } from './named-rules.ts';

/** Requests since the seed after which a counter or a pool that runs out would show. */
const manyRequests = 50;

/** URLs of the latest requests, which a cache of limited size keeps. */
const cachedUrls = 4;

/** Two bodies count as equal if they have the same length and the same first bytes, this many. */
const comparedBytes = 4_000;

/** A connection with its latest request. In process there are none: a request takes the first idle one, as in a client's pool. */
interface Connection {
  call: Call | undefined;
  readonly authorization: string;
  isServed: boolean;
}

/**
 * Tracks the requests to one fake and classifies each on every dimension, including those that only the service knows:
 * its place in the sequence, whether another request is under way, and what was seen before.
 */
export class RequestTracker {
  readonly #classes = new WeakMap<Call, ReadonlySet<string>>();
  readonly #seen = new Set<string>();
  readonly #underWay = new Set<Call>();
  readonly #connections: Connection[] = [];
  #recent: readonly string[] = [];
  #seeds = 0;
  /** Requests before the current one since the seed. */
  #count = 0;
  #updated = false;
  #deleted = false;

  /** The classes of a request, as `dimension: class`. Until its body has been read, it counts as empty. */
  classes(call: Call): ReadonlySet<string> {
    return this.#classes.get(call) ?? new Set(this.#describe(call, new Uint8Array()));
  }

  receive(call: Call, bytes: Uint8Array): void {
    if (call.seeds !== this.#seeds) {
      this.#seeds = call.seeds;
      this.#seen.clear();
      this.#recent = [];
      [this.#count, this.#updated, this.#deleted] = [0, false, false];
    }
    this.#classes.set(call, new Set(this.#describe(call, bytes)));
    this.#count += 1;
    const keys = keysOf(call, bytes);
    for (const key of Object.values(keys)) this.#seen.add(key);
    this.#recent = [...this.#recent, keys.url].slice(-cachedUrls);
    this.#underWay.add(call);
    this.#connections[this.#idle()] = { call, authorization: keys.authorization, isServed: false };
  }

  end(call: Call, status: number): void {
    // A body that is over the limit is not received.
    if (!this.#classes.has(call)) this.receive(call, new Uint8Array());
    this.#underWay.delete(call);
    const connection = this.#connections.find((each) => each.call === call);
    if (connection !== undefined) {
      connection.call = undefined;
      connection.isServed = status < 300;
    }
    if (status >= 300) return;
    this.#updated ||= call.method === 'PUT';
    this.#deleted ||= call.method === 'DELETE';
  }

  /** Index of the first idle connection, or of a new one. */
  #idle(): number {
    const index = this.#connections.findIndex(({ call }) => call === undefined);
    return index < 0 ? this.#connections.length : index;
  }

  #describe(call: Call, body: Uint8Array): readonly string[] {
    const { operation, target, headers, clockOffset } = call;
    if (operation === undefined) return [];
    const { request, url, path, authorization } = keysOf(call, body);
    const isRepeated = this.#seen.has(request);
    const connection = this.#connections[this.#idle()];
    const hasOther = connection?.isServed === true && connection.authorization !== authorization;
    // Seeding writes too, so no request comes before the first update.
    const service: readonly (readonly [name: string, isMember: boolean])[] = [
      ['history: new', !isRepeated],
      ['history: repeated', isRepeated],
      ['history: after an update', this.#updated],
      ['history: after a deletion', this.#deleted],
      ['sequence: every second', this.#count % 2 === 1],
      ['sequence: after 50 requests', this.#count >= manyRequests],
      ['concurrency: another request under way', this.#underWay.size > 0],
      ['memory: path seen before', this.#seen.has(path)],
      ['memory: URL not seen before', !this.#seen.has(url)],
      ['memory: URL among the last seen', this.#recent.includes(url)],
      ['memory: credentials seen before', this.#seen.has(authorization)],
      ['memory: credentials not seen before', !this.#seen.has(authorization)],
      ['memory: connection just served other credentials', hasOther],
    ];
    return [
      ...classesOf({ operation, target, headers, body, clockOffset }),
      ...service.filter(([, isMember]) => isMember).map(([name]) => name),
    ];
  }

  /** Passes every request to this tracker. */
  readonly follow: RulesOverride = compose(
    observe('payload.received', (_used, body, call) => this.receive(call, body.bytes)),
    observe('responses.wire', (_wire, response, call) => this.end(call, response.status)),
  );
}

/** The fault for requests that are in all of these classes; the usual rules for all others. */
export function mutant(fault: RulesOverride, classes: readonly string[]): RulesOverride {
  return (rules) => {
    const tracker = new RequestTracker();
    const followed = tracker.follow(rules);
    const guarded =
      (changed: AnyRule) =>
      (usual: AnyRule): AnyRule =>
      (...args) => {
        const call = callOf(args);
        const found = call && tracker.classes(call);
        const isMet = found !== undefined && classes.every((each) => found.has(each));
        return isMet ? changed(...args) : usual(...args);
      };
    return changedRules(fault(followed), followed).reduce(
      (mutated, [name, rule]) => (isRule(rule) ? withRule(mutated, name, guarded(rule)) : mutated),
      followed,
    );
  };
}

/** The keys by which a service may remember a request. */
function keysOf({ method, target, headers: { authorization = '' } }: Call, body: Uint8Array) {
  const url = `${method} ${target}`;
  const [path = ''] = url.split('?');
  return {
    request: `${method} ${target} ${authorization} ${body.length} ${Buffer.from(body.subarray(0, comparedBytes)).toString('latin1')}`,
    url,
    path,
    authorization: `authorization ${authorization}`,
  };
}
