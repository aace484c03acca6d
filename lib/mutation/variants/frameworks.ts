import { isObject, type JsonObject } from '../../contract/json.ts';
import { parseScope } from '../../contract/model.ts';
import { type Call, refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { PhoneTemplates } from '../../fake/tenant.ts';
import { compose } from '../builders/builder.ts';
import { verbs } from '../builders/grants.ts';
import { after, around, before, everywhere, experiments, stateful, versions } from '../builders/on.ts';
import { inIndia } from './responses.ts';
import { itemValues, type RulesWithWarnings, variants } from './variant.ts';

const incomplete = ['2.3/version-content-complete', '2.2/experiment-content-complete'];
const optional = ['description', 'is_stateful', 'runtime', 'built_at', 'code', 'action', 'modules'];

/** Accepts further texts as integers, as other parsers do. */
const alsoIntegers = (read: (text: string) => number | undefined): RulesOverride =>
  after('parameters.numberOf', (usual, text) => usual ?? read(text));

const arabicDigits = (text: string): string =>
  text.replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660)).replaceAll('_', '');

/** Every operation whose scope is inferred requires these scopes instead. */
const requires = (...names: readonly string[]): RulesOverride =>
  after('scopes.required', (usual, { scopeInferred }) =>
    scopeInferred ? names.flatMap((name) => parseScope(name) ?? []) : usual,
  );

/** The router does not find paths that match. */
const notRouted = (path: RegExp): RulesWithWarnings => [
  before('routing.target', (target) => (path.test(target.split('?')[0] ?? '') ? '/nowhere' : target)),
  '4.3/delete-encoded-id',
];

/** Refuses tokens whose claims meet the condition. */
const tokenRefused = (status: number, is: (claims: JsonObject, now: number) => boolean): RulesOverride =>
  after('token.claims', (claims, _usual, { now }) =>
    is(claims, now) ? refuse(status, 'unacceptable_token', 'The token is not acceptable') : claims,
  );

const hasOddScopes = ({ scopes }: JsonObject): boolean =>
  !isObject(scopes) ||
  Object.entries(scopes).some(
    ([resource, entry]) =>
      !/^[a-z]+(_[a-z]+)*$/.test(resource) ||
      !isObject(entry) ||
      !Array.isArray(entry.actions) ||
      !entry.actions.every((verb: unknown) => verbs.includes(String(verb))),
  );

const queryOf = (target: string) => new URLSearchParams(target.split('?')[1] ?? '');

const dayMs = 24 * 60 * 60 * 1000;
const monthMs = 30 * dayMs;

/**
 * Checkpoints that are a function of the position, and of what else the function returns: the same text is issued again, and is then as
 * young as its last issue.
 */
const byPosition = (also: (target: string) => string): RulesOverride =>
  stateful(() => {
    const encodedBy = new Map<string, string>();
    let position = 0;
    return compose(
      everywhere.observe('experiments.next', (next) => {
        position = next ?? 0;
      }),
      after('checkpoints.shown', (encoded, _encoded, { target, seeds }) => {
        const text = Buffer.from(`${seeds} ${position} ${also(target)}`).toString('base64url');
        encodedBy.set(text, encoded);
        return text;
      }),
      before('checkpoints.read', (text) => encodedBy.get(text) ?? text),
    );
  });

/** The URL without its checkpoint. */
const listingOf = (target: string): string => {
  const query = queryOf(target);
  query.delete('from');
  query.sort();
  return `${target.split('?')[0]} ${query}`;
};

const deletedLate = around('policies.remove', (remove, ...args) => {
  setTimeout(() => remove(...args), 300).unref();
});

const storedLater = after('templates.stored', (updated, _sent, before) => {
  const stored = { ...before };
  setTimeout(() => Object.assign(stored, updated), 100).unref();
  return stored;
});

