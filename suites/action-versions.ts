import type { Exchange } from '../lib/client/exchange.ts';
import type { DataSet } from '../lib/contract/data-set.ts';
import { escapeRegExp } from '../lib/contract/escape-regexp.ts';
import { isObject, type JsonObject, parseJson } from '../lib/contract/json.ts';
import { items } from '../lib/runner/call-result.ts';
import { expectContent, expectScalars, hasContent, isDateTime, onEveryPage } from '../lib/runner/content.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { listedItems } from '../lib/runner/exchange-checks.ts';
import { assertExists, expectEqual, expectNone, expectSuccess, plural } from '../lib/runner/expect.ts';
import {
  type Check,
  type ExchangeContext,
  exchangeCheck,
  type JudgeExchange,
  requirement,
} from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { defaultSize, type Item, key, keys, largest, page, requirePagination } from '../lib/runner/walk.ts';
import { statusOf } from './observed-statuses.ts';
import { variationsAndAgain, variationsOf } from './requests.ts';
import { expectNoVersions, ofAction, readAtLeast, readVersions, storedAction } from './versions-read.ts';

/** Sections 2.3 and 4.4: the content of the versions that GET /actions/actions/{actionId}/versions returns. */

const day = 24 * 60 * 60;

/**
 * The fields of a version that the contract declares, without the summary of its action: that and further fields may change, because
 * §2.3 calls only the version immutable.
 */
const immutableFields = ({ contract }: RequirementContext, version: Item): Item => {
  const declared = contract.component('ActionVersion')?.properties ?? {};
  const isImmutable = (name: string) => name !== 'action' && Object.hasOwn(declared, name);
  const fields = Object.entries(version).filter(([name]) => isImmutable(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, comparable(value)]));
};

/**
 * The value with its elements and members in a fixed order, because a service may read them in any order, and with date-times in one
 * form: any form of the same instant is right.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .map((element) => JSON.stringify(comparable(element)))
      .toSorted()
      .map((element) => parseJson(element));
  if (typeof value === 'string' && isDateTime(value)) return new Date(value).toISOString();
  if (!isObject(value)) return value;
  const members = Object.keys(value).toSorted();
  return Object.fromEntries(members.map((name) => [name, comparable(value[name])]));
}

const reading = { needs: ['token', 'action'] } as const;
const timed = { needs: ['token', 'action', 'clock'], lane: 'exclusive' } as const;

/** The text in each encoding in which a response may contain it. */
const encodingsOf = (text: string): readonly string[] => {
  const bytes = Buffer.from(text);
  // A part that escaping does not change, whether in JSON, in JSON within a JSON string, in HTML or in URLs.
  const [whole] = /[\w-]{16,}/.exec(text) ?? [];
  // A hint may show all but a few characters.
  const part = whole !== undefined && whole.length >= 24 ? whole.slice(6, -6) : whole;
  const escaped = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  return [
    ...(part === undefined ? escaped : [part]),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    [...text].toReversed().join(''),
  ];
};

const secretsOf = ({ secrets }: Item): readonly JsonObject[] =>
  Array.isArray(secrets) ? secrets.filter(isObject) : [];

/** Characters of a secret's value that is looked for. A shorter one may be a word of another text. */
const shortestValue = 8;

/** The values of the secrets in a data set. No response may contain them, unless they occur elsewhere in the data. */
function secretValues(data: DataSet): readonly string[] {
  const others = JSON.stringify(data, (name, value: unknown) => (name === 'value' ? undefined : value));
  return data.actions
    .flatMap(({ versions }) => versions.flatMap(secretsOf))
    .flatMap(({ value }) =>
      typeof value === 'string' && value.length >= shortestValue && !others.includes(value) ? [value] : [],
    );
}

/** A pattern that matches the secrets' values in all encodings, for each data set. */
const encodedSecrets = new WeakMap<DataSet, RegExp>();

/** Neither the headers nor the body contain the value of a secret, plain or encoded. */
const showsNoSecret: JudgeExchange = (exchange, { dataSet }) => {
  const { text = '', json, headers = [] } = exchange.response ?? {};
  if (dataSet === undefined) return false;
  const encoded =
    encodedSecrets.get(dataSet) ??
    new RegExp(secretValues(dataSet).flatMap(encodingsOf).map(escapeRegExp).join('|') || '(?!)', 'g');
  encodedSecrets.set(dataSet, encoded);
  // Servers escape different characters in JSON.
  const unescaped = text.includes('\\') ? JSON.stringify(json) : '';
  const shown = new Set(`${headers.join('\n')}${text}${unescaped}`.match(encoded));
  expectNone('values of secrets in the response', [...shown], exchange);
  return true;
};

