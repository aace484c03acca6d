import { experiments } from '../builders/on.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const take = experiments.integer('take');

/** Page sizes of the experiments (section 4.2). */
export const experimentTakes: readonly Fault[] = faultsOf({
  '4.2/reads': fault('experiments-partial-content', 'A listing is answered 206.').by(experiments.status(206)),
  '4.2/answer-members': fault(
    'experiments-empty-is-object',
    'Without matches, experiments is an object, as from PHP.',
  ).by(experiments.body((body, page) => (page.matches === 0 ? { ...body, experiments: {} } : body))),
  '4.2/take-accepted': [
    fault('take-maximum-exclusive', 'A take of exactly the maximum is rejected.').by(
      experiments.after('paging.maximum', (maximum) => maximum - 1),
    ),
    fault('take-minimum-exclusive', 'A take of 1 is rejected.').by(take.rejects((value) => value === 1)),
  ],
  '4.2/take-limits': fault('take-gives-one-more', 'A page contains the item that was fetched ahead.').by(
    experiments.after('paging.size', (size) => size + 1),
  ),
  '4.2/take-default': fault('take-default-50', 'The default take is 50.').by(take.defaultsTo(50)),
  '4.2/take-maximum': fault('take-maximum-51', 'A take of 51 is accepted.').by(
    take.ignoresMaximum((value) => value === 51),
  ),
  '4.2/take-minimum': [
    fault('take-zero-is-the-default', 'A take of 0 is read as the default.').by(
      take.coerces((value) => value || 25),
    ),
    fault('take-negative-is-its-absolute', 'The sign of take is ignored.').by(take.coerces(Math.abs)),
  ],
  '4.2/take-integer': [
    fault('take-fraction-cut', 'A take of 1.5 is read as 1.').by(
      take.parses((text) => (/^\d+\.\d+$/.test(text) ? Math.trunc(Number(text)) : Number.NaN)),
    ),
    fault('take-no-number-is-the-default', 'A take that is not a number is read as the default.').by(
      take.parses((text) => (Number.isNaN(Number(text)) ? 25 : Number.NaN)),
    ),
  ],
});
