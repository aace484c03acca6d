import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Fault } from '../fault.ts';
import {
  eachIn,
  epoch,
  experimentMember,
  experimentShown,
  text,
  withMember,
  without,
  zoneless,
} from './parts.ts';

/** What stands in an experiment (section 2.2). */
export const experimentContent: readonly Fault[] = [
  {
    name: 'experiment-is-valid-is-a-bit',
    requirement: '2.2/experiment-fields',
    description: 'is_valid is 0 or 1.',
    rules: experimentMember('is_valid', Number),
  },
  {
    name: 'experiment-is-stateful-is-text',
    requirement: '2.2/experiment-fields',
    description: 'is_stateful is a string.',
    rules: experimentMember('is_stateful', String),
  },
  {
    name: 'experiment-name-of-one-is-number',
    requirement: '2.2/experiment-fields',
    description: 'The name of one experiment in the middle is a number.',
    rules: experimentShown((each, index, page) =>
      index === 68 && page.matches > 100 ? { ...each, name: 68 } : each,
    ),
  },
  {
    name: 'experiment-created-at-is-epoch',
    requirement: '2.2/experiment-fields',
    description: 'created_at is a number of milliseconds.',
    rules: experimentMember('created_at', epoch),
  },
  {
    name: 'experiment-started-at-without-zone',
    requirement: '2.2/experiment-fields',
    description: 'started_at carries no zone.',
    rules: experimentMember('started_at', zoneless),
  },
  {
    name: 'experiment-ended-at-with-a-blank',
    requirement: '2.2/experiment-fields',
    description: 'ended_at is written as SQL writes it, with neither T nor zone.',
    rules: experimentMember(
      'ended_at',
      text((time) => time.slice(0, 19).replace('T', ' ')),
    ),
  },
  {
    name: 'experiment-updated-at-in-words',
    requirement: '2.2/experiment-fields',
    description: 'updated_at is written as HTTP writes a date.',
    rules: experimentMember(
      'updated_at',
      text((time) => new Date(time).toUTCString()),
    ),
  },
  {
    name: 'experiment-created-at-month-13',
    requirement: '2.2/experiment-fields',
    description: 'Month and day of one created_at stand the wrong way round.',
    rules: experimentShown((each, index, page) =>
      index === 100 && page.matches > 100 ? { ...each, created_at: '2026-13-01T00:00:00.000Z' } : each,
    ),
  },
  {
    name: 'experiment-config-is-text',
    requirement: '2.2/experiment-fields',
    description: 'assignment_config is a string that holds JSON.',
    rules: experimentMember('assignment_config', (config) => JSON.stringify(config)),
  },
  {
    name: 'experiment-subject-is-list',
    requirement: '2.2/experiment-fields',
    description: 'assignment_config.subject is a list.',
    rules: experimentMember('assignment_config', (config) =>
      isObject(config) ? { ...config, subject: [config.subject] } : config,
    ),
  },
  {
    name: 'experiment-snapshot-is-list',
    requirement: '2.2/experiment-fields',
    description: 'An empty feature_flag_snapshot is an empty array.',
    rules: experimentMember('feature_flag_snapshot', (snapshot) =>
      isObject(snapshot) && Object.keys(snapshot).length === 0 ? [] : snapshot,
    ),
  },
  {
    name: 'experiment-allocations-by-id',
    requirement: '2.2/experiment-fields',
    description: 'allocations is an object by id.',
    rules: experimentMember('allocations', (list) => (Array.isArray(list) ? Object.assign({}, list) : list)),
  },
  {
    name: 'allocation-weight-is-text',
    requirement: '2.2/allocation-fields',
    description: 'weight is a string, as a decimal of SQL is sent.',
    rules: allocations((each) => withMember(each, 'weight', String)),
  },
  {
    name: 'allocation-is-control-is-a-bit',
    requirement: '2.2/allocation-fields',
    description: 'is_control is 0 or 1.',
    rules: allocations((each) => withMember(each, 'is_control', Number)),
  },
  {
    name: 'allocation-second-is-fallback-is-text',
    requirement: '2.2/allocation-fields',
    description: 'is_fallback of the second allocation is a string.',
    rules: allocations((each, index) => (index === 1 ? withMember(each, 'is_fallback', String) : each)),
  },
  {
    name: 'allocation-priority-is-word',
    requirement: '2.2/allocation-fields',
    description: 'priority is a word.',
    rules: allocations((each) => withMember(each, 'priority', () => 'high')),
  },
  {
    name: 'allocation-variation-is-object',
    requirement: '2.2/allocation-fields',
    description: 'variation_id is an object.',
    rules: allocations((each) => withMember(each, 'variation_id', (id) => ({ id }))),
  },
  {
    name: 'experiment-name-normalised',
    requirement: '2.2/experiment-content',
    description: 'Names come in the composed form of Unicode.',
    rules: experimentMember(
      'name',
      text((name) => name.normalize('NFC')),
    ),
  },
  {
    name: 'experiment-name-escaped',
    requirement: '2.2/experiment-content',
    description: 'Names come with their markup escaped.',
    rules: experimentMember(
      'name',
      text((name) => name.replaceAll('&', '&amp;')),
    ),
  },
  {
    name: 'experiment-description-on-one-line',
    requirement: '2.2/experiment-content',
    description: 'A description comes on one line.',
    rules: experimentMember(
      'description',
      text((value) => value.replaceAll('\n', ' ')),
    ),
  },
  {
    name: 'experiment-empty-description-lost',
    requirement: '2.2/experiment-content',
    description: 'An empty description is left out.',
    rules: experimentShown((each) => (each.description === '' ? without(each, 'description') : each)),
  },
  {
    name: 'experiment-false-lost',
    requirement: '2.2/experiment-content',
    description: 'is_valid is left out where it is false.',
    rules: experimentShown((each) => (each.is_valid === false ? without(each, 'is_valid') : each)),
  },
  {
    name: 'experiment-weight-rounded',
    requirement: '2.2/experiment-content',
    description: 'weight is rounded to an integer.',
    rules: allocations((each) => withMember(each, 'weight', (weight) => Math.round(Number(weight)))),
  },
  {
    name: 'experiment-allocations-turned',
    requirement: '2.2/experiment-content',
    description: 'Allocations come in another order.',
    rules: experimentMember('allocations', (list) => (Array.isArray(list) ? list.toReversed() : list)),
  },
  {
    name: 'experiment-snapshot-emptied',
    requirement: '2.2/experiment-content',
    description: 'feature_flag_snapshot comes without its content.',
    rules: experimentMember('feature_flag_snapshot', () => ({})),
  },
  {
    name: 'experiment-times-cut-to-days',
    requirement: '2.2/experiment-content',
    description: 'started_at is put back to midnight.',
    rules: experimentMember(
      'started_at',
      text((time) => time.replace(/T.*/, 'T00:00:00.000Z')),
    ),
  },
  {
    name: 'experiment-updated-at-follows-created-at',
    requirement: '2.2/experiment-content',
    description: 'One experiment on the last page shows created_at as updated_at.',
    rules: experimentShown((each) =>
      each.id === 'exp_vPGb9fHteCDpgU1W' ? withMember(each, 'updated_at', () => each.created_at) : each,
    ),
  },
];

function allocations(changed: (allocation: JsonObject, index: number) => JsonObject): Fault['rules'] {
  return experimentMember('allocations', eachIn(changed));
}
