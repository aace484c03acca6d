import { isObject } from '../../contract/json.ts';
import { experiments } from '../builders/on.ts';
import { epoch, escapeHtml, onOneLine, sqlTime, toNfc, zoneless } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const field = (path: string) => experiments.field(path);
const config = field('assignment_config');
const snapshot = field('feature_flag_snapshot');
const allocations = field('allocations');

/** What an experiment holds (section 2.2). */
export const experimentContent: readonly Fault[] = [
  ...faultsOf('2.2/experiment-fields', [
    fault('experiment-is-valid-is-a-bit', 'is_valid is 0 or 1.').by(field('is_valid').becomes(Number)),
    fault('experiment-is-stateful-is-text', 'is_stateful is a string.').by(
      field('is_stateful').becomes(String),
    ),
    fault('experiment-created-at-is-epoch', 'created_at is in milliseconds.').by(
      field('created_at').textBecomes(epoch),
    ),
    fault('experiment-started-at-without-zone', 'started_at has no zone.').by(
      field('started_at').textBecomes(zoneless),
    ),
    fault('experiment-ended-at-with-a-blank', 'ended_at is written as in SQL, with neither T nor zone.').by(
      field('ended_at').textBecomes(sqlTime),
    ),
    fault('experiment-updated-at-in-words', 'updated_at is written as an HTTP date.').by(
      field('updated_at').textBecomes((time) => new Date(time).toUTCString()),
    ),
    fault('experiment-created-at-month-0', 'created_at counts months from 0, as JavaScript does.').by(
      field('created_at').textBecomes((time) => time.replace(/-01-/, '-00-')),
    ),
    fault('experiment-config-is-text', 'assignment_config is a string that holds JSON.').by(
      config.becomes((value) => JSON.stringify(value)),
    ),
    fault('experiment-subject-is-list', 'assignment_config.subject is an array.').by(
      field('assignment_config.subject').becomes((subject) => [subject]),
    ),
    fault('experiment-snapshot-is-list', 'An empty feature_flag_snapshot is an empty array.').by(
      snapshot.becomes((value) => (isObject(value) && Object.keys(value).length === 0 ? [] : value)),
    ),
    fault('experiment-allocations-by-id', 'allocations is an object.').by(
      allocations.becomes((list) => Object.assign({}, list)),
    ),
  ]),
  ...faultsOf('2.2/allocation-fields', [
    fault('allocation-weight-is-text', 'weight is a string, as a decimal of SQL is sent.').by(
      field('allocations[].weight').becomes(String),
    ),
    fault('allocation-is-control-is-a-bit', 'is_control is 0 or 1.').by(
      field('allocations[].is_control').becomes(Number),
    ),
    fault('allocation-is-fallback-is-text', 'is_fallback is a string.').by(
      field('allocations[].is_fallback').becomes(String),
    ),
    fault('allocation-priority-is-word', 'priority is a word.').by(
      field('allocations[].priority').becomes(() => 'high'),
    ),
    fault('allocation-variation-is-object', 'variation_id is an object.').by(
      field('allocations[].variation_id').becomes((id) => ({ id })),
    ),
  ]),
  ...faultsOf('2.2/experiment-content', [
    fault('experiment-name-normalised', 'Names are in normal form C.').by(field('name').textBecomes(toNfc)),
    fault('experiment-name-escaped', 'Names are escaped for HTML.').by(field('name').textBecomes(escapeHtml)),
    fault('experiment-description-on-one-line', 'description has no line feeds.').by(
      field('description').textBecomes(onOneLine),
    ),
    fault('experiment-empty-description-lost', 'An empty description is omitted.').by(
      field('description').isOmitted((text) => text === ''),
    ),
    fault('experiment-false-lost', 'is_valid is omitted where it is false.').by(
      field('is_valid').isOmitted((value) => value === false),
    ),
    fault('experiment-weight-rounded', 'weight is rounded to an integer.').by(
      field('allocations[].weight').becomes((weight) => Math.round(Number(weight))),
    ),
    fault('experiment-allocations-turned', 'allocations is in another order.').by(
      allocations.becomes((list) => (Array.isArray(list) ? list.toReversed() : list)),
    ),
    fault('experiment-snapshot-emptied', 'feature_flag_snapshot is empty.').by(snapshot.becomes(() => ({}))),
    fault('experiment-times-cut-to-days', 'started_at is midnight.').by(
      field('started_at').textBecomes((time) => time.replace(/T.*/, 'T00:00:00.000Z')),
    ),
    fault('experiment-updated-at-follows-created-at', 'updated_at is created_at.').by(
      field('updated_at').becomes((_time, { created_at: created }) => created),
    ),
  ]),
];
