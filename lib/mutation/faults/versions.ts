import { readFileSync } from 'node:fs';
import { shippedFile } from '../../contract/document.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { type Call, refuse } from '../../fake/call.ts';
import type { OffsetPage } from '../../fake/pages.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { remembering, update, versions } from '../builders/on.ts';
import { query } from '../builders/predicates.ts';
import { epoch, escapeHtml, like, zoneless } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

/** The beginning of the value of a secret of the shipped data. */
const [secret] =
  /planted-secret-[\w-]+/.exec(readFileSync(shippedFile('fixtures/tenant.json'), 'utf8')) ?? [];

/** Days by which the clock is ahead. */
const daysAhead = ({ clockOffset }: Call): number => clockOffset / (24 * 60 * 60);

const page = versions.integer('page');
const perPage = versions.integer('per_page');
const responseBody = (transform: (body: JsonObject, page: OffsetPage) => JsonObject): RulesOverride =>
  versions.before('versions.responseBody', transform);

/** The list of an action's versions (sections 2.3, 4.4 and 8, convention 1). */
export const versionFaults: readonly Fault[] = faultsOf({
  // Versions and their fields.
  '4.4/no-versions': {
    'versions-none-is-404': versions.after('versions.found', (action) =>
      action?.versions.length === 0 ? undefined : action,
    ),
  },
  '4.4/only-this-action': {
    'versions-by-pattern': versions.after(
      'versions.found',
      (found, actions, id) => found ?? [...actions.values()].find(({ action }) => like(id).test(action.id)),
    ),
    'versions-of-the-action-in-the-query': versions.after(
      'versions.found',
      (found, actions, _id, call) => actions.get(query(call, 'actionId') ?? '') ?? found,
    ),
    'versions-with-one-of-another-action': versions.after(
      'versions.listed',
      (own, { action }, { actions }) => {
        const others = [...actions.values()].filter((each) => each.action.id !== action.id);
        return own.length === 0 ? own : [...own, ...others.flatMap((each) => each.versions.slice(-1))];
      },
    ),
  },
  '4.4/all-of-this-action': {
    'versions-undated-hidden': versions.after('versions.listed', (own) =>
      own.filter(({ built_at, created_at }) => built_at ?? created_at),
    ),
    'versions-latest-fifty-only': versions.after('versions.listed', (own) => own.slice(0, 50)),
    'versions-joined-with-dependencies': versions.after('versions.listed', (own) =>
      own.filter(({ dependencies }) => dependencies !== undefined),
    ),
  },
  '2.3/no-secret-values': {
    'secrets-beyond-ten-show-their-values': versions.after(
      'versions.shown',
      ({ secrets, ...shown }, _item, { secrets: stored }) => ({
        ...shown,
        ...(Array.isArray(secrets) && { secrets: [...secrets.slice(0, 10), ...[stored].flat().slice(10)] }),
      }),
    ),
    'secrets-show-their-values-on-request': versions
      .when((call) => query(call, 'include') === 'secrets')
      .after('versions.shown', (shown, _item, { secrets }) => ({ ...shown, secrets })),
    'secrets-show-their-values': versions.after('versions.shown', (shown, _item, { secrets }) => ({
      ...shown,
      secrets,
    })),
  },
  '2.3/no-secret-elsewhere': {
    'refused-updates-show-a-secret': update.after('responses.refusal', (usual) => ({
      ...usual,
      message: `${usual.message}: ${secret}`,
    })),
  },
  '2.3/version-immutable': {
    'version-built-again-at-each-reading': versions.item((version, call) =>
      version.status === 'failed'
        ? { ...version, built_at: new Date(call.now + call.number).toISOString() }
        : version,
    ),
  },
  '2.3/version-immutable-over-time': {
    'version-purged-after-a-year': versions
      .when((call) => daysAhead(call) >= 365)
      .after('versions.listed', (own) => own.slice(0, -1)),
    'version-updated-each-day': versions.field('updated_at', (time, call) =>
      daysAhead(call) >= 1 ? new Date(call.now).toISOString() : time,
    ),
  },
  '2.3/version-content': {
    'version-code-trimmed': versions.field('code', (code) => String(code).trimEnd()),
    'version-milliseconds-without-zeros': versions.field('updated_at', (time) =>
      String(time).replace(/\.0+(?=\d)/, '.'),
    ),
    'version-dependencies-at-most-25': versions.field('dependencies', (list) =>
      Array.isArray(list) ? list.slice(0, 25) : list,
    ),
    'secret-name-cut-at-32': versions.field('secrets[].name', (name) => String(name).slice(0, 32)),
    'version-number-of-16-bits': versions.field('number', (number) => (Number(number) << 16) >> 16),
    'version-summary-of-the-version': versions.field('action.id', () => 'action-of-the-version'),
  },
  '2.3/version-fields': {
    'version-number-is-text': versions.field('number', String),
    'version-built-at-without-zone': versions.field('built_at', zoneless),
  },
  '2.3/version-dependency-fields': {
    'version-dependency-version-is-number': versions.field('dependencies[].version', (version) =>
      Number.parseFloat(String(version)),
    ),
  },
  '2.3/secret-fields': { 'secret-time-is-epoch': versions.field('secrets[].updated_at', epoch) },
  '2.3/action-summary-fields': {
    'action-changes-deployed-is-text': versions.field('action.all_changes_deployed', String),
  },
  '2.3/trigger-fields': {
    'trigger-compatible-are-ids': versions.field('supported_triggers[].compatible_triggers', (references) =>
      Array.isArray(references) ? references.map(String) : references,
    ),
    'trigger-compatible-is-object': versions.fieldDefault('supported_triggers[].compatible_triggers', {}),
  },
  '2.3/secret-without-value': {
    'secrets-show-encrypted-values': versions.fieldDefault('secrets[].encrypted_value', 'djE6c2VjcmV0'),
  },
  '2.3/version-content-complete': {
    'version-summary-name-escaped': versions.field('action.name', (name) => escapeHtml(String(name))),
    'version-dependency-without-registry': versions.field('dependencies[].registry_url', () => undefined),
  },
  // Pages, and how page and per_page are read.
  '4.4/reads': {
    'per-page-is-required': versions.after('parameters.absent', (usual, { name }) =>
      name === 'per_page' ? refuse(400, 'invalid_query_string', 'per_page is missing') : usual,
    ),
  },
  '9/answer-status': { 'versions-partial-content': versions.status(206) },
  '4.4/answer-members': {
    'versions-per-page-null': responseBody((body) => ({ ...body, per_page: null })),
    'versions-none-is-204': versions.response((usual) =>
      isObject(usual.body) && [usual.body.versions].flat().length === 0
        ? { ...usual, status: 204, body: undefined }
        : usual,
    ),
  },
  '4.4/page-echoed': {
    'versions-page-echoed-from-one': responseBody((body, { page }) => ({ ...body, page: page + 1 })),
  },
  '4.4/per-page-echoed': {
    'versions-per-page-echoed-as-default': responseBody((body) => ({ ...body, per_page: 20 })),
  },
  '4.4/per-page-limits': {
    'per-page-gives-one-more': versions.replace('versions.items', (all, { page, perPage }) =>
      all.slice(page * perPage, (page + 1) * perPage + 1),
    ),
  },
  '4.4/page-zero-indexed': {
    'page-from-one': versions.start(({ page, perPage }) => Math.max(0, page - 1) * perPage),
    'page-zero-empty': versions.start(({ page, perPage }) => (page - 1) * perPage),
  },
  '4.4/pages-tile': {
    'pages-overlap-by-one': versions.start(
      ({ page, perPage }) => page * perPage - (perPage < 50 && page > 0 ? 1 : 0),
    ),
    'pages-lose-the-last-version': versions.after('versions.items', (items, _all, { perPage }) =>
      perPage < 50 && items.length > 1 && items.length < perPage ? items.slice(0, -1) : items,
    ),
  },
  '4.4/beyond-the-end': {
    'beyond-the-end-repeats-the-last-page': versions.start(({ page, perPage, total }) => {
      const last = Math.max(0, Math.ceil(total / perPage) - 1);
      return (page * perPage > total && page < 10_000 ? last : page) * perPage;
    }),
  },
  '4.4/far-beyond-the-end': {
    'page-overflows-at-32-bits': versions.start(({ page, perPage }) => (page * perPage) >>> 0),
    'page-cut-to-64-bits': page.coerces((number) => number % 2 ** 64),
    'page-cut-to-63-bits': page.coerces((number) => number % 2 ** 63),
  },
  '4.4/any-count': {
    'versions-of-the-first-action-that-matches': versions.after('versions.found', (_own, actions, id) =>
      [...actions.values()].find(({ action }) => like(id).test(action.id)),
    ),
    'versions-of-an-action-once-unknown': remembering((unknown) =>
      versions.after('versions.found', (found, _actions, id) => {
        if (found === undefined) unknown.add(id);
        return unknown.has(id) ? undefined : found;
      }),
    ),
    'versions-last-full-page-lost': versions.after(
      'versions.items',
      (items, _all, { page, perPage, total }) =>
        perPage === 20 && total === (page + 1) * perPage ? [] : items,
    ),
    'versions-on-a-single-page-limited-to-20': versions.after(
      'versions.items',
      (items, _all, { perPage, total }) => (perPage > total ? items.slice(0, 20) : items),
    ),
  },
  '4.4/page-integer': {
    'page-by-parse-int': page.parses((text) => Number.parseInt(text, 10)),
    // As in Ruby, where `^` and `$` match at each line.
    'page-on-any-line': page.parses((text) => Number(/^\d+$/m.exec(text) ?? Number.NaN)),
  },
  '4.4/per-page-integer': { 'per-page-by-parse-int': perPage.parses((text) => Number.parseInt(text, 10)) },
  '4.4/per-page-zero': {
    'per-page-zero-is-the-default': perPage.coerces((size) => (size === 0 ? 20 : size)),
  },
  '4.4/page-negative': { 'page-negative-is-first': page.coerces((number) => Math.max(0, number)) },
  '4.4/per-page-negative': { 'per-page-negative-is-its-absolute': perPage.coerces(Math.abs) },
  '4.4/per-page-above-maximum': { 'per-page-51-served': perPage.ignoresMaximum((size) => size === 51) },
  '4.4/per-page-accepted': {
    'per-page-maximum-exclusive': versions.after('paging.maximum', (maximum) => maximum - 1),
  },
  '4.4/per-page-default': { 'per-page-default-50': perPage.defaultsTo(50) },
  '4.4/page-default': {
    'page-default-one': page.defaultsTo(1),
    'per-page-above-20-only-with-page': versions.after('versions.items', (found, _all, _page, call) =>
      query(call, 'page') === undefined ? found.slice(0, 20) : found,
    ),
  },
  '4.4/page-empty': {
    'page-empty-is-the-first': versions.replace('parameters.empty', () => 'absent' as const),
  },
});
