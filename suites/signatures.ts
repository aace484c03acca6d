import type { Authorization } from '../lib/client/exchange.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectRefused } from '../lib/runner/expect.ts';
import { assertTwinServed } from '../lib/runner/permission.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { signatures as allSignatures } from '../lib/tokens/jwt.ts';
import type { AlterableToken } from '../lib/tokens/token-alterer.ts';
import { expectLaterPageRefused, tokensRefused } from './refusals.ts';
import { type Claims, inTurn, variationsOf } from './requests.ts';

/** Section 7, row 401: signatures of tokens. Judged on every operation that requires a token. */

/**
 * A valid token for the operation, which can be altered. Throws NotJudged if there is none that is a JSON Web Token.
 * @param variation decides the claims of a minted token
 */
export async function alterableToken(ctx: RequirementContext, variation?: number): Promise<AlterableToken> {
  const { scopes } = ctx.operation;
  const { minter } = ctx;
  if (minter === undefined) {
    // Throws the reason if no token permits the operation.
    const token = ctx.tokens.alterable(await ctx.token(scopes));
    if (token !== undefined) return token;
    throw new NotJudged('the access token is not a signed JSON Web Token');
  }
  const claims = minter.claims(scopes, variation);
  return {
    claims,
    valid: () => minter.sign(claims),
    altered: (signature, header) => minter.sign(claims, header, signature),
  };
}

/** A token for the operation that was altered in this way; another one in each call if the suite mints tokens. */
async function alteredToken(
  ctx: RequirementContext,
  variation: number,
  ...change: Parameters<AlterableToken['altered']>
): Promise<Authorization> {
  return (await alterableToken(ctx, variation)).altered(...change);
}

/** Tokens with wrong signatures that are made from a valid token. */
type AlteredTokens = (
  ctx: RequirementContext,
  token: AlterableToken,
  variation: number,
) => Promise<readonly Authorization[]>;

/** These tokens are refused, each time after the valid one was accepted, which a server may cache by a part of its text. */
const refusedAfterValid = (id: string, because: string, tokens: AlteredTokens): Check =>
  requirement(id, { needs: ['token'] }, async (ctx) => {
    const made = await settleAll(ctx.share(variationsOf(ctx)), async (variation) => {
      const token = await alterableToken(ctx, variation);
      return { variation, valid: await token.valid(), wrong: await tokens(ctx, token, variation) };
    });
    // The first ones again, which a server has seen by then.
    for (const { variation, valid, wrong } of [...made, ...made.slice(0, 1)]) {
      const sameRequest = { variation, sameVariation: true, mayAddQuery: true };
      assertTwinServed(ctx, await ctx.call({ authorization: valid, ...sameRequest }));
      for (const authorization of wrong)
        expectRefused(await ctx.probe({ authorization, ...sameRequest }), because, [401]);
    }
    const later = await tokens(ctx, await alterableToken(ctx), 0);
    await expectLaterPageRefused(ctx, later, because, [401]);
  });

/** The secrets of an HMAC that are tried in turn. */
const hmacForms = allSignatures.filter((each) => each.startsWith('hmac') && !/-(empty|der)$/.test(each));

/** Ways to damage a signature; the third takes turns. */
const damages = [
  ['missing', 'cut', 'zeroed', 'other-case'],
  ['missing', 'cut', 'extended', 'other-case'],
] as const;

/** Values of `kid` that do not name a key, but that a lookup may find: a file, a member of every object, any row of a table. */
const otherKids = ['../../dev/null', 'constructor', '', "' OR '1'='1", 'k'.repeat(80)];

/** Values of `alg` that a library may take for `none`. */
const otherNones = ['nOnE', null, 'NONE', ['none'], 'None', 0];

