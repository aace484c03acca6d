import { experiments } from '../builders/on.ts';
import { type Fault, faultsOf } from '../fault.ts';

const take = experiments.integer('take');

/** Page sizes of the experiments (section 4.2). */
export const experimentTakes: readonly Fault[] = faultsOf({
  '4.2/reads': { 'experiments-partial-content': experiments.status(206) },
  '4.2/answer-members': {
    'experiments-empty-is-object': experiments.body((body, page) =>
      page.matches === 0 ? { ...body, experiments: {} } : body,
    ),
  },
  '4.2/take-accepted': {
    'take-maximum-exclusive': experiments.after('paging.maximum', (maximum) => maximum - 1),
    'take-minimum-exclusive': take.rejects((value) => value === 1),
  },
  '4.2/take-limits': { 'take-gives-one-more': experiments.after('paging.size', (size) => size + 1) },
  '4.2/take-default': { 'take-default-50': take.defaultsTo(50) },
  '4.2/take-maximum': { 'take-maximum-51': take.ignoresMaximum((value) => value === 51) },
  '4.2/take-minimum': {
    'take-zero-is-the-default': take.coerces((value) => value || 25),
    'take-negative-is-its-absolute': take.coerces(Math.abs),
  },
  '4.2/take-integer': {
    'take-fraction-cut': take.parses((text) =>
      /^\d+\.\d+$/.test(text) ? Math.trunc(Number(text)) : Number.NaN,
    ),
    'take-no-number-is-the-default': take.parses((text) => (Number.isNaN(Number(text)) ? 25 : Number.NaN)),
  },
});
