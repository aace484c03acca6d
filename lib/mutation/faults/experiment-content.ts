import { isObject } from '../../contract/json.ts';
import { experiments } from '../builders/on.ts';
import { epoch, onOneLine, sqlTime, toNfc, wrap, zoneless } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const field = (path: string) => experiments.field(path);
const becomes = (name: string, path: string, what: string, change: (value: unknown) => unknown) =>
  fault(name, `${path} becomes ${what}.`).by(field(path).map((value) => change(value)));

/** What an experiment holds (section 2.2). */
export const experimentContent: readonly Fault[] = [
  ...faultsOf('2.2/experiment-fields', [
    becomes('experiment-is-valid-is-a-bit', 'is_valid', '0 or 1', Number),
    becomes('experiment-created-at-is-epoch', 'created_at', 'a number of milliseconds', epoch),
    becomes('experiment-started-at-without-zone', 'started_at', 'a time without a zone', zoneless),
    becomes('experiment-ended-at-with-a-blank', 'ended_at', 'a time as SQL writes it', sqlTime),
    becomes('experiment-updated-at-in-words', 'updated_at', 'an HTTP date', (time) =>
      new Date(String(time)).toUTCString(),
    ),
    becomes('experiment-created-at-month-0', 'created_at', 'a time whose months count from 0', (time) =>
      String(time).replace('-01-', '-00-'),
    ),
    becomes('experiment-config-is-text', 'assignment_config', 'a string that holds JSON', JSON.stringify),
    becomes('experiment-subject-is-list', 'assignment_config.subject', 'an array', wrap),
    becomes('experiment-snapshot-is-list', 'feature_flag_snapshot', 'an array where it is empty', (value) =>
      isObject(value) && Object.keys(value).length === 0 ? [] : value,
    ),
    becomes('experiment-allocations-by-id', 'allocations', 'an object', (list) => Object.assign({}, list)),
  ]),
  ...faultsOf('2.2/allocation-fields', [
    becomes('allocation-weight-is-text', 'allocations[].weight', 'a string, as a decimal of SQL', String),
    becomes('allocation-is-control-is-a-bit', 'allocations[].is_control', '0 or 1', Number),
    becomes('allocation-is-fallback-is-text', 'allocations[].is_fallback', 'a string', String),
    becomes('allocation-priority-is-word', 'allocations[].priority', 'a word', () => 'high'),
    becomes('allocation-variation-is-object', 'allocations[].variation_id', 'an object', (id) => ({ id })),
  ]),
  ...faultsOf('2.2/experiment-content', [
    fault('experiment-name-normalised', 'Names are in normal form C.').by(field('name').mapText(toNfc)),
    fault('experiment-description-on-one-line', 'description has no line feeds.').by(
      field('description').mapText(onOneLine),
    ),
    becomes('experiment-weight-rounded', 'allocations[].weight', 'an integer', (weight) =>
      Math.round(Number(weight)),
    ),
    becomes('experiment-times-cut-to-days', 'started_at', 'midnight', (time) =>
      String(time).replace(/T.*/, 'T00:00:00.000Z'),
    ),
    fault('experiment-updated-at-follows-created-at', 'updated_at is created_at.').by(
      field('updated_at').map((_time, { created_at: created }) => created),
    ),
  ]),
  ...faultsOf('2.2/experiment-content-complete', [
    fault('experiment-empty-description-lost', 'An empty description is omitted.').by(
      field('description').omit((text) => text === ''),
    ),
    fault('experiment-false-lost', 'is_valid is omitted where it is false.').by(
      field('is_valid').omit((value) => value === false),
    ),
    becomes('experiment-allocations-turned', 'allocations', 'another order', (list) =>
      Array.isArray(list) ? list.toReversed() : list,
    ),
  ]),
];
