import { isObject, type JsonObject } from '../../contract/json.ts';
import { type Call, refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { PhoneTemplates } from '../../fake/tenant.ts';
import { everywhere, experiments, stateful, versions } from '../builders/on.ts';
import { after, around, before, compose } from '../rule-overrides.ts';
import { itemValues, variants } from './variant.ts';

const incomplete = { warns: ['2.3/version-content-complete', '2.2/experiment-content-complete'] };
const optional = ['description', 'is_stateful', 'runtime', 'built_at', 'code', 'action', 'modules'];

/** Texts that another parser reads as integers. */
const alsoIntegers = (read: (text: string) => number | undefined): RulesOverride =>
  after('parameters.numberOf', (usual, text) => usual ?? read(text));

const arabicDigits = (text: string): string =>
  text.replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660)).replaceAll('_', '');

/** A router does not find paths with this text. */
const notRouted = (path: RegExp): [RulesOverride, { warns: string[] }] => [
  before('routing.target', (target) => (path.test(target.split('?')[0] ?? '') ? '/nowhere' : target)),
  { warns: ['4.3/delete-encoded-id'] },
];

/** Tokens are refused whose claims meet this condition. */
const tokenRefused = (status: number, is: (claims: JsonObject, now: number) => boolean): RulesOverride =>
  after('token.claims', (claims, _usual, { now }) =>
    is(claims, now) ? refuse(status, 'unacceptable_token', 'The token is not acceptable') : claims,
  );

const verbs = ['create', 'read', 'update', 'delete'];
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

const monthMs = 30 * 24 * 3600 * 1000;

/** Checkpoints that are a function of the position: the same text is issued again, and is then as young as its last issue. */
const byPosition = stateful(() => {
  const sealedBy = new Map<string, string>();
  let position = 0;
  return compose(
    after('experiments.next', (next) => {
      position = next ?? 0;
      return next;
    }),
    after('checkpoints.shown', (sealed, _sealed, { target, seeds }) => {
      const query = queryOf(target);
      query.delete('from');
      query.sort();
      const [path] = target.split('?');
      const text = Buffer.from(`${seeds} ${position} ${path} ${query}`).toString('base64url');
      sealedBy.set(text, sealed);
      return text;
    }),
    before('checkpoints.read', (text) => sealedBy.get(text) ?? text),
  );
});

const deletedLate = around('policies.remove', (remove, ...args) => {
  setTimeout(() => remove(...args), 300).unref();
});

const storedLater = after('templates.stored', (updated, _sent, before) => {
  const stored = { ...before };
  setTimeout(() => Object.assign(stored, updated), 100).unref();
  return stored;
});

