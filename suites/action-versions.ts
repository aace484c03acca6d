import type { Exchange } from '../lib/client/exchange.ts';
import type { DataSet } from '../lib/contract/data-set.ts';
import { isObject } from '../lib/contract/json.ts';
import { type Answer, response, status } from '../lib/runner/answer.ts';
import { declaredFields, expectContent, expectScalars } from '../lib/runner/content.ts';
import type { ContextFor, RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectStatus, expectThat, show } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { type Item, key } from '../lib/runner/walk.ts';
import { all, atLeast, expectNoVersions, heldActions, keys, known, largest, page } from './versions-read.ts';

/** Sections 2.3 and 4.4: what GET /actions/actions/{actionId}/versions shows of an action and of its versions. */

const minute = 60;
const day = 24 * 60 * 60;

/** What a version says of itself: the summary of its action may change (§2.3 calls the version immutable, not the action). */
const contentOf = (ctx: RequirementContext, version: Item): Item => {
  const { action: _summary, ...own } = declaredFields(ctx, 'ActionVersion', version);
  return own;
};

/** A text in the encodings in which it may stand in a response. */
const encodingsOf = (text: string): readonly string[] => {
  const bytes = Buffer.from(text);
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    [...text].toReversed().join(''),
  ];
};

/** The values that the data set gives to secrets, which no response may contain. */
const plantedValues = (data: DataSet): readonly string[] =>
  data.actions.flatMap(({ versions }) =>
    versions.flatMap(({ secrets }) =>
      (Array.isArray(secrets) ? secrets : []).flatMap((secret: unknown) =>
        isObject(secret) && typeof secret.value === 'string' && secret.value !== '' ? [secret.value] : [],
      ),
    ),
  );

/** Each version beside what the tenant contains of it. */
async function eachVersion(
  ctx: ContextFor<'data'>,
  judge: (wanted: Item, version: Item, exchange: Exchange) => void,
): Promise<void> {
  for (const { action, versions } of ctx.dataSet.actions) {
    const read = await all(ctx, largest(ctx), String(action.id));
    const got = new Map(read.map((version) => [key(version), version]));
    const [exchange] = ctx.exchanges.slice(-2);
    for (const wanted of versions) {
      const version = got.get(key(wanted));
      if (version !== undefined && exchange !== undefined) judge(wanted, version, exchange);
    }
  }
}

/** Names of members that would carry a secret's value. */
const valueNames = /^(values?|plain_?text|cipher_?text|encrypted(_value)?|hash|password|secret)$/i;

