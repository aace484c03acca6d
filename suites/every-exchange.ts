import { type InvalidText, invalidText, jsonOf } from '../lib/arbitraries/input.ts';
import { type Invalid, invalidWays } from '../lib/arbitraries/invalid.ts';
import { validValues } from '../lib/contract/valid.ts';
import { members, responseOf, status } from '../lib/runner/call-result.ts';
import {
  declaredMediaType,
  declaredStatus,
  matchesSchema,
  noNull,
  noServerError,
} from '../lib/runner/exchange-checks.ts';
import { expectRefused, expectThat, isRefusal } from '../lib/runner/expect.ts';
import { type Check, exchangeCheck, observation, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { statusOf } from './observed-statuses.ts';

/** Maximum number of ways in which the body of an operation is made invalid. */
const maximumBodies = 60;

/** Sections 2, 7 and 9: requirements on every exchange of the run, and on every operation. */
export const everyExchange: readonly Check[] = [
  exchangeCheck('7/no-server-error', [], noServerError),
  exchangeCheck('9/answer-status', ['token'], declaredStatus),
  exchangeCheck('9/answer-media-type', ['token'], declaredMediaType),
  exchangeCheck('2/no-null', ['token'], noNull),

  exchangeCheck('4.1/answer-fields', ['token', 'write'], matchesSchema('TemplateMessagesAnswer')),
  exchangeCheck('4.2/answer-members', ['token'], matchesSchema('ExperimentPage')),
  exchangeCheck('2.2/experiment-fields', ['token'], matchesSchema('Experiment')),
  exchangeCheck('2.2/allocation-fields', ['token'], matchesSchema('Allocation')),
  exchangeCheck('4.4/answer-members', ['token', 'action'], matchesSchema('ActionVersionPage')),
  exchangeCheck('2.3/version-fields', ['token', 'action'], matchesSchema('ActionVersion')),
  exchangeCheck(
    '2.3/version-dependency-fields',
    ['token', 'action'],
    matchesSchema('Dependency', 'BuildError', 'ModuleReference'),
  ),
  exchangeCheck('2.3/secret-fields', ['token', 'action'], matchesSchema('SecretReference')),
  exchangeCheck('2.3/action-summary-fields', ['token', 'action'], matchesSchema('ActionSummary')),
  exchangeCheck('2.3/trigger-fields', ['token', 'action'], matchesSchema('Trigger', 'TriggerReference')),
  exchangeCheck('2.5/custom-text-strings', ['token', 'self_service_profile'], matchesSchema('CustomText')),
  exchangeCheck('9/answer-schema', ['token'], matchesSchema()),

  requirement('9/invalid-parameter', { needs: ['token'] }, async (ctx) => {
    const { contract, operation } = ctx;
    const invalid = operation.parameters.flatMap((parameter) => {
      const { in: place, name } = parameter;
      const texts = place === 'path' || place === 'query' ? invalidText(contract, parameter) : undefined;
      return texts === undefined ? [] : [{ place, name, texts }];
    });
    if (invalid.length === 0) throw new NotJudged("the operation's parameters accept any text");
    for (const { place, name, texts } of invalid) {
      const judge = async ({ text, keyword }: InvalidText) => {
        const result = await ctx.probe({ [place]: { [name]: text } });
        expectRefused(result, `${name}=${text} violates its ${keyword}`);
      };
      await ctx.property(texts, judge, { fraction: 1 / 10 });
    }
    await ctx.twin();
  }),

  requirement('9/invalid-body', { needs: ['token', 'write'] }, async (ctx) => {
    const { contract, operation } = ctx;
    const media = jsonOf(operation.body?.content);
    const ways =
      media === undefined ? [] : invalidWays(contract, media.schema, media.validate, maximumBodies);
    if (ways.length === 0) throw new NotJudged('no generated value violates its schema');
    for (const way of ways) {
      const judge = async ({ value, keyword, pointer }: Invalid) => {
        const result = await ctx.probe({ json: value });
        expectRefused(result, `its body violates ${keyword}${pointer && ` at ${pointer}`}`);
      };
      await ctx.property(way, judge, { fraction: 1 / 40 });
    }
    await ctx.twin();
  }),

  requirement('9/valid-request', { needs: ['token'] }, async (ctx) => {
    const { contract, operation } = ctx;
    const media = jsonOf(operation.body?.content);
    const judge = async (json?: unknown) => {
      const result = await ctx.call(json === undefined ? {} : { json });
      const isProcessed = ![401, 403, 413, 415].includes(status(result)) && status(result) < 500;
      const expected = 'a status below 500 other than 401, 403, 413 and 415';
      const because = 'the request matches the contract';
      expectThat(isProcessed, { expected, because }, String(status(result)), result.exchange);
    };
    if (media === undefined) return judge();
    await ctx.property(validValues(contract, media), judge, { fraction: 1 / 10 });
  }),

  observation('7/error-body-shape', { needs: [] }, async (ctx) => {
    const result = await ctx.probe({ authorization: null });
    if (!isRefusal(result)) return undefined;
    const names = Object.keys(members(result)).toSorted();
    const type = responseOf(result).mediaType ?? 'no media type';
    return names.length === 0 ? type : `${type}: ${names.join(', ')}`;
  }),

  // A service may show more to those who ask for it. The requirements on all exchanges judge what it shows.
  statusOf('7/unknown-parameter', { needs: ['token'] }, () => ({
    query: { no_such_parameter: '1', include: 'secrets', debug: 'true' },
  })),
];
