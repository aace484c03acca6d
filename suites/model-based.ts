import fc, { type Arbitrary } from 'fast-check';
import { operation } from '../lib/contract/model.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { listing } from '../lib/runner/walk.ts';
import { isOrdinary } from './experiments-content.ts';
import {
  type Command,
  type CommandContext,
  deletePolicy,
  deleteUnknown,
  followWalk,
  inspect,
  type Model,
  modelOf,
  moveClock,
  type Query,
  readText,
  readVersions,
  refusedUpdate,
  reseed,
  settle,
  startWalk,
  updateTemplates,
} from './model-commands.ts';

/**
 * A model-based test of the whole service: requests to all operations in any order, with interleaved walks, clock moves and
 * reseeds. The model checks of each response what the specification defines, and accepts the rest.
 */

/**
 * Any command. Following a walk is the most likely one, because other commands may break a walk; a command that waits for all
 * earlier ones is the least likely.
 */
function anyCommand(ctx: CommandContext): Arbitrary<Command>[] {
  const { experiments } = ctx.dataSet;
  const flows = [...new Set(experiments.map(({ experiment }) => experiment.authentication_flow))].filter(
    (flow): flow is string => typeof flow === 'string' && isOrdinary(flow),
  );
  const states = [...new Set(experiments.map((experiment) => experiment.status))];
  const query: Arbitrary<Query> = fc.oneof(
    fc.constant({}),
    fc.constantFrom(...states).map((state) => ({ status: state })),
    fc.constantFrom(...flows).map((flow) => ({ authentication_flow: flow })),
  );
  const sizesOf = (id: string) => {
    const { size } = listing(operation(ctx.contract, id));
    return [size.default, size.maximum[ctx.target.cloud]];
  };
  const take = fc.constantFrom(1, 2, 3, 5, 7, ...sizesOf('listExperiments'));
  const pick = fc.nat({ max: 9 });
  const start = fc.tuple(query, take).map((each) => startWalk(...each));
  const follow = pick.map((each) => followWalk(each));
  const requests = [
    ...[start, start, start, start, start, start, follow, follow, follow, follow, follow],
    fc.tuple(pick, take).map((each) => followWalk(...each)),
    fc
      .tuple(pick, fc.nat({ max: 6 }), fc.constantFrom(1, 10, 19, ...sizesOf('listActionVersions')))
      .map((each) => readVersions(...each)),
    pick.map(deletePolicy),
    fc.constant(deleteUnknown()),
    fc.constantFrom('one', 'two', 'Grüße').map(updateTemplates),
    fc.constant(refusedUpdate()),
    pick.map(readText),
  ];
  return [
    ...[...requests, ...requests, ...requests],
    fc.constant(inspect()),
    fc.constantFrom(1, 11, 23, 25).map(moveClock),
    fc.constantFrom(0, 1, 10, 26, 60).map(reseed),
  ];
}

/** Maximum number of commands in a sequence. */
const maxCommands = 45;

/** A fixed example for every seed, in rounds: two interleaved walks, with all other commands in between. */
const fixedExample = (): readonly (readonly Command[])[] => [
  // The first walk ends, the second one does not.
  [startWalk({}, 40), startWalk({ status: 'active' }, 3)],
  [followWalk(0), followWalk(1), updateTemplates('one'), deletePolicy(0)],
  [inspect()],
  [moveClock(23)],
  [followWalk(0), followWalk(1)],
  [moveClock(23)],
  [followWalk(0), followWalk(1), readVersions(0, 1, 20)],
  [moveClock(25)],
  [followWalk(0), followWalk(1), deletePolicy(1), updateTemplates('two')],
  [followWalk(0), followWalk(1), readText(0), refusedUpdate()],
  [inspect()],
];

const everything = { needs: ['token', 'write', 'seed', 'inspect', 'clock'], lane: 'exclusive' } as const;

export const modelBasedTest: readonly Check[] = [
  requirement('8/any-history', everything, async (ctx) => {
    const initialModel = async (): Promise<Model> => {
      const model = modelOf(ctx.dataSet);
      await ctx.control.moveClock(0);
      await ctx.control.seed(model.data);
      return model;
    };
    await ctx.property(
      fc.commands<Model, CommandContext, false>(anyCommand(ctx), { maxCommands, size: 'max' }),
      async (commands) => {
        const model = await initialModel();
        await fc.asyncModelRun(() => ({ model, real: ctx }), commands);
        await settle(model);
      },
      { runs: Math.ceil(ctx.run.runs / 12), sequential: true, show: (commands) => [...commands].map(String) },
    );
    // Runs last, because fast-check shrinks only the sequences of the property.
    const model = await initialModel();
    for (const round of fixedExample()) {
      for (const each of round) if (await each.check(model)) await each.run(model, ctx);
      await settle(model);
    }
  }),
];
