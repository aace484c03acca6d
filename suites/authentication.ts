import { claimChanges } from '../lib/arbitraries/changes.ts';
import type { Authorization } from '../lib/client/exchange.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, responseOf, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectRefused, expectTokenAccepted, isRefusal } from '../lib/runner/expect.ts';
import { assertTwinServed, expectPermitted } from '../lib/runner/permission.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { inputs } from './inputs.ts';
import { statusOf } from './observed-statuses.ts';
import { expectLaterPageRefused, expectRefusalsWith, refusalsOf, tokensRefused } from './refusals.ts';
import {
  type Claims,
  inTurn,
  literal,
  minted,
  twoVariations,
  variationsOf,
  widestLeeway,
} from './requests.ts';
import { expectSomeScopePermits } from './scopes.ts';
import { alterableToken, signatures } from './signatures.ts';

/** Section 5, items 1 and 2, and section 7: which tokens a server accepts. Judged on every operation that requires a token. */

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

type Calls = (ctx: RequirementContext, variation: number) => Promise<readonly Call[]>;

/** The token without its scheme. */
const jwtOf = ({ value }: Authorization): string => value.replace(/^Bearer /, '');

/** A call with the token under this scheme in place of Bearer; without a scheme if it is empty. */
const withScheme = (token: Authorization, scheme: string): Call => ({
  authorization: { ...token, value: `${scheme} ${jwtOf(token)}`.trimStart() },
});

/** A call with this value of Authorization. */
const withValue = (value: string): Call => ({ authorization: literal(value) });

const noHeader: Calls = async () => [
  { authorization: null },
  { authorization: null, headers: inputs.trusted_headers },
];

/** Bearer values that are not JSON Web Tokens (RFC 7519). */
const garbage: Calls = async () =>
  ['Bearer null', 'Bearer ab.cd.ef.gh.ij, Bearer kl', 'Bearer'].map(withValue);

/**
 * Three parts separated by dots, as in a JWS, that do not decode to a valid header and payload: {} and [], empty parts and, in
 * every second variation, letters or null.
 */
const threeParts: Calls = async (_ctx, variation) => {
  const others = ['Bearer a.b.c', [], 'Bearer bnVsbA.bnVsbA.AAAA', []][variation % 4] ?? [];
  return [others, 'Bearer e30.W10.AAAA', 'Bearer ..'].flat().map(withValue);
};

const otherSchemes: Calls = async (ctx, variation) => {
  const basic = withValue('Basic Y2xpZW50OnNlY3JldA==');
  const { minter } = ctx;
  // A vendor's own token is not sent in unexpected places: servers might log it.
  if (minter === undefined) return [basic, withValue(''), withValue('Token abc')];
  const token = await minter.sign(minter.claims(ctx.operation.scopes, variation));
  const others = ['Digest', 'OAuth'].map((scheme) => withScheme(token, scheme));
  const further = inTurn(ctx, [basic, ...others], variation);
  // A server may remember credentials that it has seen, without verifying them.
  const again = variation === 0 && further.includes(basic) ? [basic] : [];
  return [withScheme(token, 'Basic'), withValue(''), ...further, ...again];
};

/** These calls are refused in each variation, and the request is served with a valid token if there is one. */
async function expectCallsRefused(ctx: RequirementContext, callsOf: Calls, because: string) {
  const calls = await settleAll(variationsOf(ctx), async (variation) =>
    (await callsOf(ctx, variation)).map((call) => ({ ...call, variation })),
  );
  const tried = ctx.share(calls.flat(), 3);
  await settleAll(tried, async (call) => expectRefused(await ctx.probe(call), because));
  return ctx.can('token') ? ctx.twin() : undefined;
}

