import type { Control } from '../lib/control/control.ts';
import { type Answer, response, status } from '../lib/runner/answer.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectRefused, expectServed, expectThat, isRefusal } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { together } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';

/** Sections 2.4 and 4.3: DELETE /rate-limit-policies/{id}. */

const kind = 'rate_limit_policy';

const longestId = (ctx: RequirementContext): number => {
  const parameter = ctx.operation.parameters.find(({ resource }) => resource === kind);
  return parameter?.schema.maxLength ?? 0;
};

const remove = (ctx: RequirementContext) => ctx.consume(kind);

const held = async ({ inspect }: Pick<Control, 'inspect'>): Promise<readonly string[]> =>
  (await inspect()).rate_limit_policies.map(({ id }) => id).toSorted();

/** Seeds policies with these ids beside the others, and deletes each of them. */
const deletable = (id: string, because: string, ids: (ctx: RequirementContext) => readonly string[]): Check =>
  requirement(id, { needs: ['token', 'write', 'seed'], lane: 'exclusive' }, async (ctx) => {
    const own = ids(ctx);
    const others = ctx.dataSet.rate_limit_policies.filter((policy) => !own.includes(policy.id));
    const policies = [...others, ...own.map((each) => ({ id: each }))];
    await ctx.control.seed({ ...ctx.dataSet, rate_limit_policies: policies });
    const answers = await together(own, async (each) => {
      const answer = await ctx.call({ path: { id: each } });
      expectServed(answer, `it names the existing policy ${JSON.stringify(each)}: ${because}`);
      return { each, answer };
    });
    const { inspect } = ctx.optional;
    const left = inspect === undefined ? [] : await held({ inspect });
    for (const { each, answer } of answers) {
      const isGone = !left.includes(each);
      expectThat(isGone, `${JSON.stringify(each)} to be gone`, 'it is still there', answer.exchange);
    }
  });

/**
 * Ids one character too long, and far too long; what a cut would leave of them exists, where such an id is known. Each is
 * cut to another, also between the two requirements (`first` 1 and 2): what a server that cuts has deleted, it would refuse
 * the next time because it is gone.
 */
const tooLong = (ctx: RequirementContext, first: 1 | 2): readonly string[] => {
  const longest = longestId(ctx);
  const known = ctx.run.stock.all(kind).filter((id) => id.length === longest);
  return [longest + 1, longest + 2, longest * 2, 200].map((length, index) =>
    (known.at(-first - 2 * index) ?? 'a'.repeat(longest)).padEnd(length, 'a'),
  );
};

/** An id, and others that only an inexact comparison takes for it: case, parts, blanks, patterns, accents. */
const neighbours = [
  'pol_x',
  ...[
    'POL_X',
    'Pol_x',
    'pol_',
    'pol',
    'pol_x1',
    'xpol_x',
    'polax',
    'pol_x ',
    ' pol_x',
    'p\u00f6l_x',
    'pol-x',
  ],
];

