import type { Authorization } from '../lib/client/exchange.ts';
import type { ContextFor } from '../lib/runner/context.ts';
import { expectRefused } from '../lib/runner/expect.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { expectOthersRefused, otherClaims } from './request-variations.ts';

/** Section 7, row 401: signatures of tokens. Judged on every operation that needs a token. */

/**
 * The request with a good minted token is served, and then with each of these refused with 401: in this order, so that a
 * server that remembers good tokens by less than all of their text is seen to.
 */
export async function mintedRefused(
  ctx: ContextFor<'mint'>,
  tokens: readonly Authorization[],
  because: string,
  wanted: readonly number[] = [401],
) {
  const { minter, operation } = ctx;
  const good = await minter.sign(minter.claims(operation.scopes));
  await ctx.twin(() => ctx.call({ authorization: good }));
  await settleAll(tokens, async (authorization) =>
    expectRefused(await ctx.probe({ authorization }), because, wanted),
  );
  await expectOthersRefused(ctx, tokens, because, wanted);
}

export const signatures: readonly Check[] = [
  requirement('7/alg-none', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const claims = minter.claims(operation.scopes);
    const algorithms = ['none', 'None', 'NONE', 'nOnE'];
    await mintedRefused(
      ctx,
      algorithms.map((alg) => minter.unsigned(claims, alg)),
      'the token is not signed',
    );
  }),

  requirement('7/hmac-public-key', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const tokens = await minter.hmacByPublicKey(minter.claims(operation.scopes));
    const because = 'the token is signed with the public key, which anyone may know, as an HMAC secret';
    await mintedRefused(ctx, tokens, because);
  }),

  requirement('7/stranger-key', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const tokens = await settleAll(otherClaims(ctx), (claims) =>
      minter.signWithUntrustedKey({ ...minter.claims(operation.scopes), ...claims }),
    );
    await mintedRefused(
      ctx,
      tokens,
      "another key than the trusted one of this kid made the token's signature",
    );
  }),

  requirement('7/unknown-kid', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const claims = minter.claims(operation.scopes);
    const kids = [{ kid: 'no-such-key' }, { kid: undefined }, { kid: '../../dev/null' }, { kid: '' }];
    const tokens = await settleAll(kids, (header) => minter.signWithUntrustedKey(claims, header));
    await mintedRefused(ctx, tokens, "nobody trusts the key that made the token's signature");
  }),

  requirement('7/embedded-key', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const jwk = await minter.untrustedPublicKey();
    const claims = minter.claims(operation.scopes);
    const headers = [{ jwk }, { jwk, kid: jwk.kid ?? 'embedded' }, { jwk, kid: undefined }];
    const tokens = await settleAll(headers, (header) => minter.signWithUntrustedKey(claims, header));
    await mintedRefused(
      ctx,
      tokens,
      'the token brings the key for its signature with it (RFC 7515, section 4.1.3)',
    );
  }),

  requirement('7/payload-changed', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const claims = minter.claims(operation.scopes);
    const tokens = [
      await minter.tampered({ ...claims, scopes: {} }, claims),
      await minter.tampered({ ...claims, exp: minter.now() - 3600 }, claims),
      await minter.tampered(claims, { ...claims, sub: 'someone-else' }),
    ];
    await mintedRefused(ctx, tokens, "the token's payload is not the one that was signed");
  }),

  requirement('7/signature-missing', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const signed = await minter.sign(minter.claims(operation.scopes));
    const [header = '', payload = '', signature = ''] = signed.value.split('.');
    const cut = ['', signature.slice(0, 20), 'AAAA', 'A'.repeat(signature.length)];
    const tokens = cut.map((rest) => ({
      ...signed,
      signature: 'missing',
      value: `${header}.${payload}.${rest}`,
    }));
    await mintedRefused(ctx, tokens, 'the signature of the token was taken away', [401, 400]);
  }),
];
