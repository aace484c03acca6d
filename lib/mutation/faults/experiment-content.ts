import { isObject } from '../../contract/json.ts';
import { experiments } from '../builders/on.ts';
import { toNfc, zoneless } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const field = (path: string) => experiments.field(path);
const becomes = (name: string, path: string, what: string, transform: (value: unknown) => unknown) =>
  fault(name, `${path} becomes ${what}.`).by(field(path).map((value) => transform(value)));

/** The fields of an experiment (section 2.2). */
export const experimentContent: readonly Fault[] = [
  ...faultsOf('2.2/experiment-fields', [
    becomes('experiment-is-valid-is-a-bit', 'is_valid', '0 or 1', Number),
    becomes('experiment-started-at-without-zone', 'started_at', 'a time without a zone', zoneless),
    becomes('experiment-snapshot-is-list', 'feature_flag_snapshot', 'an array where it is empty', (value) =>
      isObject(value) && Object.keys(value).length === 0 ? [] : value,
    ),
  ]),
  ...faultsOf('2.2/allocation-fields', [
    becomes('allocation-weight-is-text', 'allocations[].weight', 'a string, as a decimal of SQL', String),
    becomes('allocation-variation-is-object', 'allocations[].variation_id', 'an object', (id) => ({ id })),
  ]),
  ...faultsOf('2.2/experiment-content', [
    fault('experiment-name-normalised', 'Names are in normal form C.').by(field('name').mapText(toNfc)),
    becomes('experiment-weight-rounded', 'allocations[].weight', 'an integer', (weight) =>
      Math.round(Number(weight)),
    ),
  ]),
  ...faultsOf('2.2/experiment-content-complete', [
    fault('experiment-empty-description-lost', 'An empty description is omitted.').by(
      field('description').omit((text) => text === ''),
    ),
    becomes('experiment-allocations-turned', 'allocations', 'another order', (list) =>
      Array.isArray(list) ? list.toReversed() : list,
    ),
  ]),
];
