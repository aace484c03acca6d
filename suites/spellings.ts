import { status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { settleAll } from '../lib/runner/settle-all.ts';

/** Ways in which some parser reads 5 or 10, percent-encoded where a query needs it; and an empty text. */
const integers = ['%2B5', '05', '5.0', '1e1', '0x10', '1_0', '%D9%A1%D9%A0', '%205', '5%20', ''];

/** The status of each spelling of an integer in this query parameter: which of them are integers is not specified. */
export async function spellings(
  ctx: RequirementContext,
  name: string,
): Promise<Readonly<Record<string, number>>> {
  const statuses = await settleAll(integers, async (text) => {
    const answer = await ctx.call({ query: `${name}=${text}` });
    return [`${name}=${decodeURIComponent(text)}`, status(answer)] as const;
  });
  return Object.fromEntries(statuses);
}
