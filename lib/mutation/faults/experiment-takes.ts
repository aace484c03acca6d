import { experiments } from '../builders/on.ts';
import { isFiltered, isLaterPage } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const take = experiments.integer('take');
const filtered = experiments.when(isFiltered);
const laterPages = experiments.when(isLaterPage);

/** Page sizes of the experiments (section 4.2). */
export const experimentTakes: readonly Fault[] = [
  ...faultsOf('4.2/reads', [
    fault('experiments-partial-content', 'A listing without parameters is answered 206.').by(
      experiments.status(206, (_response, call) => call.query?.length === 0),
    ),
  ]),
  ...faultsOf('4.2/answer-members', [
    fault('experiments-empty-is-object', 'Without matches, experiments is an object, as from PHP.').by(
      experiments.body((body, page) => (page.matches === 0 ? { ...body, experiments: {} } : body)),
    ),
    fault('experiments-next-false-when-filtered', 'next is false on the last page under a filter.').by(
      filtered.body((body, page) => (page.isLast ? { ...body, next: false } : body)),
    ),
  ]),
  ...faultsOf('4.2/take-accepted', [
    fault('take-maximum-exclusive', 'A take of exactly the maximum is rejected.').by(
      experiments.after('paging.maximum', (maximum) => maximum - 1),
    ),
    fault('take-minimum-exclusive', 'A take of 1 is rejected.').by(take.rejects((value) => value === 1)),
  ]),
  ...faultsOf('4.2/take-limits', [
    fault('take-fifty-gives-fifty-one', 'The largest pages contain the item that was fetched ahead.').by(
      experiments.after('paging.size', (size, requested) => (requested === 50 ? 51 : size)),
    ),
    fault('take-only-on-the-first-page', 'From the second page on the default size is used.').by(
      laterPages.before('paging.size', () => undefined),
    ),
    fault('take-ignored-under-a-filter', 'A filtered listing is not paginated.').by(
      filtered.replace('paging.size', () => 100_000),
    ),
  ]),
  ...faultsOf('4.2/take-full-pages', [
    fault('pages-of-fifty-come-short', 'The largest pages contain one item fewer than take.').by(
      experiments.after('paging.size', (size, requested) => (requested === 50 ? 49 : size)),
    ),
  ]),
  ...faultsOf('4.2/take-default', [
    fault('take-default-50-on-later-pages', 'From the second page on the default take is 50.').by(
      laterPages.integer('take').defaultsTo(50),
    ),
    fault('take-default-10-under-a-filter', 'Under a filter the default take is 10.').by(
      filtered.integer('take').defaultsTo(10),
    ),
  ]),
  ...faultsOf('4.2/take-maximum', [
    fault('take-maximum-51', 'A take of 51 is accepted.').by(take.ignoresMaximum((value) => value === 51)),
    fault('take-maximum-unchecked-after-the-first-page', 'With from, take has no maximum.').by(
      laterPages.integer('take').ignoresMaximum(),
    ),
  ]),
  ...faultsOf('4.2/take-minimum', [
    fault('take-zero-is-the-default', 'A take of 0 is read as the default.').by(
      take.coerces((value) => value || 25),
    ),
    fault('take-negative-is-its-absolute', 'The sign of take is ignored.').by(take.coerces(Math.abs)),
  ]),
  ...faultsOf('4.2/take-integer', [
    fault('take-fraction-cut', 'A take of 1.5 is read as 1.').by(
      take.parses((text) => (/^\d+\.\d+$/.test(text) ? Math.trunc(Number(text)) : undefined)),
    ),
    fault('take-no-number-is-the-default', 'A take that is not a number is read as the default.').by(
      take.parses((text) => (Number.isNaN(Number(text)) ? 25 : undefined)),
    ),
  ]),
  ...faultsOf('4.2/take-empty', [
    fault('take-empty-is-the-default', 'An empty take is read as absent.').by(take.acceptsEmpty()),
  ]),
];
