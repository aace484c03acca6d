import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Operation, Scope } from '../lib/contract/model.ts';
import { status } from '../lib/judge/answer.ts';
import { heldMessages } from '../lib/judge/content.ts';
import { expectRefused, expectServed, expectThat, isRefusal } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { type Entry, requirement } from '../lib/judge/requirement.ts';
import { NotJudged, Violation } from '../lib/judge/verdict.ts';
import { scopesClaim } from '../lib/target/jwt.ts';
import { byKnownClients, emptyScopes, tokenWithout } from './known-clients.ts';

/**
 * Section 5, items 3 and 5: an operation is allowed exactly when the token's scopes hold the one that it requires.
 * Each requirement stands twice, for operations whose scope a sentence names and for those whose scope is inferred.
 */

/** Characters of a token's payload that stay clear of the header limits of common servers and proxies (8 KB a field). */
const payloadCharacters = 3500;

/** A token's payload with these scopes, measured as JSON; the other claims have room in 300 characters. */
function charactersOf(scopes: readonly Scope[]): number {
  return 300 + JSON.stringify(scopesClaim(scopes)).length;
}

/** The scopes in groups of about the same size, each small enough for one token. */
function split(scopes: readonly Scope[]): readonly (readonly Scope[])[] {
  if (scopes.length < 2 || charactersOf(scopes) <= payloadCharacters) return [scopes];
  const half = Math.ceil(scopes.length / 2);
  return [...split(scopes.slice(0, half)), ...split(scopes.slice(half))];
}

const scope = (verb: string, resource: string): Scope => ({ name: `${verb}:${resource}`, verb, resource });

const requires = ({ scopes }: Operation, other: Scope): boolean =>
  scopes.some(({ name }) => name === other.name);

/** The scopes of the catalogue that the operation does not need. */
const others = ({ contract, operation }: Judging): readonly Scope[] =>
  contract.scopes.filter((each) => !requires(operation, each));

/** Refused with 403 for the scopes that it carries. */
async function expectForbidden(judging: Judging, scopes: readonly Scope[], because: string): Promise<number> {
  const answer = await judging.probe({ authorization: await judging.token(scopes) });
  expectRefused(answer, because, [403]);
  return status(answer);
}

/**
 * The answer to a token of several scopes is 403. Where it is not, and one of the scopes alone gets no 403 either,
 * each-scope-alone blames the server for that one, and together they prove nothing more.
 */
async function expectForbiddenTogether(
  judging: Judging,
  scopes: readonly Scope[],
  because: string,
): Promise<void> {
  try {
    await expectForbidden(judging, scopes, because);
  } catch (error) {
    for (const each of scopes) {
      await expectForbidden(judging, [each], because).catch(() => {
        throw new NotJudged(`${each.name} alone is not refused with 403: see 5.5/each-scope-alone`);
      });
    }
    throw error;
  }
}

/** The one of several that failed first, after all of them have been tried. */
async function all(promises: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  const failures = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((each) => each instanceof Violation) ?? failures[0];
}

const twin = (judging: Judging) => judging.twin(() => judging.call());

/**
 * Each of these scopes is refused with 403: each in a token of its own, or, where the matrix is grouped, as many in one
 * token as it carries. Of a group that is let in the guilty one is found by halves, so that it is named all the same.
 * @param cell told of each scope's status
 */
async function eachForbidden(
  judging: Judging,
  candidates: readonly Scope[],
  because: (scope: Scope) => string,
  cell: (scope: Scope, code: number) => void = () => {},
): Promise<void> {
  const refused = async (group: readonly Scope[]): Promise<void> => {
    const [first, ...more] = group;
    if (first === undefined) return;
    const answer = await judging.probe({ authorization: await judging.token(group) });
    const code = status(answer);
    if (code === 403 || more.length === 0) for (const each of group) cell(each, code);
    else await all([group.slice(0, group.length / 2), group.slice(group.length / 2)].map(refused));
    const reason =
      more.length === 0
        ? because(first)
        : `its token has ${group.length} scopes, none of them the one it needs`;
    expectRefused(answer, reason, [403]);
  };
  await all(
    (judging.run.matrix === 'full' ? candidates.map((each) => [each]) : split(candidates)).map(refused),
  );
}

