import { experiments } from '../builders/on.ts';
import { toNfc, zoneless } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

/** The fields of an experiment (section 2.2). */
export const experimentContent: readonly Fault[] = faultsOf({
  '2.2/experiment-fields': [
    fault('experiment-is-valid-is-a-bit', 'is_valid is 0 or 1.').by(experiments.field('is_valid', Number)),
    fault('experiment-started-at-without-zone', 'started_at has no zone.').by(
      experiments.field('started_at', zoneless),
    ),
  ],
  '2.2/allocation-fields': fault(
    'allocation-weight-is-text',
    'A weight is a string, as a decimal of SQL.',
  ).by(experiments.field('allocations[].weight', String)),
  '2.2/experiment-content': [
    fault('experiment-name-normalised', 'Names are in normal form C.').by(
      experiments.field('name', (name) => toNfc(String(name))),
    ),
    fault('experiment-weight-rounded', 'A weight is an integer.').by(
      experiments.field('allocations[].weight', (weight) => Math.round(Number(weight))),
    ),
  ],
  '2.2/experiment-content-complete': fault(
    'experiment-empty-description-lost',
    'An empty description is omitted.',
  ).by(experiments.field('description', (text) => text || undefined)),
});