/** Reads the versions of every action, and judges each version on every page of the run. */
const content = (
  id: string,
  judge: (wanted: Item, version: Item, exchange: Exchange, ctx: ExchangeContext) => void,
): Check =>
  requirement(
    id,
    {
      needs: ['token', 'data'],
      judgeExchange: onEveryPage(
        (data) => data.actions.flatMap(({ versions }) => versions),
        (wanted, ...found) => judge(withoutSecretValues(wanted), ...found),
      ),
    },
    async (ctx) => {
      for (const { action } of ctx.dataSet.actions) await readVersions(ctx, ofAction(action.id));
    },
  );

/** The version as a response shows it: the data set also has the values of its secrets. */
function withoutSecretValues(version: Item): Item {
  if (!Array.isArray(version.secrets)) return version;
  return { ...version, secrets: secretsOf(version).map(({ value: _, ...shown }) => shown) };
}

/** Every page of the run has only versions of the action in its path. */
const judgeOwnVersions: JudgeExchange = (exchange, { operation, dataSet }) => {
  const stored = storedAction(exchange, dataSet);
  const listed = listedItems(exchange, operation);
  if (stored === undefined || listed === undefined) return false;
  const own = keys(stored.versions);
  const known = dataSet?.actions.flatMap(({ versions }) => keys(versions)) ?? [];
  // Somebody else may add versions to the action, if the suite did not fill the tenant.
  const isAdded = (version: Item) => version.action_id === stored.action.id && !known.includes(key(version));
  const others = keys(listed.filter((version) => !own.includes(key(version)) && !isAdded(version)));
  expectNone(`versions of actions other than ${stored.action.id}`, others, exchange);
  return true;
};

/** Each version has the same content as before, if it was listed before. */
function expectSameContent(
  ctx: RequirementContext,
  when: string,
  before: readonly Item[],
  versions: readonly Item[],
): void {
  const reference = new Map(before.map((version) => [key(version), immutableFields(ctx, version)]));
  for (const version of versions) {
    const wanted = reference.get(key(version));
    const evidence = ctx.exchanges.slice(-2);
    if (wanted !== undefined)
      expectEqual(`version ${key(version)} ${when}`, wanted, immutableFields(ctx, version), ...evidence);
  }
}

/** Member names that suggest a secret's value. */
const valueNames =
  /^(.*_)?(values?|plain_?text|cipher_?text|encrypted|hash|checksum|digest|fingerprint|hint|preview|suffix|last_?4|last_?four|masked|password|secret|blob)$|^encrypted_/i;

