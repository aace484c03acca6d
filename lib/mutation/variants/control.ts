import { isObject } from '../../contract/json.ts';
import { override } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';

/** Milliseconds. */
const lateBy = 100;

/** The tenant logs, and what the control protocol shows of the tenant (sections 4 and 5 of the design). */
export const controls: readonly Variant[] = [
  {
    name: 'logs-late',
    says: 'Log entries appear a tenth of a second after their request.',
    rules: (rules) =>
      override(rules, 'control', {
        logs: (entries) => entries.filter(({ at }) => Date.now() - at >= lateBy),
      }),
  },
  {
    name: 'logs-refusals-too',
    says: 'Refused requests are logged too.',
    rules: (rules) => override(rules, 'correlation', { logs: () => true }),
  },
  {
    name: 'logs-more',
    says: 'The logs hold entries of the service itself, some without a correlation ID, and further fields.',
    rules: (rules) =>
      override(rules, 'control', ({ logged }) => ({
        logged: (entries, prefix) => [
          { type: 'started', references: null },
          ...logged(entries, prefix).flatMap((entry, index) => [
            { type: 'read', log_id: index, references: { correlation_id: null } },
            { type: 'read', references: { correlation_id: `internal-${index}` } },
            isObject(entry) ? { ...entry, log_id: index, ip: '192.0.2.1' } : entry,
          ]),
          { type: 'idle' },
        ],
      })),
  },
  {
    name: 'logs-unfiltered',
    says: 'The filter of the logs is ignored.',
    rules: (rules) =>
      override(rules, 'control', ({ logged }) => ({ logged: (entries) => logged(entries, '') })),
  },
  {
    name: 'logs-an-id-once',
    says: 'A correlation ID used twice stands once in the logs.',
    rules: (rules) =>
      override(rules, 'correlation', ({ append }) => ({
        append(log, entry, call) {
          const { correlation_id: id } = entry.references;
          if (!log.some(({ references }) => references.correlation_id === id)) append(log, entry, call);
        },
      })),
  },
  {
    name: 'inspection-with-more',
    says: 'Inspections show further fields, other ones each time, and arrays and members in another order.',
    rules(rules) {
      let inspections = 0;
      const turned = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(turned).toReversed();
        if (!isObject(value)) return value;
        const members = Object.entries(value);
        return Object.fromEntries(inspections % 2 === 0 ? members : members.toReversed());
      };
      return override(rules, 'control', ({ inspected }) => ({
        inspected(data) {
          inspections += 1;
          const whole = inspected(data);
          const shown = Object.fromEntries(
            Object.entries(isObject(whole) ? whole : {}).map(([name, value]) => [name, turned(value)]),
          );
          const templates = isObject(shown.phone_templates) ? shown.phone_templates : {};
          return {
            ...shown,
            phone_templates: { ...templates, inspections: String(inspections) },
            clients: [],
            inspected_at: new Date().toISOString(),
          };
        },
      }));
    },
  },
  {
    name: 'control-supports-more',
    says: 'The control protocol names features that the suite does not know.',
    rules: (rules) =>
      override(rules, 'control', ({ supports }) => ({ supports: ['snapshots', ...supports, 'chaos'] })),
  },
];
