import { isObject } from '../../contract/json.ts';
import { override } from '../../fake/rules.ts';
import { after, around, before, replace } from '../builders/on.ts';
import { reversedMembers, variants } from './variant.ts';

/** The tenant logs, and what the control protocol shows of the tenant (docs/implementers.md). */
export const controlVariants = variants({
  'logs-late': before('control.logged', (entries) => entries.filter(({ at }) => Date.now() - at >= 100)),
  'logs-refusals-too': replace('correlation.logs', () => true),
  'logs-more': after('control.logged', (entries) => [
    { type: 'started', references: null },
    ...entries.flatMap((entry, index) => [
      { type: 'read', log_id: index, references: { correlation_id: null } },
      { type: 'read', references: { correlation_id: `internal-${index}` } },
      isObject(entry) ? { ...entry, log_id: index, ip: '192.0.2.1' } : entry,
    ]),
    { type: 'idle' },
  ]),
  'logs-unfiltered': around('control.logged', (usual, entries) => usual(entries, '')),
  'logs-an-id-once': before('control.logged', (entries) => [
    ...new Map(entries.map((entry) => [entry.references.correlation_id, entry])).values(),
  ]),
  'inspection-with-more': after('control.inspected', (data) => ({
    ...Object(reversedMembers(data)),
    phone_templates: { ...Object(data).phone_templates, inspected_at: new Date().toISOString() },
    clients: [],
    inspected_at: new Date().toISOString(),
  })),
  // A library that verifies tokens may have a clock of its own. The fake issues its own tokens by its clock.
  'clock-of-checkpoints-only': after(
    'token.isEarly',
    (early, time, { now, clockOffset }, { sub }) =>
      early || (String(sub).includes('|') && Number(time) - 60 > now / 1000 - clockOffset),
  ),
  'control-supports-more': (rules) =>
    override(rules, 'control', ({ supports }) => ({ supports: ['snapshots', ...supports, 'chaos'] })),
});