/** Words that servers have been seen to take for the verb: other forms, other words for it, and wildcards. */
const wrongVerbs = (verb: string): readonly string[] =>
  [
    'create',
    'read',
    'update',
    'delete',
    'write',
    'list',
    'get',
    'manage',
    'admin',
    'all',
    '*',
    '',
    verb.toUpperCase(),
    `${verb} `,
    ` ${verb}`,
    `${verb}s`,
    verb.slice(0, -1),
    `${verb}:`,
  ].filter((each) => each !== verb);

/** Names that servers have been seen to take for the resource. */
const similarResources = (resource: string): readonly string[] =>
  [
    '*',
    '',
    'all',
    `${resource}s`,
    resource.slice(0, -1),
    resource.toUpperCase(),
    `${resource} `,
    ` ${resource}`,
    `${resource}_`,
    `x${resource}`,
    resource.replaceAll('_', '-'),
    resource.split('_')[0] ?? '',
    `${resource}.*`,
  ].filter((each) => each !== resource);

const families: Readonly<Record<string, (judging: Judging) => Promise<void>>> = {
  'required-scope': async (judging) => {
    const { operation } = judging;
    const answer = await judging.call({ authorization: await judging.token(operation.scopes) });
    for (const { name } of operation.scopes) judging.run.cell(operation, name, status(answer));
    expectServed(answer, `its token has ${operation.scopes.map(({ name }) => name).join(' and ')}`);
  },

  'each-scope-alone': async (judging) => {
    const { operation, run } = judging;
    const cell = ({ name }: Scope, code: number) => run.cell(operation, name, code);
    await eachForbidden(judging, others(judging), ({ name }) => `its token has ${name} alone`, cell);
    await twin(judging);
  },

  'wrong-verb': async (judging) => {
    const wanted = judging.operation.scopes;
    const wrong = wanted.flatMap(({ verb, resource }) =>
      wrongVerbs(verb).map((each) => scope(each, resource)),
    );
    await eachForbidden(
      judging,
      wrong,
      ({ verb, resource }) => `its token has ${JSON.stringify(verb)} on ${resource}`,
    );
    const [first] = wanted;
    if (first !== undefined) {
      const every = wrongVerbs(first.verb).map((each) => scope(each, first.resource));
      await expectForbidden(
        judging,
        every,
        `its token has every verb on ${first.resource} but ${first.verb}`,
      );
    }
    await twin(judging);
  },

  'wrong-resource': async (judging) => {
    const { contract, operation } = judging;
    const resources = [...new Set(contract.scopes.map(({ resource }) => resource))];
    const catalogue = new Set(contract.scopes.map(({ name }) => name));
    const wrong = operation.scopes.flatMap(({ verb, resource }) =>
      [
        ...resources.filter((each) => each !== resource && !catalogue.has(`${verb}:${each}`)),
        ...similarResources(resource),
      ].map((each) => scope(verb, each)),
    );
    await eachForbidden(
      judging,
      wrong,
      ({ verb, resource }) => `its token has ${verb} on ${JSON.stringify(resource)}`,
    );
    await twin(judging);
  },

  'all-but-required': async (judging) => {
    await all(
      split(others(judging)).map((group) =>
        expectForbiddenTogether(
          judging,
          group,
          `its token has ${group.length} scopes, none of them the one it needs`,
        ),
      ),
    );
    await twin(judging);
  },

  'among-others': async (judging) => {
    const { operation } = judging;
    const needed = operation.scopes;
    for (const group of split(others(judging))) {
      const half = group.slice(0, Math.ceil(group.length / 2));
      const places: readonly (readonly Scope[])[] = [
        [...needed, ...group],
        [...group, ...needed],
        [...half, ...needed, ...group.slice(half.length)],
      ];
      await all(
        places.map(async (scopes) =>
          expectServed(
            await judging.call({ authorization: await judging.token(scopes) }),
            `its token has ${needed.map(({ name }) => name).join(' and ')} among ${scopes.length} scopes`,
          ),
        ),
      );
    }
    // The verb's own place among the actions of its resource matters as much as the resource's among the others.
    for (const { verb, resource } of needed) {
      const verbs = ['create', 'read', 'update', 'delete'].filter((each) => each !== verb);
      for (const actions of [
        [verb, ...verbs],
        [...verbs, verb],
      ]) {
        const scopes = [
          ...needed.filter((each) => each.resource !== resource),
          ...actions.map((each) => scope(each, resource)),
        ];
        const answer = await judging.call({ authorization: await judging.token(scopes) });
        expectServed(answer, `its token has the actions ${actions.join(', ')} on ${resource}`);
      }
    }
  },

  'any-set': async (judging) => {
    const { contract, operation } = judging;
    const picks = fc.uniqueArray(fc.constantFrom(...contract.scopes), {
      minLength: 1,
      maxLength: 40,
      // As often forty as one: left alone, fast-check prefers short ones.
      size: 'max',
      selector: ({ name }) => name,
    });
    const withNeeded = fc.tuple(picks, fc.boolean()).map(([scopes, needed]) => {
      const rest = scopes.filter((each) => !requires(operation, each));
      return needed || rest.length === 0 ? [...rest, ...operation.scopes] : rest;
    });
    await judging.property(
      withNeeded.map((scopes) => scopes.map(({ name }) => name)),
      async (names) => {
        const scopes = contract.scopes.filter(({ name }) => names.includes(name));
        const permitted = operation.scopes.every(({ name }) => names.includes(name));
        if (!permitted) {
          const because = `none of its token's ${names.length} scopes is the one it needs`;
          return expectForbiddenTogether(judging, scopes, because);
        }
        const answer = await judging.call({ authorization: await judging.token(scopes) });
        expectServed(answer, `its token has the scope it needs among ${names.length}`);
      },
      { runs: judging.run.matrix === 'full' ? judging.run.runs : Math.ceil(judging.run.runs / 10) },
    );
  },
};