/** A later page is refused without a token too, and cookies that a response to a valid request sets do not replace a token. */
async function expectTokenNeeded(ctx: RequirementContext, served: CallResult | undefined, because: string) {
  await expectLaterPageRefused(ctx, [null], because, []);
  const { headers } = served === undefined ? { headers: [] } : responseOf(served);
  // As a Cookie field sends them back (RFC 6265, section 4).
  const cookies = headers.flatMap(([name, value]) =>
    name === 'set-cookie' ? (value.split(';')[0] ?? '') : [],
  );
  if (cookies.length === 0) return;
  for (const cookie of cookies) ctx.tokens.remember(cookie.slice(cookie.indexOf('=') + 1));
  const call = { authorization: null, headers: [['cookie', cookies.join('; ')]] } as const;
  expectRefused(await ctx.probe(call), 'it has cookies of an earlier response in place of a token');
}

/**
 * Two requirements: these calls are refused with any 4xx status, and with one of `statuses`.
 * @param judgeMore judges more requests, after a valid one was served
 */
const callsRefused = (
  id: string,
  statuses: readonly number[],
  because: string,
  callsOf: Calls,
  judgeMore: typeof expectTokenNeeded = async () => {},
): Check[] => [
  requirement(id, { needs: [] }, async (ctx) => {
    await judgeMore(ctx, await expectCallsRefused(ctx, callsOf, because), because);
  }),
  requirement(
    `${id}-401`,
    {
      needs: [],
      // A request with a token, such as the twin, may be refused for another reason, and one for HTML with 406.
      judgeExchange: refusalsOf(
        id,
        because,
        statuses,
        ({ request }) => !request.headers.some(([, value]) => /\$TOKEN$|^text\/html$/.test(value)),
      ),
    },
    async (ctx) => expectRefusalsWith(ctx, (await callsOf(ctx, 0)).slice(0, 1), because, statuses),
  ),
];

/** A valid token in a place other than after `Bearer` in Authorization is refused. */
const otherPlaceRefused = (
  id: string,
  place: string,
  callsOf: (token: Authorization, ctx: RequirementContext, variation: number) => readonly Call[],
): Check =>
  requirement(id, { needs: ['mint'] }, async (ctx) => {
    const anonymous = await ctx.probe({ authorization: null });
    if (!isRefusal(anonymous))
      throw new NotJudged(`${status(anonymous)} without any token is not a refusal: see 5.1/no-header`);
    const calls: Calls = async (_, variation) => callsOf(await minted(ctx, {}, variation), ctx, variation);
    await expectCallsRefused(ctx, calls, `the token is ${place}`);
  });

/** Characters above which a token is sent in one cookie only. */
const longToken = 1_200;

/**
 * @param lifetime seconds from `iat` to `exp`
 * @param others further expired claims, which take turns; `exp` is the usual expiry
 */
const expiredTokensRefused = (
  id: string,
  secondsAgo: number,
  ago: string,
  lifetime: number,
  others: (exp: number) => readonly Claims[] = () => [],
): Check =>
  tokensRefused(
    id,
    ['mint'],
    `the token expired ${ago} ago or earlier`,
    (ctx, variation) => {
      const exp = ctx.minter.now() - secondsAgo;
      // A server that checks only iat accepts recent ones.
      const hasIssuedAt = variation % 2 === 0 || secondsAgo < hour;
      const usual = hasIssuedAt ? { iat: exp - lifetime, exp } : { iat: undefined, sub: undefined, exp };
      const claims: readonly Claims[] = [usual, ...inTurn(ctx, others(exp), variation)];
      return settleAll(claims, (each) => minted(ctx, each, variation));
    },
    // A library may not parse other numbers, so that the token is not a JWT for it.
    ({ claims: { exp } = {} }) => (Number.isInteger(exp) && Number(exp) >= 0 ? [401] : [401, 400]),
  );

/** Observes the status of a request whose token has these claims. */
const statusWith = (id: string, claims: (now: number) => Claims): Check =>
  statusOf(id, { needs: ['mint'] }, async (ctx) => ({
    authorization: await minted(ctx, claims(ctx.minter.now())),
  }));