export const signatures: readonly Check[] = [
  tokensRefused(
    '7/alg-none',
    ['token'],
    'the token is not signed',
    (ctx, variation) =>
      // Each with the trusted key's kid in some variations, and without it in the others.
      settleAll(['none', ...inTurn(ctx, otherNones, variation)].entries(), ([index, alg]) => {
        const header = { alg, ...((variation + index) % 2 === 1 && { kid: undefined }) };
        return alteredToken(ctx, variation, 'none', header);
      }),
    // A library may be unable to parse an algorithm that does not exist.
    ({ header }) => (header?.alg === 'none' ? [401] : [401, 400]),
  ),

  tokensRefused(
    '7/hmac-public-key',
    ['mint'],
    'the token is signed with an HMAC secret that is public: the public key, its kid or an empty text',
    (ctx, variation) => {
      const { minter, operation } = ctx;
      // The form that most libraries load in every variation, the other one and an empty secret in every second, the rest in turn.
      const pem = ['HS256', 'hmac-pem'] as const;
      const frequent = [
        ['HS256', 'hmac-der'],
        ['HS256', 'hmac-empty'],
      ] as const;
      const others = [
        ['HS512', 'hmac-pem'] as const,
        ...hmacForms.map((form) => [form === 'hmac-pem' ? 'HS384' : 'HS256', form] as const),
        // The kid names an empty file, whose content is the secret.
        ['HS256', 'hmac-empty', '../../dev/null'] as const,
      ];
      return settleAll(
        [pem, ...inTurn(ctx, frequent, variation), ...inTurn(ctx, others, variation)],
        ([alg, form, kid]) => {
          const header = { alg, ...(kid !== undefined && { kid }) };
          return minter.sign(minter.claims(operation.scopes, variation), header, form);
        },
      );
    },
  ),

  refusedAfterValid(
    '7/untrusted-key',
    "the token's signature was made with a key other than the trusted one of its kid",
    async (_ctx, token) => [await token.altered('untrusted-key')],
  ),

  tokensRefused(
    '7/unknown-kid',
    ['token'],
    "the token's signature was made with an untrusted key",
    (ctx, variation) =>
      settleAll(
        [
          { kid: 'no-such-key' },
          { kid: undefined, ...(variation % 2 === 1 && { typ: undefined }) },
          ...inTurn(ctx, otherKids, variation).map((kid) => ({ kid })),
        ],
        (header: Claims) => alteredToken(ctx, variation, 'untrusted-key', header),
      ),
  ),

  tokensRefused(
    '7/embedded-key',
    ['token'],
    'the token is signed with a key that only its own header names (RFC 7515, sections 4.1.2 to 4.1.5)',
    (ctx, variation) => {
      const url = 'https://keys.example/keys';
      const others = [
        ['embedded-key', { kid: undefined }],
        ['embedded-key', { kid: 'untrusted' }],
        ['untrusted-key', { x5u: url }],
      ] as const;
      const always = [
        ['embedded-key', {}],
        ['untrusted-key', { jku: url, kid: 'untrusted' }],
      ] as const;
      return settleAll([...always, ...inTurn(ctx, others, variation)], ([signature, header]) =>
        alteredToken(ctx, variation, signature, header),
      );
    },
  ),

  refusedAfterValid(
    '7/payload-changed',
    "the token's payload was changed after it was signed",
    async (ctx, { claims, altered }, variation) => {
      const { minter } = ctx;
      if (minter === undefined) return [await altered('changed-payload')];
      const expired = { ...claims, exp: minter.now() - 3600 };
      return [
        // As an attacker would: for somebody else, or for a longer time.
        await minter.tampered(claims, {
          ...claims,
          ...(variation % 2 === 0 ? { sub: 'someone-else' } : { exp: Number(claims.exp) + 3600 }),
        }),
        // In turn: the changed payload has the scope that the operation requires.
        variation % 2 === 0 || ctx.operation.scopes.length === 0
          ? await minter.tampered(expired, claims)
          : await altered('changed-payload'),
      ];
    },
  ),

  tokensRefused(
    '7/signature-missing',
    ['token'],
    "the token's signature was removed or damaged",
    async (ctx, variation) => {
      const { minter } = ctx;
      const token = await alterableToken(ctx, variation);
      // No valid request carries a minted one. Some servers cache header fields regardless of case.
      const unsent = { ...token.claims, exp: Number(token.claims.exp) + 1 };
      const damaged = await settleAll(damages[variation % 2] ?? [], (signature) =>
        minter === undefined ? token.altered(signature) : minter.sign(unsent, {}, signature),
      );
      // A decoder may need two parts only.
      const parts = damaged.map((each) =>
        variation % 2 === 0 ? each : { ...each, value: each.value.replace(/\.$/, '') },
      );
      // A token without alg is not a JSON Web Token (RFC 7515, section 4.1.1). A library may treat an algorithm that it does not
      // support as none, or ignore the signature of none.
      const ownInLowerCase = String(damaged[0]?.header?.alg).toLowerCase();
      const algorithms = [undefined, 'FOO', 'RS256', 'ES512', '', 'none', 'none ', ownInLowerCase];
      const unsigned = await settleAll(inTurn(ctx, algorithms, variation), async (alg) => {
        const token = await alteredToken(ctx, variation, 'none', { alg });
        return alg === 'none' ? { ...token, value: `${token.value}AAAA` } : token;
      });
      return [...parts, ...unsigned];
    },
    () => [401, 400],
  ),
];
