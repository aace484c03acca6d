import type { Authorization } from '../lib/client/exchange.ts';
import { expectRefused } from '../lib/runner/expect.ts';
import { expectTwinServed } from '../lib/runner/permission.ts';
import { type Check, type ContextFor, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { type Claims, expectLaterPageRefused, inTurn, minted, rounds } from './request-variations.ts';

/** Section 7, row 401: signatures of tokens. Judged on every operation that needs a token. */

/**
 * The request with a good minted token is served, and then with each of these refused with 401: in this order, so that a
 * server that remembers good tokens by less than all of their text is seen to.
 * @param make makes one token of each kind, for each time that they are sent
 */
export async function mintedRefused(
  ctx: ContextFor<'mint'>,
  make: (variation: number) => Promise<readonly Authorization[]>,
  because: string,
  wanted: readonly number[] = [401],
) {
  const good = await minted(ctx);
  await ctx.twin({ authorization: good });
  const tokens = await make(0);
  const calls = tokens.map((authorization) => ({ authorization, variation: 0 }));
  for (const variation of rounds(ctx).slice(1))
    for (const authorization of await make(variation)) calls.push({ authorization, variation });
  const tried = ctx.share(calls, 3);
  await settleAll(tried, async (call) => expectRefused(await ctx.probe(call), because, wanted));
  await expectLaterPageRefused(ctx, tokens, because, wanted);
}

type WrongTokens = (
  ctx: ContextFor<'mint'>,
  claims: () => Claims,
  variation: number,
) => Promise<readonly Authorization[]>;

/** Tokens with wrong signatures, made of the claims that permit the operation, are refused. */
const wrong = (id: string, because: string, tokens: WrongTokens, wanted: readonly number[] = [401]): Check =>
  requirement(id, { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const make = (variation: number) =>
      tokens(ctx, () => ctx.minter.claims(ctx.operation.scopes, variation), variation);
    await mintedRefused(ctx, make, because, wanted);
  });

/** The same, each time after the good token of the same claims, which a server may remember by a part of its text, was accepted. */
const wrongAfterGood = (id: string, because: string, tokens: WrongTokens): Check =>
  requirement(id, { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    for (const variation of ctx.share(rounds(ctx))) {
      const claims = ctx.minter.claims(ctx.operation.scopes, variation);
      const sameVariation = { variation, variedAs: 'good and wrong', anyQuery: true };
      const authorization = await ctx.minter.sign(claims);
      expectTwinServed(ctx, await ctx.call({ authorization, ...sameVariation }));
      for (const each of await tokens(ctx, () => claims, variation))
        expectRefused(await ctx.probe({ authorization: each, ...sameVariation }), because, [401]);
    }
    const later = await tokens(ctx, () => ctx.minter.claims(ctx.operation.scopes), 0);
    await expectLaterPageRefused(ctx, later, because, [401]);
  });

export const signatures: readonly Check[] = [
  wrong('7/alg-none', 'the token is not signed', async (ctx, claims, variation) => {
    const { minter } = ctx;
    // A library may take an algorithm that it does not have for none.
    const unsigned = ['none', 'nOnE'].map((alg) => minter.unsigned(claims(), { alg }));
    const { value, ...shown } = minter.unsigned(claims());
    const others = [
      minter.unsigned(claims(), { alg: 'FOO' }),
      { ...shown, value: `${value}AAAA` },
      minter.unsigned(claims(), { alg: 'ES512' }),
    ];
    return [...unsigned, ...inTurn(ctx, others, variation)];
  }),

  wrong(
    '7/hmac-public-key',
    'the token is signed with the public key, which anyone may know, as an HMAC secret',
    async (ctx, claims, variation) => {
      const made = await settleAll(['HS256', 'HS512', 'HS384'] as const, (alg) =>
        ctx.minter.hmacByPublicKey(claims(), alg),
      );
      // The PEM, which libraries load, and the DER in every variation, the other forms in turn.
      const [[pem, der, ...forms] = [], [longer] = [], [long] = []] = made;
      const others = inTurn(ctx, [long, ...forms], variation);
      return [pem, der, longer, ...others].filter((each) => each !== undefined);
    },
  ),

  wrongAfterGood(
    '7/stranger-key',
    "another key than the trusted one of this kid made the token's signature",
    async ({ minter }, claims) => [await minter.signWithUntrustedKey(claims())],
  ),

  wrong('7/unknown-kid', "the key that made the token's signature is not trusted", (ctx, claims, variation) =>
    settleAll(['no-such-key', undefined, ...inTurn(ctx, ['../../dev/null', ''], variation)], (kid) =>
      ctx.minter.signWithUntrustedKey(claims(), { kid }),
    ),
  ),

  wrong(
    '7/embedded-key',
    'the token brings the key for its signature with it (RFC 7515, section 4.1.3)',
    async ({ minter }, claims) => {
      const jwk = await minter.untrustedPublicKey();
      const headers = [{ jwk }, { jwk, kid: jwk.kid ?? 'embedded' }, { jwk, kid: undefined }];
      return settleAll(headers, (header) => minter.signWithUntrustedKey(claims(), header));
    },
  ),

  wrongAfterGood(
    '7/payload-changed',
    "the token's payload is not the one that was signed",
    async ({ minter, operation }, claims) => [
      ...(operation.scopes.length > 0 ? [await minter.tampered({ ...claims(), scopes: {} }, claims())] : []),
      await minter.tampered({ ...claims(), exp: minter.now() - 3600 }, claims()),
      await minter.tampered(claims(), { ...claims(), sub: 'someone-else' }),
    ],
  ),

  wrong(
    '7/signature-missing',
    'the signature of the token was taken away',
    async ({ minter }, claims, variation) => {
      const signed = await minter.sign(claims());
      const [header = '', payload = '', signature = ''] = signed.value.split('.');
      const swapped = signature.replace(/[A-Za-z]/g, (each) =>
        each < 'a' ? each.toLowerCase() : each.toUpperCase(),
      );
      const cut = ['', signature.slice(0, -4), 'A'.repeat(signature.length), swapped];
      const others = cut.map(
        (rest): Authorization => ({
          ...signed,
          signature: 'missing',
          value: `${header}.${payload}.${rest}`,
        }),
      );
      // Without alg it is not a JSON Web Token either (RFC 7515, section 4.1.1).
      return variation > 0 ? others : [...others, minter.unsigned(claims(), { alg: undefined })];
    },
    [401, 400],
  ),
];