export const authentication: readonly Check[] = [
  ...signatures,

  requirement('5.1/valid-token', { needs: ['token'] }, async (ctx) => {
    try {
      for (const variation of ctx.share(variationsOf(ctx))) {
        const call = { variation, mayAddQuery: true };
        const because = 'its token is valid and permits the operation';
        if (variation % 2 === 0) {
          expectTokenAccepted(await ctx.call(call), because);
          continue;
        }
        // As section 5 spells the name of the field. All other requests have it in lower case (RFC 9110, section 5.1).
        const authorization = {
          ...(await ctx.token(ctx.operation.scopes, variation)),
          field: 'Authorization',
        };
        expectTokenAccepted(
          await ctx.call({ ...call, authorization }),
          `${because}, with a capital A in Authorization`,
        );
      }
    } catch (error) {
      // The operation may require another scope than the suite assumes.
      if (error instanceof NotJudged) await expectSomeScopePermits(ctx);
      throw error;
    }
  }),

  ...callsRefused('5.1/no-header', [401], 'it has no token', noHeader, expectTokenNeeded),
  ...callsRefused('5.1/other-scheme', [401, 400], 'its credentials are not a bearer token', otherSchemes),
  ...callsRefused('5.2/garbage', [401, 400], 'its bearer value is not a JSON Web Token', garbage),
  // A parser may read the first three parts only.
  tokensRefused(
    '5.2/further-part',
    ['token'],
    'its bearer value has a fourth part, so that it is not a JSON Web Token',
    async (ctx, variation) =>
      variation > 1 ? [] : [await (await alterableToken(ctx, variation)).altered('further-part')],
    () => [401, 400],
  ),
  ...callsRefused('5.2/three-parts', [401, 400], 'its three parts are not a JSON Web Token', threeParts),

  otherPlaceRefused('5.1/other-scheme-name', 'under a scheme other than Bearer', (token, ctx, variation) => {
    // Laravel looks for Bearer anywhere in the field.
    const others = ['Token', 'Basic Bearer', 'Bearer:', 'Bearerx'];
    const schemes = [
      ...inTurn(ctx, ['', 'JWT'], variation),
      ...(variation === 0 ? inTurn(ctx, others, 0) : []),
    ];
    return schemes.map((scheme) => withScheme(token, scheme));
  }),

  otherPlaceRefused('5.1/token-in-query', 'in the query, not in Authorization', (token, ctx, variation) => {
    const others = variation === 0 ? inTurn(ctx, ['token', 'api_token', 'jwt', 'auth_token'], 0) : [];
    return ['access_token', ...others].map((name) => ({
      authorization: null,
      query: { [name]: jwtOf(token) },
    }));
  }),

  otherPlaceRefused(
    '5.1/token-in-cookie',
    'in a cookie and other fields, not in Authorization',
    (token, _ctx, variation) => {
      // Two variations are enough: a service reads the cookies of every request in the same way.
      if (variation > 1) return [];
      const jwt = jwtOf(token);
      // With a long token, several cookies and fields would be longer than the header sections that servers read.
      const names = [
        'access_token',
        ...(jwt.length > longToken ? [] : ['access_token_cookie', 'jwt', 'auth', 'token', 'Authorization']),
      ];
      const cookie = ['cookie', names.map((name) => `${name}=${jwt}`).join('; ')] as const;
      const fields = [
        ['x-access-token', jwt],
        ['x-auth-token', jwt],
        ['x-authorization', `Bearer ${jwt}`],
      ] as const;
      return [{ authorization: null, headers: [cookie, ...(2 * jwt.length > longToken ? [] : fields)] }];
    },
  ),

  requirement('5.2/further-claims', { needs: ['mint'] }, async (ctx) => {
    const usual = ctx.minter.claims(ctx.operation.scopes);
    const made = Object.values(claimChanges).map(({ claims }) => claims(usual, String(ctx.seed)));
    // A library may read the scope claim of RFC 9068, which is not the one of section 5.
    const further: readonly Claims[] = [...made, { scope: 'openid profile' }, { permissions: [] }];
    const send = async (claims: Claims) =>
      ctx.call({ authorization: await ctx.minter.sign({ ...usual, ...claims }), variation: 0 });
    const combined = await send(Object.assign({}, ...further));
    // Finds the one that is refused.
    for (const claims of isRefusal(combined) ? further : [])
      await expectPermitted(ctx, await send(claims), `its token also has ${Object.keys(claims).join(', ')}`);
    await expectPermitted(ctx, combined, 'its token also has other claims');
  }),

  requirement('5.2/far-future', { needs: ['mint'] }, async (ctx) => {
    const now = ctx.minter.now();
    for (const variation of twoVariations(ctx)) {
      // Beyond January 2038, when seconds no longer fit into 31 bits, or beyond 2286, when they have 11 digits. Issued some minutes or
      // days ago.
      const years = variation === 0 ? 12 : 300;
      const claims = { iat: now - 3 * minute - variation * 2 * day, exp: now + years * year };
      const authorization = await minted(ctx, claims, variation);
      const result = await ctx.call({ authorization, variation });
      await expectPermitted(ctx, result, `the token is valid for another ${years} years`);
    }
  }),

  expiredTokensRefused('7/expired-minutes', widestLeeway + 1, '6 minutes', minute),
  // A NumericDate may have a fraction (RFC 7519, section 2).
  expiredTokensRefused('7/expired-hour', hour, 'an hour', hour, (exp) => [
    { iat: exp - minute, exp: exp - 0.5 },
    // More milliseconds ago than 31 bits hold.
    { iat: exp - 31 * day, exp: exp - 30 * day },
  ]),
  // For servers that trust tokens of a long life, count days in a signed byte, compare times as text (fewer digits than now), or
  // take 0 for none.
  expiredTokensRefused('7/expired-year', 200 * day, '200 days', 30 * day, () =>
    [999_999_999, 0, -1].map((exp) => ({ iat: Math.max(0, exp - hour), exp })),
  ),

  requirement('7/expires-with-time', { needs: ['mint', 'clock'], lane: 'exclusive' }, async (ctx) => {
    const { clock, minter } = ctx;
    const old = await minted(ctx, { exp: minter.now() - widestLeeway - minute });
    if (status(await ctx.probe({ authorization: old })) !== 401)
      throw new NotJudged('a token that has already expired is not refused with 401: see 7/expired-minutes');
    // A server may cache verified tokens for minutes, so one of them expires within these.
    const now = minter.now();
    const tokens = await settleAll([minute, hour], async (lifetime) => {
      const authorization = await minted(ctx, { exp: now + lifetime });
      // It is sent in the same variations before and after it expires.
      const variations = ctx.share(variationsOf(ctx)).slice(0, lifetime === hour ? undefined : 1);
      const calls = variations.map((variation) => ({ authorization, variation, sameVariation: true }));
      return { lifetime, calls };
    });
    for (const call of tokens.flatMap(({ calls }) => calls)) assertTwinServed(ctx, await ctx.call(call));
    for (const { lifetime, calls } of tokens) {
      await clock.moveTo(now + lifetime + widestLeeway + minute);
      await settleAll(calls, async (call) => {
        const result = await ctx.probe(call);
        expectRefused(result, 'the token was accepted before but has expired since', [401]);
      });
    }
  }),

  statusWith('5.2/no-expiry', () => ({ exp: undefined })),
  statusWith('5.2/not-before', (now) => ({ nbf: now + hour })),
  statusWith('5.2/other-audience', () => ({ aud: 'https://elsewhere.example/' })),

  observation('5.2/leeway', { needs: ['mint'] }, async (ctx) => {
    let accepted = -1;
    for (const seconds of [0, 5, 10, 30, 60, 120, 299]) {
      const authorization = await minted(ctx, { exp: ctx.minter.now() - seconds });
      if (isRefusal(await ctx.call({ authorization }))) break;
      accepted = seconds;
    }
    return accepted < 0 ? 'none' : `at least ${accepted} seconds`;
  }),

  statusOf('5.1/scheme-case', { needs: ['token'] }, async (ctx) =>
    withScheme(await ctx.token(ctx.operation.scopes), 'bearer'),
  ),
];
