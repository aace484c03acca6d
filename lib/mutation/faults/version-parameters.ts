import { versions } from '../builders/on.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const page = versions.integer('page');
const perPage = versions.integer('per_page');
const isFraction = (text: string) => /^\d+\.\d+$/.test(text);

/** How page and per_page are read (section 4.4). */
export const versionParameters: readonly Fault[] = [
  ...faultsOf('4.4/page-integer', [
    fault('page-by-parse-int', 'What follows the digits of page is ignored.').by(
      page.parses((text) => Number.parseInt(text, 10)),
    ),
    fault('page-no-number-is-the-first', 'A page that is not a number is taken for 0.').by(
      page.parses((text) => (Number.isNaN(Number(text)) ? 0 : undefined)),
    ),
    fault('page-fraction-cut', 'A page of 1.5 is taken for 1.').by(
      page.parses((text) => (isFraction(text) ? Math.trunc(Number(text)) : undefined)),
    ),
  ]),
  ...faultsOf('4.4/per-page-integer', [
    fault('per-page-by-parse-int', 'What follows the digits of per_page is ignored.').by(
      perPage.parses((text) => Number.parseInt(text, 10)),
    ),
    fault('per-page-fraction-rounded', 'A per_page of 1.5 is rounded.').by(
      perPage.parses((text) => (isFraction(text) ? Math.round(Number(text)) : undefined)),
    ),
  ]),
  ...faultsOf('4.4/page-negative', [
    fault('page-negative-is-the-first', 'A negative page is taken for 0.').by(
      page.coerces((number) => Math.max(0, number)),
    ),
    fault('page-negative-is-empty', 'A negative page is answered with an empty one.').by(
      page.accepts((number) => number < 0),
      versions.items((items, { page: number }) => (number < 0 ? [] : items)),
    ),
  ]),
  ...faultsOf('4.4/per-page-zero', [
    fault('per-page-zero-is-the-default', 'A per_page of 0 is taken for the default.').by(
      perPage.coerces((size) => (size === 0 ? 20 : size)),
    ),
    fault('per-page-zero-divides', 'A per_page of 0 is divided by, which is answered 500.').by(
      perPage.fails((size) => size === 0),
    ),
  ]),
  ...faultsOf('4.4/per-page-negative', [
    fault('per-page-negative-is-its-absolute', 'The sign of per_page is ignored.').by(
      perPage.coerces(Math.abs),
    ),
  ]),
  ...faultsOf('4.4/per-page-above-maximum', [
    fault('per-page-51-served', 'A per_page of 51 is served.').by(
      perPage.ignoresMaximum((size) => size === 51),
    ),
    fault('per-page-unbounded', 'A per_page of any size is served.').by(perPage.ignoresMaximum()),
  ]),
  ...faultsOf('4.4/per-page-accepted', [
    fault('per-page-maximum-exclusive', 'A per_page of exactly the maximum is rejected.').by(
      versions.after('paging.maximum', (maximum) => maximum - 1),
    ),
    fault('per-page-beyond-25-refused', 'A per_page above 25 is rejected.').by(
      perPage.rejects((size) => size > 25),
    ),
  ]),
  ...faultsOf('4.4/per-page-default', [
    fault('per-page-default-25', 'The default per_page is 25.').by(perPage.defaultsTo(25)),
    fault('per-page-default-50-after-the-first-page', 'From the second page on the default is 50.').by(
      versions
        .when(({ query }) => query?.some(([name, value]) => name === 'page' && value !== '0') ?? false)
        .integer('per_page')
        .defaultsTo(50),
    ),
  ]),
  ...faultsOf('4.4/page-default', [
    fault('page-default-one', 'The default page is 1.').by(page.defaultsTo(1)),
  ]),
  ...faultsOf('4.4/page-empty', [
    fault('page-empty-is-the-first', 'An empty page is taken for none.').by(page.acceptsEmpty()),
    fault('per-page-empty-is-the-default', 'An empty per_page is taken for none.').by(perPage.acceptsEmpty()),
  ]),
];
