import { status } from '../lib/judge/answer.ts';
import { expectRefused, expectServed, isRefusal } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { type Entry, observation, requirement } from '../lib/judge/requirement.ts';
import { NotJudged } from '../lib/judge/verdict.ts';
import type { Authorization } from '../lib/target/exchange.ts';

/** Section 5, items 1 and 2, and section 7: which tokens let a request in. Judged on every operation that needs one. */

const minute = 60;
const hour = 60 * minute;
const year = 365 * 24 * hour;

/** Servers commonly allow clocks to differ by up to five minutes; what expired longer ago is expired for all. */
const widestLeeway = 5 * minute;

/** An Authorization value that is no secret, so that reports show it as it is. */
const literal = (value: string): Authorization => ({ value, secret: false });

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Bearer values that are no JSON Web Token, by RFC 7519 or by their form. */
const garbage = ['garbage', 'a.b', 'ab.cd.ef.gh.ij.kl', 'bm90IGEgdG9rZW4', '-', 'null', 'undefined'];

/** Three parts with dots between them, as a JWS has them, without a JSON header or payload behind. */
const threeParts = ['a.b.c', 'garbage.garbage.garbage', `${base64url('{}')}.${base64url('[]')}.AAAA`, '..'];

/** The request with each of these Authorization values is refused; with a valid token, where there is one, it is served. */
async function eachRefused(
  judging: Judging,
  values: readonly (Authorization | null)[],
  because: string,
  wanted: readonly number[] = [],
) {
  await Promise.all(
    values.map(async (authorization) =>
      expectRefused(await judging.probe({ authorization }), because, wanted),
    ),
  );
  if (judging.can('token')) await judging.twin(() => judging.call());
}

/** Where the request is refused, it is with one of these statuses; that it is refused at all is another requirement. */
async function eachRefusedWith(
  judging: Judging,
  values: readonly (Authorization | null)[],
  because: string,
  wanted: readonly number[],
) {
  let refusals = 0;
  for (const authorization of values) {
    const answer = await judging.probe({ authorization });
    if (!isRefusal(answer)) continue;
    refusals += 1;
    expectRefused(answer, because, wanted);
  }
  if (refusals === 0) throw new NotJudged('nothing was refused: another requirement blames that');
}

/**
 * The request with a good minted token is served, and then with each of these refused with 401: in this order, so that a
 * server that remembers good tokens by less than all of their text is seen to.
 */
async function mintedRefused(
  judging: Judging,
  tokens: readonly Authorization[],
  because: string,
  wanted = [401],
) {
  const { forge, operation } = judging;
  const good = await forge.sign(forge.claims(operation.scopes));
  await judging.twin(() => judging.call({ authorization: good }));
  await Promise.all(
    tokens.map(async (authorization) =>
      expectRefused(await judging.probe({ authorization }), because, wanted),
    ),
  );
}

/** Where no token at all is enough, it proves nothing that one in a wrong place is: another requirement says so. */
async function refusedWithoutToken(judging: Judging): Promise<void> {
  if (!isRefusal(await judging.probe({ authorization: null })))
    throw new NotJudged('the request is served without any token: see 5.1/no-header');
}

const expired = (id: string, secondsAgo: number): Entry =>
  requirement(id, async (judging) => {
    const { forge, operation } = judging;
    const now = forge.now();
    const claims = { ...forge.claims(operation.scopes), iat: now - secondsAgo - hour, exp: now - secondsAgo };
    await mintedRefused(judging, [await forge.sign(claims)], `the token expired ${secondsAgo} seconds ago`);
  });

const otherSchemes = async (judging: Judging): Promise<Authorization[]> => {
  const schemes = [
    literal('Basic Y2xpZW50OnNlY3JldA=='),
    literal('Digest username="client"'),
    literal('Token abc'),
  ];
  if (!judging.can('token')) return schemes;
  const { value, ...shown } = await judging.token(judging.operation.scopes);
  const jwt = value.replace(/^Bearer /, '');
  return [
    ...schemes,
    { ...shown, value: `Basic ${jwt}` },
    { ...shown, value: `JWT ${jwt}` },
    { ...shown, value: jwt },
  ];
};

