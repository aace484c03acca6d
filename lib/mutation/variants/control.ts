import { isObject } from '../../contract/json.ts';
import { override, type RulesOverride } from '../../fake/rules.ts';
import { after, around, constant, replace } from '../rule-overrides.ts';
import { variants } from './variant.ts';

/** Inspections with additional fields and in another order each time. */
const changingInspections: RulesOverride = (rules) => {
  let inspections = 0;
  const reordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reordered).toReversed();
    if (!isObject(value)) return value;
    const members = Object.entries(value);
    return Object.fromEntries(inspections % 2 === 0 ? members : members.toReversed());
  };
  return after('control.inspected', (data) => {
    inspections += 1;
    const members = Object.entries(isObject(data) ? data : {});
    const shown = Object.fromEntries(members.map(([name, value]) => [name, reordered(value)]));
    const templates = isObject(shown.phone_templates) ? shown.phone_templates : {};
    return {
      ...shown,
      phone_templates: { ...templates, inspections: String(inspections) },
      clients: [],
      inspected_at: new Date().toISOString(),
    };
  })(rules);
};

/** The tenant logs, and what the control protocol shows of the tenant (sections 4 and 5 of the design). */
export const controlVariants = variants({
  'logs-late': [
    'Log entries appear 100 ms after their request.',
    replace('control.logs', (entries) => entries.filter(({ at }) => Date.now() - at >= 100)),
  ],
  'logs-refusals-too': ['Refused requests are logged too.', constant('correlation.logs', true)],
  'logs-more': [
    'The logs contain entries of the service itself, some without a correlation ID, and additional fields.',
    after('control.logged', (entries) => [
      { type: 'started', references: null },
      ...entries.flatMap((entry, index) => [
        { type: 'read', log_id: index, references: { correlation_id: null } },
        { type: 'read', references: { correlation_id: `internal-${index}` } },
        isObject(entry) ? { ...entry, log_id: index, ip: '192.0.2.1' } : entry,
      ]),
      { type: 'idle' },
    ]),
  ],
  'logs-unfiltered': [
    'The filter of the logs is ignored.',
    around('control.logged', (usual, entries) => usual(entries, '')),
  ],
  'logs-an-id-once': [
    'A correlation ID used twice appears once in the logs.',
    around('correlation.append', (usual, log, entry, call) => {
      const { correlation_id: id } = entry.references;
      if (!log.some(({ references }) => references.correlation_id === id)) usual(log, entry, call);
    }),
  ],
  'inspection-with-more': [
    'Inspections show other additional fields and another order each time.',
    changingInspections,
  ],
  'control-supports-more': [
    'The control protocol names features that the suite does not know.',
    (rules) =>
      override(rules, 'control', ({ supports }) => ({ supports: ['snapshots', ...supports, 'chaos'] })),
  ],
});
