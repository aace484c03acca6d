import type { Call } from '../lib/runner/call.ts';
import { status } from '../lib/runner/call-result.ts';
import type { Capability } from '../lib/runner/capabilities.ts';
import { type Check, type ContextFor, type Execution, observation } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';

/** Observations of statuses where the specification is silent. */

/** Requests, by what each of them is. */
type Calls = Readonly<Record<string, Call>>;

/** Observes the status of this request. */
export const statusOf = <const Need extends Capability>(
  id: string,
  execution: Execution<Need>,
  call: (ctx: ContextFor<Need>) => Call | Promise<Call>,
): Check => observation(id, execution, async (ctx) => status(await ctx.call(await call(ctx))));

/** Observes the statuses of these requests. */
export const statusesOf = <const Need extends Capability>(
  id: string,
  execution: Execution<Need>,
  calls: (ctx: ContextFor<Need>) => Calls | Promise<Calls>,
): Check =>
  observation(id, execution, async (ctx) => {
    const statuses = await settleAll(Object.entries(await calls(ctx)), async ([what, call]) => [
      what,
      status(await ctx.call(call)),
    ]);
    return Object.fromEntries(statuses);
  });