export const authentication: readonly Entry[] = [
  requirement('5.1/valid-token', async (judging) => {
    expectServed(await judging.call(), 'its token is valid and permits the operation');
  }),

  requirement('5.1/no-header', (judging) => eachRefused(judging, [null], 'it carries no token')),

  requirement('5.1/no-header-401', (judging) =>
    eachRefusedWith(judging, [null], 'it carries no token', [401]),
  ),

  requirement('5.1/other-scheme', async (judging) =>
    eachRefused(judging, await otherSchemes(judging), 'its credentials are no bearer token'),
  ),

  requirement('5.1/other-scheme-401', async (judging) =>
    eachRefusedWith(judging, await otherSchemes(judging), 'its credentials are no bearer token', [401]),
  ),

  requirement('5.1/token-in-query', async (judging) => {
    await refusedWithoutToken(judging);
    const { value } = await judging.token(judging.operation.scopes);
    const jwt = value.replace(/^Bearer /, '');
    for (const name of ['access_token', 'token']) {
      const answer = await judging.probe({ authorization: null, query: { [name]: jwt } });
      expectRefused(answer, 'the token stands in the query, not in the Authorization header');
    }
    await judging.twin(() => judging.call());
  }),

  requirement('5.1/token-in-cookie', async (judging) => {
    await refusedWithoutToken(judging);
    const { value } = await judging.token(judging.operation.scopes);
    const jwt = value.replace(/^Bearer /, '');
    const headers = [['cookie', `access_token=${jwt}; token=${jwt}; Authorization=${jwt}`]] as const;
    const answer = await judging.probe({ authorization: null, headers });
    expectRefused(answer, 'the token stands in a cookie, not in the Authorization header');
    await judging.twin(() => judging.call());
  }),

  requirement('5.2/garbage', (judging) =>
    eachRefused(
      judging,
      garbage.map((each) => literal(`Bearer ${each}`)),
      'its bearer value is no JSON Web Token',
    ),
  ),

  requirement('5.2/garbage-401', (judging) =>
    eachRefusedWith(
      judging,
      garbage.map((each) => literal(`Bearer ${each}`)),
      'its bearer value is no JSON Web Token',
      [401, 400],
    ),
  ),

  requirement('5.2/three-parts', (judging) =>
    eachRefused(
      judging,
      threeParts.map((each) => literal(`Bearer ${each}`)),
      'the three parts hold no JSON Web Token',
    ),
  ),

  requirement('5.2/three-parts-401', (judging) =>
    eachRefusedWith(
      judging,
      threeParts.map((each) => literal(`Bearer ${each}`)),
      'the three parts hold no JSON Web Token',
      [401, 400],
    ),
  ),

  requirement('5.2/far-future', async (judging) => {
    const { forge, operation } = judging;
    for (const years of [10, 100]) {
      const claims = { ...forge.claims(operation.scopes), exp: forge.now() + years * year };
      expectServed(
        await judging.call({ authorization: await forge.sign(claims) }),
        `the token is valid for another ${years} years`,
      );
    }
  }),

  requirement('7/alg-none', async (judging) => {
    const { forge, operation } = judging;
    const claims = forge.claims(operation.scopes);
    const algorithms = ['none', 'None', 'NONE', 'nOnE'];
    await mintedRefused(
      judging,
      algorithms.map((alg) => forge.unsigned(claims, alg)),
      'the token is not signed',
    );
  }),

  requirement('7/hmac-public-key', async (judging) => {
    const { forge, operation } = judging;
    const forged = await forge.hmacByPublicKey(forge.claims(operation.scopes));
    const because = 'the token is signed with the public key, which anyone may know, as an HMAC secret';
    await mintedRefused(
      judging,
      forged.map(({ token }) => token),
      because,
    );
  }),

  requirement('7/stranger-key', async (judging) => {
    const { forge, operation } = judging;
    const forged = await forge.signByStranger(forge.claims(operation.scopes));
    await mintedRefused(
      judging,
      [forged],
      "another key than the trusted one of this kid made the token's signature",
    );
  }),

  requirement('7/unknown-kid', async (judging) => {
    const { forge, operation } = judging;
    const claims = forge.claims(operation.scopes);
    const kids = [{ kid: 'no-such-key' }, { kid: undefined }, { kid: '../../dev/null' }, { kid: '' }];
    const forged = await Promise.all(kids.map((header) => forge.signByStranger(claims, header)));
    await mintedRefused(judging, forged, "nobody trusts the key that made the token's signature");
  }),

  requirement('7/embedded-key', async (judging) => {
    const { forge, operation } = judging;
    const jwk = await forge.strangerPublicKey();
    const claims = forge.claims(operation.scopes);
    const forged = await Promise.all([
      forge.signByStranger(claims, { jwk }),
      forge.signByStranger(claims, { jwk, kid: jwk.kid ?? 'embedded' }),
      forge.signByStranger(claims, { jwk, kid: undefined }),
    ]);
    await mintedRefused(
      judging,
      forged,
      'the token brings the key for its signature with it (RFC 7515, section 4.1.3)',
    );
  }),

  requirement('7/payload-changed', async (judging) => {
    const { forge, operation } = judging;
    const claims = forge.claims(operation.scopes);
    const forged = await Promise.all([
      forge.tampered({ ...claims, scopes: {} }, claims),
      forge.tampered({ ...claims, exp: forge.now() - hour }, claims),
      forge.tampered(claims, { ...claims, sub: 'someone-else' }),
    ]);
    await mintedRefused(judging, forged, "the token's payload is not the one that was signed");
  }),

  requirement('7/signature-missing', async (judging) => {
    const { forge, operation } = judging;
    const signed = await forge.sign(forge.claims(operation.scopes));
    const [header = '', payload = '', signature = ''] = signed.value.split('.');
    const cut = ['', signature.slice(0, 20), 'AAAA', 'A'.repeat(signature.length)];
    const forged = cut.map((rest) => ({ ...signed, value: `${header}.${payload}.${rest}` }));
    await mintedRefused(judging, forged, "the token's signature was taken away");
  }),

  expired('7/expired-minutes', widestLeeway + 1),
  expired('7/expired-hour', hour),
  expired('7/expired-year', year),

  requirement('7/expires-with-time', async (judging) => {
    const { clock, forge, operation } = judging;
    const claims = forge.claims(operation.scopes);
    const old = await forge.sign({ ...claims, exp: forge.now() - widestLeeway - minute });
    if (status(await judging.probe({ authorization: old })) !== 401)
      throw new NotJudged('a token that has expired already is not refused with 401: see 7/expired-minutes');
    const authorization = await forge.sign({ ...claims, exp: forge.now() + hour });
    await judging.twin(() => judging.call({ authorization }));
    await clock.until(forge.now() + hour + widestLeeway + minute);
    const answer = await judging.probe({ authorization });
    expectRefused(answer, 'the token, accepted before, has expired meanwhile', [401]);
  }),

  requirement('5.3/no-scopes-claim', async (judging) => {
    const { forge, operation } = judging;
    const { scopes: _scopes, ...claims } = forge.claims(operation.scopes);
    await mintedRefused(judging, [await forge.sign(claims)], 'the token has no scopes claim', [403, 401]);
  }),

  requirement('5.3/scopes-malformed', async (judging) => {
    const { forge, operation } = judging;
    const names = operation.scopes.map((scope) => scope.name);
    const malformed = [names.join(' '), names, null, 1, true, []];
    const claims = forge.claims(operation.scopes);
    const tokens = await Promise.all(malformed.map((scopes) => forge.sign({ ...claims, scopes })));
    await mintedRefused(judging, tokens, "the token's scopes claim is no map", [403, 401]);
  }),

  requirement('5.3/actions-missing', async (judging) => {
    const { forge, operation } = judging;
    const resources = (entry: (verb: string) => unknown) =>
      Object.fromEntries(operation.scopes.map(({ resource, verb }) => [resource, entry(verb)]));
    const maps = [
      resources(() => ({})),
      resources(() => ({ actions: [] })),
      resources(() => ({ actions: null })),
      resources(() => null),
      resources((verb) => ({ action: [verb] })),
      resources((verb) => ({ actions: verb })),
      resources((verb) => ({ actions: { [verb]: true } })),
      resources((verb) => [verb]),
      resources((verb) => ({ [verb]: true })),
    ];
    const claims = forge.claims(operation.scopes);
    const tokens = await Promise.all(maps.map((scopes) => forge.sign({ ...claims, scopes })));
    await mintedRefused(
      judging,
      tokens,
      "the resource's entry has no actions array with the verb in it",
      [403, 401],
    );
  }),

  requirement('5.2/scope-string', async (judging) => {
    const { forge, operation } = judging;
    const { scopes: _scopes, ...claims } = forge.claims(operation.scopes);
    if (!isRefusal(await judging.probe({ authorization: await forge.sign(claims) })))
      throw new NotJudged('a token without any scope is served too: see 5.3/no-scopes-claim');
    const scope = operation.scopes.map(({ name }) => name).join(' ');
    const tokens = [
      await forge.sign({ ...claims, scope }),
      await forge.sign({ ...claims, scope, scp: scope.split(' '), permissions: scope.split(' ') }),
    ];
    await mintedRefused(judging, tokens, 'its scope stands in a string, not in the scopes map', [403, 401]);
  }),

  observation('5.2/no-expiry', async (judging) => {
    const { forge, operation } = judging;
    const { exp: _exp, ...claims } = forge.claims(operation.scopes);
    return status(await judging.call({ authorization: await forge.sign(claims) }));
  }),

  observation('5.2/not-before', async (judging) => {
    const { forge, operation } = judging;
    const claims = { ...forge.claims(operation.scopes), nbf: forge.now() + hour };
    return status(await judging.call({ authorization: await forge.sign(claims) }));
  }),

  observation('5.2/leeway', async (judging) => {
    const { forge, operation } = judging;
    let accepted = -1;
    for (const seconds of [0, 5, 10, 30, 60, 120, 299]) {
      const claims = { ...forge.claims(operation.scopes), exp: forge.now() - seconds };
      const answer = await judging.call({ authorization: await forge.sign(claims) });
      if (isRefusal(answer)) break;
      accepted = seconds;
    }
    return accepted < 0 ? 'none' : `at least ${accepted} seconds`;
  }),

  observation('5.2/other-audience', async (judging) => {
    const { forge, operation } = judging;
    const claims = { ...forge.claims(operation.scopes), aud: 'https://elsewhere.example/' };
    return status(await judging.call({ authorization: await forge.sign(claims) }));
  }),

  observation('5.1/scheme-case', async (judging) => {
    const token = await judging.token(judging.operation.scopes);
    return status(
      await judging.call({ authorization: { ...token, value: token.value.replace(/^Bearer/, 'bearer') } }),
    );
  }),
];