/** The answer to an update is read from the store, where another one that is under way has come first. */
const readsBack = stateful(() => {
  const updates = new Map<Call, PhoneTemplates>();
  return compose(
    before('payload.received', (body, call) => {
      if (call.method === 'PUT') updates.set(call, {});
      return body;
    }),
    after('templates.stored', (stored, _sent, earlier, call) => {
      updates.set(call, earlier);
      return stored;
    }),
    after('templates.answered', (answer, _sent, _stored, call) =>
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
    'Items leave out fields that are seldom read.',
    itemValues((value, key) => (optional.includes(key) ? undefined : value)),
    incomplete,
  ],
  'empty-arrays-left-out': [
    'Items leave out empty arrays.',
    itemValues((value) => (Array.isArray(value) && value.length === 0 ? undefined : value)),
    incomplete,
  ],
  'arrays-reversed': [
    'Arrays inside items are in another order.',
    itemValues((value) => (Array.isArray(value) ? value.toReversed() : value)),
    incomplete,
  ],
  'snapshot-of-another-shape': [
    'A feature flag snapshot has a shape of its own.',
    experiments.field('feature_flag_snapshot', () => ({ flag: { on: true }, v: 2 })),
  ],
  'action-summary-moves': [
    'The action of a version was updated a moment ago.',
    versions.field('action.updated_at', (_time, { call }) => new Date(call.now).toISOString()),
    incomplete,
  ],
  'secrets-null': [
    'A secret shows null.',
    versions.fieldDefault('secrets[].value', null),
    { warns: ['2.3/secret-without-value'] },
  ],
  'secrets-masked': [
    'A secret shows a mask.',
    versions.fieldDefault('secrets[].value', '********'),
    { warns: ['2.3/secret-without-value'] },
  ],
  'integers-of-javascript': [
    'Integers are read by Number().',
    alsoIntegers((text) => (text.trim() !== '' && Number.isInteger(Number(text)) ? Number(text) : undefined)),
  ],
  'integers-of-python': [
    'Integers are read by int(): digits of other scripts, underscores.',
    alsoIntegers((text) => (/^ *\d+ *$/.test(arabicDigits(text)) ? Number(arabicDigits(text)) : undefined)),
  ],
  'parameters-trimmed': [
    'Query parameters are trimmed.',
    before('parameters.value', (value, { in: place }) =>
      typeof value === 'string' && place === 'query' ? value.trim() : value,
    ),
    { warns: ['4.2/filter-any-text'] },
  ],
  'firewall-refuses-quotes': [
    'A firewall refuses quotes and markup in a query with 403.',
    before('token.sent', (call) =>
      /\?.*(%27|'|%3C|%22)/i.test(call.target) ? refuse(403, 'firewall', 'Forbidden') : call,
    ),
    { warns: ['4.2/filter-any-text'] },
  ],
  'encoded-ids-refused': [
    'A router does not find a path with percent-encoded characters.',
    ...notRouted(/%/),
  ],
  'encoded-slashes-refused': ['A router refuses %2F and %5C in a path.', ...notRouted(/%2f|%5c/i)],
  'other-scripts-refused': ['A router refuses bytes beyond ASCII in a path.', ...notRouted(/%[89a-f]/i)],
  'paths-in-any-case': [
    'The router ignores the case of a path.',
    before('routing.target', (target) =>
      target.replace(/\/custom-text\/([^/]+)\/([^/?]+)/, (path) => path.toLowerCase()),
    ),
    { warns: ['4.5/language-case', '4.5/page-case'] },
  ],
  'leeway-of-five-minutes-on-a-late-clock': [
    'Tokens are valid for five minutes after their expiry, by a clock that is two seconds late.',
    before('token.isExpired', (exp) => (typeof exp === 'number' ? exp + 302 : exp)),
  ],
  'tokens-of-30-days': [
    'A token that is valid for more than 30 days is refused.',
    tokenRefused(401, ({ exp }, now) => Number(exp) * 1000 > now + monthMs),
    { warns: ['5.2/far-future'] },
  ],
  'token-in-query-accepted': [
    'A token may stand in the query (RFC 6750, section 2.3).',
    everywhere.readsTokenFrom(({ target }) => queryOf(target).get('access_token') ?? undefined),
    { warns: ['5.1/token-in-query'] },
  ],
  'token-in-cookie-accepted': [
    'A token may stand in a cookie.',
    everywhere.readsTokenFrom(
      ({ headers }) => /(?:^|; *)(?:access_)?token=([^;]+)/.exec(String(headers.cookie))?.[1],
    ),
    { warns: ['5.1/token-in-cookie'] },
  ],
  'token-behind-jwt-or-alone': [
    'A token is read behind the scheme JWT, or without a scheme.',
    everywhere.readsTokenFrom(
      ({ headers }) => /^(?:JWT )?(eyJ[\w.-]+)$/.exec(String(headers.authorization))?.[1],
    ),
    { warns: ['5.1/other-scheme-name'] },
  ],
  'odd-scopes-401': [
    'A token with verbs or resources that the catalogue does not have is refused with 401.',
    tokenRefused(401, hasOddScopes),
  ],
  'scope-string-accepted': [
    'A scope string (RFC 9068) permits as the scopes map does.',
    everywhere.permitsClaim((_claim, { name }, { scope }) => String(scope).split(' ').includes(name)),
    { warns: ['5.2/scope-string'] },
  ],
  'other-required-scopes': [
    'The four operations whose scope is not shown require other scopes.',
    after('scopes.required', (usual, { scopeInferred }) =>
      scopeInferred ? [{ name: 'read:logs', verb: 'read', resource: 'logs' }] : usual,
    ),
    {
      warns: [
        'each-scope-alone',
        'required-scope',
        'among-others',
        'wrong-verb',
        'wrong-resource',
        'all-but-required',
        'any-set',
        'unknown-scope',
      ].map((slug) => `5.5/${slug}-inferred`),
    },
  ],
  'items-sorted-within-a-page': [
    'The items of each page are sorted by name.',
    after('experiments.items', (items) =>
      items.toSorted((one, other) => (String(one.name) < String(other.name) ? -1 : 1)),
    ),
  ],
  'versions-in-another-order-by-per-page': [
    'Versions are in another order where per_page is odd.',
    versions.items((items, { page, perPage }, all) =>
      perPage % 2 === 0 ? items : all.toReversed().slice(page * perPage, (page + 1) * perPage),
    ),
  ],
  'checkpoint-by-position': ['A checkpoint is a function of the position.', byPosition],
  'updated-100-ms-later': ['An update takes effect 100 milliseconds after its response.', storedLater],
  'deleted-300-ms-later': [
    'A deletion is answered with 202 and takes effect 300 milliseconds later.',
    compose(
      deletedLate,
      before('responses.response', (answer, call) =>
        call.operation?.method === 'DELETE' && answer.status === 204 ? { ...answer, status: 202 } : answer,
      ),
    ),
  ],
  'update-read-back': ['The answer to an update shows what another one has stored meanwhile.', readsBack],
  'custom-text-with-defaults': [
    'Customized text is merged with defaults.',
    after('customText.shown', (text) => ({ 'default-title': 'Welcome', 'default-button': 'Next', ...text })),
    { warns: ['4.5/text-no-further-keys'] },
  ],
  'profile-without-text-404': [
    'A profile without customized text is answered with 404.',
    after('customText.texts', (texts) =>
      texts === undefined || Object.keys(texts).length === 0
        ? refuse(404, 'not_found', 'There is no customized text')
        : texts,
    ),
  ],
});
