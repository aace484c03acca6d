import { type Authorization, isSuccess } from '../lib/client/exchange.ts';
import { permits } from '../lib/contract/model.ts';
import { members, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectThat } from '../lib/runner/expect.ts';
import { tokenWithOnly } from '../lib/runner/requested-token.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { inTurn } from './requests.ts';

/** Section 5, items 1 and 3: other spellings of a path do not bypass the checks of the token and its scopes. */

/** The first letter of each segment, percent-encoded: an equivalent path (RFC 3986, section 6.2.2.2). */
export const encodeLetters = (path: string): string =>
  path.replace(/(?<=\/|^)[a-z]/gi, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

/** The target of a request that is served, relative to the base URL. */
interface Served {
  readonly path: string;
  readonly search: string;
}

/** Other spellings of a path, which a router may serve and a rule on authentication may overlook. */
const spellingsOf = (ctx: RequirementContext, { path, search }: Served): readonly string[] => {
  const template = ctx.operation.path.split('/');
  // A router may decode the values of parameters only.
  const encodedValues = path
    .split('/')
    .map((text, at) => (template[at]?.startsWith('{') ? encodeLetters(text) : text))
    .join('/');
  const otherCase = path.replace(/[a-z]/, (letter) => letter.toUpperCase());
  // A router may normalize a path, or cut parameters of segments (RFC 3986, section 3.3) off.
  const rare = [`${path};x`, path.replace('/', '/./'), `${path}.json`, otherCase];
  return (
    [`${path}/`, encodeLetters(path), `/${path}`, ...inTurn(ctx, rare, 0, 2), encodedValues]
      // Other requirements judge the path as it is, which a path without parameters remains.
      .filter((each) => each !== path)
      .map((each) => `${each}${search}`)
  );
};

/** With this Authorization, the data that a valid request gets is not served under these spellings of its path. */
async function expectNotServedUnder(
  ctx: RequirementContext,
  targetsOf: (served: Served) => readonly string[],
  authorization: Authorization | undefined,
  because: string,
): Promise<void> {
  const { operation } = ctx;
  const served = await ctx.twin();
  const names = Object.keys(members(served));
  if (names.length === 0) throw new NotJudged('the response has no members to recognize it by');
  const { pathname, search } = new URL(served.exchange.request.url);
  const path = pathname.slice(new URL(ctx.target.baseUrl).pathname.replace(/\/$/, '').length);
  for (const target of ctx.share(targetsOf({ path, search }))) {
    const result = await ctx.send({
      operation,
      method: operation.method,
      target,
      ...(authorization && { authorization }),
    });
    const code = status(result);
    // Some servers return an HTML page for every unknown path.
    const found = names.filter((name) => Object.hasOwn(members(result), name));
    const isServed = isSuccess(code) && found.length >= names.length / 2;
    const expectation = { expected: `a response without ${names.join(', ')}`, because };
    expectThat(!isServed, expectation, `${code} with ${found.join(', ')}`, result.exchange);
  }
}

export const pathSpellings: readonly Check[] = [
  requirement('5.1/no-header-path', { needs: ['token'] }, (ctx) => {
    const targetsOf = (served: Served) => {
      const { path, search } = served;
      // Authentication may be skipped for every URL that contains the path of a public endpoint, or ends like that of a file.
      const likePublic = `${path}${search === '' ? '?' : `${search}&`}next=/oauth/token/health/docs/favicon.css`;
      return [...spellingsOf(ctx, served), likePublic];
    };
    return expectNotServedUnder(ctx, targetsOf, undefined, 'the request has no token');
  }),

  requirement('5.3/other-path', { needs: ['scopes'] }, async (ctx) => {
    const { contract, operation } = ctx;
    const other = contract.scopes.filter((each) => !permits(operation, [each])).slice(0, 1);
    const because = `its token has only ${other[0]?.name}`;
    // Two of the spellings: those that bypass the check of the token altogether are judged without one.
    const targetsOf = (served: Served) => spellingsOf(ctx, served).slice(0, 2);
    await expectNotServedUnder(ctx, targetsOf, await tokenWithOnly(ctx, other), because);
  }),
];