export const scopes: readonly Entry[] = [
  ...Object.entries(families).flatMap(([slug, chosen]) => {
    const judge = (judging: Judging) =>
      judging.can('scopes') ? chosen(judging) : (byKnownClients[slug] ?? chosen)(judging);
    return [requirement(`5.5/${slug}`, judge), requirement(`5.5/${slug}-inferred`, judge)];
  }),

  requirement('5.3/empty-scopes', async (judging) => {
    if (!judging.can('mint')) return emptyScopes(judging);
    const { forge, operation } = judging;
    await twin(judging);
    const claims = { ...forge.claims(operation.scopes), scopes: {} };
    const answer = await judging.probe({ authorization: await forge.sign(claims) });
    expectRefused(answer, 'the token permits nothing', [403]);
  }),

  requirement('5.3/refused-changes-nothing', async (judging) => {
    const none: readonly Scope[] = [scope('read', 'stats')];
    const token = () => (judging.can('scopes') ? judging.token(none) : tokenWithout(judging));
    await expectUnchanged(judging, token, 'its token permits something else');
  }),

  requirement('5.3/expired-changes-nothing', async (judging) => {
    const { forge, operation } = judging;
    const claims = { ...forge.claims(operation.scopes), exp: forge.now() - 86_400 };
    await expectUnchanged(judging, () => forge.sign(claims), 'its token has expired');
  }),
];

/** The tenant holds the same before and after a request that is refused for its token. */
async function expectUnchanged(
  judging: Judging,
  token: () => ReturnType<Judging['token']>,
  because: string,
): Promise<void> {
  const control = judging.control('inspect');
  const before = await control.inspect();
  const json =
    judging.operation.body === undefined
      ? {}
      : {
          json: {
            enrollment_message: `refused ${judging.seed}`,
            verification_message: `refused ${judging.seed}`,
          },
        };
  // A policy that is there for certain: earlier refusals may have deleted others in secret.
  const named = judging.operation.parameters.find(({ resource }) => resource === 'rate_limit_policy');
  const [policy] = before.rate_limit_policies;
  if (named !== undefined && policy === undefined) throw new NotJudged('the tenant holds no policy any more');
  const path = named === undefined || policy === undefined ? {} : { path: { [named.name]: policy.id } };
  const answer = await judging.probe({ ...json, ...path, authorization: await token() });
  if (!isRefusal(answer))
    throw new NotJudged('it was not refused: see the requirements on expiry and scopes');
  const after = await control.inspect();
  const ids = (data: typeof before) => data.rate_limit_policies.map(({ id }) => id).sort();
  const same =
    isDeepStrictEqual(heldMessages(after), heldMessages(before)) &&
    JSON.stringify(ids(after)) === JSON.stringify(ids(before));
  expectThat(
    same,
    `the tenant as it was, because ${because}`,
    `a changed tenant after ${status(answer)}`,
    answer.exchange,
  );
}
