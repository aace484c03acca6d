import { isObject, mapValues } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import { after, before, everywhere } from '../builders/on.ts';
import { itemValues, variants } from './variant.ts';

/** Another response to a successful deletion. */
const deletion = (status: number, body?: unknown, fields: Record<string, string> = {}): RulesOverride =>
  before('responses.response', (answer, call) =>
    call.operation?.method === 'DELETE' && answer.status === 204
      ? { status, headers: [...answer.headers, ...Object.entries(fields)], body }
      : answer,
  );

/** Every date-time in an item in another form of RFC 3339. */
const dateTimes = (form: (text: string) => string): RulesOverride =>
  itemValues((value, key) => (typeof value === 'string' && key.endsWith('_at') ? form(value) : value));

/** The same instant as the clocks of India show it. */
export const inIndia = (text: string): string =>
  new Date(Date.parse(text) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');

const inItem = ({ target, number }: Call) => ({
  ...{ status: 'ACTIVE', tenant: 'acme', _links: { self: target } },
  ...{ reads: number, labels: [], note: null, secret_count: 1, hash: 'f00d' },
});
const inPage = { start: 0, limit: 10, length: 1, links: { next: '/next' }, items: [] };

/** Fields that the specification does not name, with different values in each response. */
const additionalFields = compose(
  everywhere.item((item, call) => ({ ...inItem(call), ...item })),
  after('experiments.responseBody', (answer) => ({ ...inPage, ...answer })),
  after('versions.responseBody', (answer) => ({ ...inPage, ...answer })),
);

const nothing = { description: null, started_at: null, ended_at: null, allocations: null };

/** What successful responses contain. */
export const responseVariants = variants({
  // A proxy transforms them (RFC 9110, section 15.3.4).
  'reads-are-203': [everywhere.when(({ method }) => method === 'GET').status(203), '9/answer-status'],
  'listings-are-206': [
    everywhere.when(({ endpoint }) => endpoint?.startsWith('list') === true).status(206),
    '9/answer-status',
  ],
  // Successful deletions (section 4.3: not shown) and updates.
  'delete-200-with-body': deletion(200, { deleted: true }),
  'delete-204-with-headers': deletion(204, undefined, {
    'Content-Type': 'application/json',
    'X-Deleted': 'true',
  }),
  'update-answers-trimmed': [
    after('templates.responseBody', (answered) => mapValues(answered, (text) => String(text).trim())),
    '4.1/answer-echoes-form',
    '4.1/answer-echoes',
  ],
  // Contents of items that the specification leaves open.
  'times-with-offset': dateTimes(inIndia),
  'times-rounded-to-milliseconds': dateTimes((text) => {
    const [, tenth] = /\.\d{3}(\d)/.exec(text) ?? [];
    return tenth === undefined ? text : new Date(Date.parse(text) + (tenth < '5' ? 0 : 1)).toISOString();
  }),
  'times-in-lower-case': dateTimes((text) => text.toLowerCase()),
  'times-in-whole-seconds': [
    dateTimes((text) => text.replace(/\.\d+Z$/, 'Z')),
    '2.2/experiment-content-complete',
    '2.3/version-content-complete',
  ],
  'times-with-blank': dateTimes((text) => text.replace('T', ' ')),
  'items-with-further-fields': [additionalFields, '2.3/version-content-complete'],
  'nested-items-with-further-fields': itemValues((value, key) =>
    isObject(value) && key !== '' ? { ...value, extension: { of: key } } : value,
  ),
  'null-for-nothing': [after('experiments.shown', (shown) => ({ ...nothing, ...shown })), '2/no-null'],
});
