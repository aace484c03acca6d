import { experiments } from '../builders/on.ts';
import { toNfc, zoneless } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

/** The fields of an experiment (section 2.2). */
export const experimentContent: readonly Fault[] = faultsOf({
  '2.2/experiment-fields': {
    'experiment-is-valid-is-a-bit': experiments.field('is_valid', Number),
    'experiment-started-at-without-zone': experiments.field('started_at', zoneless),
  },
  '2.2/allocation-fields': { 'allocation-weight-is-text': experiments.field('allocations[].weight', String) },
  '2.2/experiment-content': {
    'experiment-name-normalised': experiments.field('name', (name) => toNfc(String(name))),
    'experiment-weight-rounded': experiments.field('allocations[].weight', (weight) =>
      Math.round(Number(weight)),
    ),
  },
  '2.2/experiment-content-complete': {
    'experiment-empty-description-lost': experiments.field('description', (text) => text || undefined),
  },
});