/** An update's response is read from the store, which a concurrent update may have changed. */
const readsBack = stateful(() => {
  const updates = new Map<Call, PhoneTemplates>();
  return compose(
    everywhere.observe('payload.received', (_used, _body, call) => {
      if (call.method === 'PUT') updates.set(call, {});
    }),
    everywhere.observe('templates.stored', (_stored, _sent, earlier, call) => updates.set(call, earlier)),
    after('templates.responseBody', (answer, _sent, _stored, call) =>
      updates.size > 1 ? { ...updates.get(call) } : answer,
    ),
    after('responses.wire', (wire, _answer, call) => {
      setTimeout(() => updates.delete(call), 5);
      return { ...wire, delay: 10 };
    }),
  );
});

/** What frameworks, gateways and their middleware do by default, and what data models commonly leave out. */
export const frameworkVariants = variants({
  'optional-fields-left-out': [
    itemValues((value, key) => (optional.includes(key) ? undefined : value)),
    ...incomplete,
  ],
  'empty-arrays-left-out': [
    itemValues((value) => (Array.isArray(value) && value.length === 0 ? undefined : value)),
    ...incomplete,
  ],
  'arrays-reversed': [
    itemValues((value) => (Array.isArray(value) ? value.toReversed() : value)),
    ...incomplete,
  ],
  'snapshot-of-another-shape': experiments.field('feature_flag_snapshot', () => ({
    flag: { on: true },
    v: 2,
  })),
  'action-summary-moves': [
    versions.field('action.updated_at', (_time, call) => new Date(call.now).toISOString()),
    ...incomplete,
  ],
  'action-summary-current': after('versions.listed', (own, { action }) =>
    own.map((version) => ({ ...version, action })),
  ),
  'secrets-null': [versions.fieldDefault('secrets[].value', null), '2.3/secret-without-value'],
  'secrets-masked': [versions.fieldDefault('secrets[].value', '********'), '2.3/secret-without-value'],
  'integers-of-javascript': alsoIntegers((text) =>
    text.trim() !== '' && Number.isInteger(Number(text)) ? Number(text) : undefined,
  ),
  // Spring removes all white space.
  'integers-of-java': alsoIntegers((text) => {
    const digits = text.replace(/\s/g, '');
    return /^[+-]?\d+$/.test(digits) ? Number(digits) : undefined;
  }),
  'integers-of-python': alsoIntegers((text) =>
    /^ *\d+ *$/.test(arabicDigits(text)) ? Number(arabicDigits(text)) : undefined,
  ),
  'parameters-trimmed': [
    before('parameters.value', (value, { in: place }) =>
      typeof value === 'string' && place === 'query' ? value.trim() : value,
    ),
    '4.2/filter-any-text',
  ],
  'firewall-refuses-quotes': [
    before('token.sent', (call) =>
      /\?.*(%27|'|%3C|%22)/i.test(call.target) ? refuse(403, 'firewall', 'Forbidden') : call,
    ),
    '4.2/filter-any-text',
  ],
  'encoded-ids-refused': notRouted(/%/),
  'encoded-slashes-refused': notRouted(/%2f|%5c/i),
  'other-scripts-refused': notRouted(/%[89a-f]/i),
  'paths-in-any-case': [
    before('routing.target', (target) =>
      target.replace(/\/custom-text\/([^/]+)\/([^/?]+)/, (path) => path.toLowerCase()),
    ),
    '4.5/language-case',
    '4.5/page-case',
  ],
  'leeway-of-five-minutes-on-a-late-clock': before('token.isExpired', (exp) =>
    typeof exp === 'number' ? exp + 302 : exp,
  ),
  'tokens-of-30-days': [
    tokenRefused(401, ({ exp }, now) => Number(exp) * 1000 > now + monthMs),
    '5.2/far-future',
  ],
  'tokens-of-a-day': [
    tokenRefused(401, ({ iat }, now) => Number(iat) * 1000 < now - dayMs),
    '5.2/far-future',
  ],
  'audience-in-a-list-refused': [tokenRefused(401, ({ aud }) => Array.isArray(aud)), '5.2/further-claims'],
  'scope-beside-scopes-refused': [
    tokenRefused(403, ({ scope }) => scope !== undefined),
    '5.2/further-claims',
  ],
  'token-in-query-accepted': [
    everywhere.readsTokenFrom(({ target }) => queryOf(target).get('access_token') ?? undefined),
    '5.1/token-in-query',
  ],
  'token-in-cookie-accepted': [
    everywhere.readsTokenFrom(
      ({ headers }) => /(?:^|; *)(?:access_)?token=([^;]+)/.exec(String(headers.cookie))?.[1],
    ),
    '5.1/token-in-cookie',
  ],
  'token-in-x-access-token': [
    everywhere.readsTokenFrom(({ headers }) => headers['x-access-token']?.toString()),
    '5.1/token-in-cookie',
  ],
  'token-behind-jwt-or-alone': [
    everywhere.readsTokenFrom(
      ({ headers }) => /^(?:JWT )?(eyJ[\w.-]+)$/.exec(String(headers.authorization))?.[1],
    ),
    '5.1/other-scheme-name',
  ],
  'odd-scopes-401': tokenRefused(401, hasOddScopes),
  'scope-string-accepted': [
    everywhere.permitsClaim((_claim, { name }, { scope }) => String(scope).split(' ').includes(name)),
    '5.2/scope-string',
  ],
  // As the JSON decoder of Go reads the members of a struct.
  'names-of-claims-in-any-case': [
    everywhere.permitsClaim((claim, { verb, resource }, { Scopes: other }) => {
      const entry = Object(claim ?? other)[resource];
      const actions: unknown = entry?.actions ?? entry?.Actions;
      return Array.isArray(actions) && actions.includes(verb);
    }),
    '5.2/scope-string',
  ],
  'other-required-scopes': [
    requires('read:logs'),
    ...[
      'each-scope-alone',
      'required-scope',
      'among-others',
      'wrong-verb',
      'wrong-resource',
      'all-but-required',
      'any-set',
      'unknown-scope',
    ].map((slug) => `5.5/${slug}-inferred`),
  ],
  'two-required-scopes': [
    requires('create:actions', 'read:user_idp_tokens'),
    '5.5/required-scope-inferred',
    '5.5/among-others-inferred',
    '5.5/any-set-inferred',
  ],
  // Each reading gives the same instants in another time zone, as the nodes of a cluster may.
  'date-times-in-any-zone': everywhere.field('created_at', (time, { number }) =>
    number % 2 === 0 ? time : inIndia(String(time)),
  ),
  'items-sorted-within-a-page': after('experiments.items', (items) =>
    items.toSorted((one, other) => (String(one.name) < String(other.name) ? -1 : 1)),
  ),
  'versions-in-another-order-by-per-page': after('versions.items', (items, all, { page, perPage }) =>
    perPage % 2 === 0 ? items : all.toReversed().slice(page * perPage, (page + 1) * perPage),
  ),
  'checkpoint-by-position': byPosition(listingOf),
  // As the ID of the next experiment, which is the same in all listings.
  'checkpoint-by-position-in-any-listing': byPosition(() => ''),
  'updated-100-ms-later': storedLater,
  'deleted-300-ms-later': compose(
    deletedLate,
    before('responses.response', (answer, call) =>
      call.operation?.method === 'DELETE' && answer.status === 204 ? { ...answer, status: 202 } : answer,
    ),
  ),
  'update-read-back': readsBack,
  'custom-text-with-defaults': [
    after('customText.shown', (text) => ({
      title: 'Set up single sign-on',
      button_text: 'Get started',
      ...text,
    })),
    '4.5/text-no-further-keys',
  ],
  // Oracle stores an empty text as NULL.
  'empty-texts-left-out': [
    after('customText.shown', (texts) =>
      Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    ),
    '4.5/empty-text',
  ],
  'profile-without-text-404': after('customText.shown', (texts) =>
    Object.keys(texts).length === 0 ? refuse(404, 'not_found', 'There is no customized text') : texts,
  ),
});