export const actionVersions: readonly Check[] = [
  requirement('4.4/reads', reading, async (ctx) => {
    for (const variation of variationsAndAgain(ctx)) {
      const result = await ctx.call({ variation });
      assertExists(ctx, result);
      expectSuccess(result, 'no parameter except the action ID is required');
    }
  }),

  requirement('4.4/no-versions', { needs: ['token', 'data'] }, async (ctx) => {
    const empty = ctx.dataSet.actions.find(({ versions }) => versions.length === 0);
    if (empty === undefined) throw new NotJudged('every action has versions', ['--control']);
    for (const query of [{}, { page: 0 }, { page: 0, per_page: 1 }, { page: 1 }]) {
      await expectNoVersions(ctx, query, 'the action exists and has no versions', ofAction(empty.action.id));
    }
  }),

  requirement('4.4/only-this-action', { ...reading, judgeExchange: judgeOwnVersions }, async (ctx) => {
    const ids = ctx.run.resources.all('action');
    const stored = new Set(ctx.dataSet?.actions.map(({ action }) => action.id));
    const expectOwn = (id: string, versions: readonly Item[]) => {
      // judgeOwnVersions knows the versions of a stored action.
      if (stored.has(id)) return;
      const others = versions.filter(({ action_id: own }) => typeof own === 'string' && own !== id);
      expectNone(`versions of actions other than ${id}`, keys(others), ...ctx.exchanges.slice(-2));
    };
    for (const id of ids.slice(0, 5)) expectOwn(id, await readVersions(ctx, ofAction(id)));
    const [first, second] = ids;
    if (first !== undefined && second !== undefined) {
      // A server may read the parameters of the path from the query too, or refuse them there.
      const result = await ctx.probe({ ...ofAction(second), query: { actionId: first, id: first } });
      expectOwn(second, items(result, requirePagination(ctx.operation).items));
    }
    const cut = ids[0]?.slice(0, -1) ?? '';
    // The second one matches it as a pattern of SQL. A service that trims the last one may look for any action.
    for (const missing of cut === '' ? [] : [cut, `${cut}_`, `${first}x`, ' ']) {
      if (ids.includes(missing)) continue;
      expectOwn(missing, items(await ctx.probe(ofAction(missing)), requirePagination(ctx.operation).items));
    }
  }),

  requirement('4.4/all-of-this-action', { needs: ['token', 'data'] }, async (ctx) => {
    for (const { action, versions } of ctx.dataSet.actions) {
      const got = keys(await readVersions(ctx, ofAction(action.id), { stored: versions.length }));
      const wanted = keys(versions);
      const listed = wanted.filter((each) => got.includes(each));
      expectEqual(`versions of ${action.id}`, wanted, listed, ...ctx.exchanges.slice(-2));
    }
  }),

  requirement(
    '2.3/no-secret-values',
    { needs: ['token', 'data'], judgeExchange: showsNoSecret },
    async (ctx) => {
      if (secretValues(ctx.dataSet).length === 0)
        throw new NotJudged('no secret of the data set has a value', ['--control']);
      for (const { action, versions } of ctx.dataSet.actions) {
        const per_page = defaultSize(ctx);
        const count = Math.ceil(versions.length / per_page);
        const pages = Array.from({ length: count }, (_, number) => ({ page: number, per_page }));
        const others = [1, largest(ctx)].map((per_page) => ({ page: 0, per_page }));
        for (const query of [...pages, ...others, { page: 1, per_page: 1 }])
          await page(ctx, query, ofAction(action.id));
      }
    },
  ),
  exchangeCheck('2.3/no-secret-elsewhere', ['token', 'data'], showsNoSecret),

  requirement(
    '2.3/secret-without-value',
    {
      ...reading,
      judgeExchange: (exchange, { operation }) => {
        const versions = listedItems(exchange, operation) ?? [];
        for (const version of versions) {
          // `has_value: true` does not reveal the value.
          const members = secretsOf(version).flatMap((secret) => Object.entries(secret));
          const found = members.flatMap(([name, value]) =>
            valueNames.test(name) && typeof value !== 'boolean' ? name : [],
          );
          expectNone(`members for values in the secrets of version ${key(version)}`, found, exchange);
        }
        return versions.length > 0;
      },
    },
    async (ctx) => {
      await readVersions(ctx);
    },
  ),

  requirement('2.3/version-immutable', reading, async (ctx) => {
    const reference = await readAtLeast(ctx, 1);
    // Several pages, also if there are few versions.
    const small = Math.max(1, Math.min(7, Math.ceil(reference.length / 2)));
    const before = 'as in the previous reading';
    for (const perPage of ctx.share([small, defaultSize(ctx)]))
      expectSameContent(ctx, before, reference, await readVersions(ctx, {}, { perPage }));
    expectSameContent(ctx, before, reference, (await page(ctx, {})).items);
  }),

  requirement('2.3/version-immutable-over-time', timed, async (ctx) => {
    const { clock } = ctx;
    const reference = await readAtLeast(ctx, 1);
    const began = clock.now();
    const readings = variationsOf(ctx).map((variation) => ({ days: 400, variation }));
    for (const { days, variation } of [{ days: 1, variation: undefined }, ...readings]) {
      await clock.moveTo(began + days * day);
      const later = await readVersions(ctx, { variation });
      const ids = new Set(keys(later));
      const missing = keys(reference).filter((each) => !ids.has(each));
      expectNone(
        `versions that are missing after ${plural(days, 'day')}`,
        missing,
        ...ctx.exchanges.slice(-2),
      );
      expectSameContent(ctx, `as read ${plural(days, 'day')} earlier`, reference, later);
    }
  }),

  // The summary of the action may be out of date, except for the ID.
  content('2.3/version-content', (wanted, version, exchange, ctx) => {
    const action = isObject(wanted.action) ? { id: wanted.action.id } : undefined;
    expectScalars(ctx, 'ActionVersion', { ...wanted, action }, version, exchange);
  }),

  content('2.3/version-content-complete', (wanted, version, exchange, ctx) => {
    const stored = ctx.dataSet?.actions.find(({ action: { id } }) => id === wanted.action_id)?.action;
    // A version may show its action as it was or as it is.
    const isCurrent = stored && hasContent(ctx, 'ActionVersion', { action: stored }, version);
    const action = isCurrent ? version.action : wanted.action;
    expectContent(ctx, 'ActionVersion', { ...wanted, action }, version, exchange);
  }),

  statusOf('4.4/unknown-action-status', { needs: ['token'] }, () => ofAction('constructor')),
];