export const rateLimitPolicies: readonly Check[] = [
  requirement(
    '4.3/delete-succeeds',
    { needs: ['token', 'write', 'rate_limit_policy'], lane: 'parallel' },
    async (ctx) => {
      expectServed(await remove(ctx), 'the policy exists');
    },
  ),

  deletable('4.3/delete-short-id', 'an id may be short', () => ['a', '7', 'Z']),
  deletable('4.3/delete-long-id', 'an id may be that long', (ctx) => {
    const longest = longestId(ctx);
    return ['b'.repeat(longest - 1), 'c'.repeat(longest), `D${'0'.repeat(longest - 2)}e`];
  }),
  deletable('4.3/delete-encoded-id', 'its id is percent-encoded (RFC 3986, section 2.1)', () => [
    'a/b',
    '50%',
    '%41',
    'ü€😀',
    'a b',
    'a?b=c',
    'a#b',
    'a+b',
    'a&b;c',
    '"quoted"',
    'a\\b',
    'a.b',
    ' a ',
    'e\u0301',
    '\u00e9',
    'Aa',
    'aa',
  ]),

  requirement(
    '4.3/policy-is-gone',
    { needs: ['token', 'write', 'inspect', 'rate_limit_policy'], lane: 'parallel' },
    async (ctx) => {
      const answer = await remove(ctx);
      if (isRefusal(answer))
        throw new NotJudged(`the deletion was refused with ${status(answer)}: see 4.3/delete-succeeds`);
      const left = (await held(ctx.control)).includes(answer.id);
      expectThat(!left, `${answer.id} to be gone after its deletion`, 'it is still there', answer.exchange);
    },
  ),

  requirement(
    '4.3/others-stay',
    { needs: ['token', 'write', 'inspect', 'rate_limit_policy'], lane: 'exclusive' },
    async (ctx) => {
      const expectOthers = async (
        before: readonly string[],
        id: string,
        { exchange }: Answer,
      ): Promise<void> =>
        expectEqual(
          `the policies other than ${JSON.stringify(id)}`,
          before.filter((each) => each !== id),
          (await held(ctx.control)).filter((each) => each !== id),
          exchange,
        );
      const before = await held(ctx.control);
      const answer = await remove(ctx);
      await expectOthers(before, answer.id, answer);
      const { seed } = ctx.optional;
      if (seed !== undefined) {
        const policies = neighbours.map((id) => ({ id }));
        await seed({ ...ctx.dataSet, rate_limit_policies: policies });
        const [id = ''] = neighbours;
        await expectOthers(neighbours.toSorted(), id, await ctx.call({ path: { id } }));
      }
      const after = await held(ctx.control);
      // A deletion that is refused takes nothing with it either.
      const unknown = await ctx.call({ path: { id: 'no-such-policy' } });
      expectEqual(
        'the policies after the deletion of one that does not exist',
        after,
        await held(ctx.control),
        unknown.exchange,
      );
    },
  ),

  requirement(
    '4.3/others-deletable',
    { needs: ['token', 'write', 'rate_limit_policy'], lane: 'parallel' },
    async (ctx) => {
      expectServed(await remove(ctx), 'the policy exists');
      expectServed(await remove(ctx), 'another policy exists still');
    },
  ),

  requirement('4.3/id-too-long', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    for (const id of tooLong(ctx, 1)) {
      expectRefused(
        await ctx.call({ path: { id } }),
        `an id of ${id.length} characters is longer than ${longestId(ctx)}`,
      );
    }
  }),

  requirement('4.3/id-too-long-400', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    let refusals = 0;
    for (const id of tooLong(ctx, 2)) {
      const answer = await ctx.call({ path: { id } });
      if (isRefusal(answer)) {
        refusals += 1;
        expectRefused(answer, `an id of ${id.length} characters breaks its schema`, [400]);
        // Anything but a refusal is what 4.3/id-too-long is about.
      } else ctx.run.claim([answer.exchange]);
    }
    if (refusals === 0) throw new NotJudged('no such id was refused: see 4.3/id-too-long');
  }),

  observation(
    '4.3/success-status',
    { needs: ['token', 'write', 'rate_limit_policy'], lane: 'parallel' },
    async (ctx) => status(await remove(ctx)),
  ),
  observation(
    '4.3/success-body',
    { needs: ['token', 'write', 'rate_limit_policy'], lane: 'parallel' },
    async (ctx) => response(await remove(ctx)).bodyBytes,
  ),

  observation(
    '4.3/second-delete-status',
    { needs: ['token', 'write', 'rate_limit_policy'], lane: 'parallel' },
    async (ctx) => {
      const { id } = await remove(ctx);
      return status(await ctx.call({ path: { id } }));
    },
  ),

  observation('4.3/unknown-id-status', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) =>
    status(await ctx.call({ path: { id: 'no-such-policy' } })),
  ),
];