export const actionVersions: readonly Check[] = [
  requirement('4.4/reads', { needs: ['token', 'action'], lane: 'parallel' }, async (ctx) =>
    expectStatus(await ctx.call(), 200, 'no parameter but the action is required'),
  ),

  requirement('4.4/no-versions', { needs: ['token', 'data'], lane: 'parallel' }, async (ctx) => {
    const empty = heldActions(ctx).find(({ versions }) => versions.length === 0);
    if (empty === undefined) throw new NotJudged('every action has versions', ['--control']);
    for (const query of [{}, { page: 0, per_page: 1 }]) {
      await expectNoVersions(ctx, query, 'the action exists, without versions', String(empty.action.id));
    }
  }),

  requirement('4.4/only-this-action', { needs: ['token', 'action'], lane: 'parallel' }, async (ctx) => {
    const ids = ctx.run.resources.all('action');
    const held = new Map(
      ctx.optional.dataSet?.actions.map(({ action, versions }) => [
        String(action.id),
        new Set(versions.map(key)),
      ]),
    );
    for (const id of ids.slice(0, 5)) {
      for (const version of await all(ctx, largest(ctx), id)) {
        const own =
          held.get(id)?.has(key(version)) ?? (version.action_id === undefined || version.action_id === id);
        expectThat(
          own,
          `only versions of ${id}`,
          `version ${key(version)} of ${show(version.action_id)}`,
          ...ctx.exchanges.slice(-2),
        );
      }
    }
  }),

  requirement('4.4/all-of-this-action', { needs: ['token', 'data'], lane: 'parallel' }, async (ctx) => {
    for (const { action, versions } of heldActions(ctx)) {
      const got = keys(await all(ctx, largest(ctx), String(action.id)));
      const missing = versions.map(key).filter((each) => !got.includes(each));
      expectEqual(
        `versions of ${String(action.id)} that are not listed`,
        [],
        missing,
        ...ctx.exchanges.slice(-2),
      );
    }
  }),

  requirement('2.3/no-secret-values', { needs: ['token', 'data'], lane: 'parallel' }, async (ctx) => {
    const planted = plantedValues(ctx.dataSet).map((value) => ({ value, encodings: encodingsOf(value) }));
    if (planted.length === 0) throw new NotJudged('no secret of the data set has a value', ['--control']);
    const expectNone = (answer: Answer) => {
      const { text: sent, json } = response(answer);
      // Servers escape characters in JSON in different ways.
      const text = `${sent}${JSON.stringify(json ?? null)}`;
      const found = planted.find(({ encodings }) => encodings.some((each) => text.includes(each)));
      expectThat(
        found === undefined,
        "no secret's value in the response",
        show(found?.value),
        answer.exchange,
      );
    };
    for (const { action, versions } of ctx.dataSet.actions) {
      const pages = Array.from({ length: Math.ceil(versions.length / 20) }, (_, number) => ({
        page: number,
        per_page: 20,
      }));
      for (const query of [
        ...pages,
        { page: 0, per_page: 1 },
        { page: 1, per_page: 1 },
        { page: 0, per_page: largest(ctx) },
      ])
        expectNone((await page(ctx, query, String(action.id))).answer);
    }
  }),

  requirement('2.3/secret-without-value', { needs: ['token', 'action'], lane: 'parallel' }, async (ctx) => {
    for (const version of await all(ctx)) {
      const secrets = Array.isArray(version.secrets) ? version.secrets : [];
      const telling = secrets.flatMap((secret: unknown) =>
        isObject(secret) ? Object.keys(secret).filter((name) => valueNames.test(name)) : [],
      );
      expectEqual(
        `members of the secrets of version ${key(version)} for values`,
        [],
        telling,
        ...ctx.exchanges.slice(-1),
      );
    }
  }),

  requirement('2.3/version-immutable', { needs: ['token', 'action'], lane: 'parallel' }, async (ctx) => {
    const content = (version: Item) => contentOf(ctx, version);
    const reference = new Map((await atLeast(ctx, 1)).map((version) => [key(version), content(version)]));
    for (const per_page of [7, 20]) {
      for (const version of await all(ctx, per_page)) {
        expectEqual(
          `version ${key(version)} as read before`,
          reference.get(key(version)) ?? content(version),
          content(version),
          ...ctx.exchanges.slice(-2),
        );
      }
    }
  }),

  requirement(
    '2.3/version-immutable-over-time',
    { needs: ['token', 'action', 'clock'], lane: 'exclusive' },
    async (ctx) => {
      const content = (version: Item) => contentOf(ctx, version);
      const { clock } = ctx;
      const reference = await atLeast(ctx, 1);
      const began = clock.now();
      // A minute past the day, when others wait for the end of their checkpoints: the clock is moved once for all.
      for (const [days, since] of [
        [1, day + minute],
        [400, 400 * day],
      ] as const) {
        await clock.waitUntil(began + since);
        const read = await known(ctx, reference.length, largest(ctx));
        const later = new Map(read.map((version) => [key(version), content(version)]));
        for (const version of reference) {
          expectEqual(
            `version ${key(version)} as read ${days} days before`,
            content(version),
            later.get(key(version)),
            ...ctx.exchanges.slice(-2),
          );
        }
      }
    },
  ),

  requirement('2.3/version-content', { needs: ['token', 'data'], lane: 'parallel' }, (ctx) =>
    eachVersion(ctx, ({ action: _summary, ...wanted }, version, exchange) =>
      expectScalars(ctx, 'ActionVersion', wanted, version, exchange),
    ),
  ),

  requirement('2.3/version-content-complete', { needs: ['token', 'data'], lane: 'parallel' }, (ctx) =>
    eachVersion(ctx, (wanted, version, exchange) =>
      expectContent(ctx, 'ActionVersion', wanted, version, exchange),
    ),
  ),

  observation('4.4/unknown-action-status', { needs: ['token'], lane: 'parallel' }, async (ctx) =>
    status((await page(ctx, {}, 'no-such-action')).answer),
  ),

  observation('4.4/status-values', { needs: ['token', 'action'], lane: 'parallel' }, async (ctx) => {
    return [...new Set((await all(ctx)).map((version) => version.status))].toSorted();
  }),
];
