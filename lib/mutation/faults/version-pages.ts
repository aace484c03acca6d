import type { JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { OffsetPage } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { asked, change, onWire, refuses, slices, without } from './parts.ts';

/** Pages of an action's versions (sections 4.4 and 8, convention 1). */
export const versionPages: readonly Fault[] = [
  {
    name: 'versions-partial-content',
    requirement: '4.4/reads',
    description: 'A listing without parameters that does not hold everything is answered with 206.',
    rules: onWire('listActionVersions', (answer, call) =>
      answer.status === 200 &&
      call.query?.length === 0 &&
      !answer.parts.some((part) => String(part).endsWith('"versions":[]}'))
        ? { ...answer, status: 206 }
        : answer,
    ),
  },
  {
    name: 'versions-total-is-text',
    requirement: '4.4/answer-members',
    description: 'total is a string.',
    rules: answers((answer) => ({ ...answer, total: String(answer.total) })),
  },
  {
    name: 'versions-page-echoed-as-text',
    requirement: '4.4/answer-members',
    description: 'page stands in the answer as the text that was sent.',
    rules: answers((answer, _page, call) => ({ ...answer, page: asked(call, 'page') ?? answer.page })),
  },
  {
    name: 'versions-without-total',
    requirement: '4.4/answer-members',
    description: 'The answer holds no total, as with include_totals=false.',
    rules: answers((answer) => without(answer, 'total')),
  },
  {
    name: 'versions-per-page-null-by-default',
    requirement: '4.4/answer-members',
    description: 'per_page is null where none was asked for.',
    rules: answers((answer, _page, call) =>
      asked(call, 'per_page') === undefined ? { ...answer, per_page: null } : answer,
    ),
  },
  {
    name: 'versions-empty-page-is-object',
    requirement: '4.4/answer-members',
    description: 'An empty page holds an empty object for the array.',
    rules: answers((answer) => (isEmpty(answer) ? { ...answer, versions: {} } : answer)),
  },
  {
    name: 'versions-last-page-without-counts',
    requirement: '4.4/answer-members',
    description: 'An empty page holds neither total nor page.',
    rules: answers((answer, page) => (isEmpty(answer) ? { per_page: page.perPage, versions: [] } : answer)),
  },
  {
    name: 'versions-total-of-the-page',
    requirement: '4.4/total-right',
    description: 'total counts the versions of the page.',
    rules: answers((answer) => ({
      ...answer,
      total: Array.isArray(answer.versions) ? answer.versions.length : 0,
    })),
  },
  {
    name: 'versions-total-too-high-by-one',
    requirement: '4.4/total-right',
    description: 'total counts the draft too that no version was made of.',
    rules: change('versions', { total: (count) => count + 1 }),
  },
  {
    name: 'versions-total-up-to-fifty',
    requirement: '4.4/total-right',
    description: 'total counts up to fifty.',
    rules: change('versions', { total: (count) => Math.min(count, 50) }),
  },
  {
    name: 'versions-total-zero-beyond-the-end',
    requirement: '4.4/total-right',
    description: 'total is 0 on a page beyond the end, as a window function counts.',
    rules: change('versions', {
      total: (count, { page, perPage }) => (page * perPage >= count ? 0 : count),
    }),
  },
  {
    name: 'versions-page-echoed-from-one',
    requirement: '4.4/page-echoed',
    description: 'page in the answer counts from 1.',
    rules: answers((answer, { page }) => ({ ...answer, page: page + 1 })),
  },
  {
    name: 'versions-page-echoed-within-the-end',
    requirement: '4.4/page-echoed',
    description: 'page in the answer is the last one where a later one was asked for.',
    rules: answers((answer, { page, perPage, total }) => ({
      ...answer,
      page: Math.min(page, Math.max(0, Math.ceil(total / perPage) - 1)),
    })),
  },
  {
    name: 'versions-page-echoed-as-offset',
    requirement: '4.4/page-echoed',
    description: 'page in the answer is the number of versions before it.',
    rules: answers((answer, { page, perPage }) => ({ ...answer, page: page * perPage })),
  },
  {
    name: 'versions-per-page-echoed-as-default',
    requirement: '4.4/per-page-echoed',
    description: 'per_page in the answer is always the default.',
    rules: answers((answer) => ({ ...answer, per_page: 20 })),
  },
  {
    name: 'versions-per-page-echoed-as-count',
    requirement: '4.4/per-page-echoed',
    description: 'per_page in the answer counts the versions that came.',
    rules: answers((answer) => ({
      ...answer,
      per_page: Array.isArray(answer.versions) ? answer.versions.length : 0,
    })),
  },
  {
    name: 'per-page-21-gives-22',
    requirement: '4.4/per-page-limits',
    description: 'Pages of 21 hold 22 versions.',
    rules: slices((_items, { page, perPage }) => {
      const size = perPage === 21 ? 22 : perPage;
      return [page * size, (page + 1) * size];
    }),
  },
  {
    name: 'per-page-orphans-join-the-last-page',
    requirement: '4.4/per-page-limits',
    description: 'A last page of one version is joined to the page before.',
    rules: slices((_items, { page, perPage, total }) => {
      const end = (page + 1) * perPage;
      if (perPage === 1 || total % perPage !== 1) return [page * perPage, end];
      return total - end === 1 ? [page * perPage, total] : [page * perPage + (end > total ? 1 : 0), end];
    }),
  },
  {
    name: 'per-page-ignored-after-the-first-page',
    requirement: '4.4/per-page-limits',
    description: 'The second of several pages of 7 holds all the rest.',
    rules: slices((_items, { page, perPage }) => {
      if (perPage !== 7 || page === 0) return [page * perPage, (page + 1) * perPage];
      return page === 1 ? [perPage, undefined] : [100_000, undefined];
    }),
  },
  {
    name: 'per-page-maximum-exclusive',
    requirement: '4.4/per-page-accepted',
    description: 'A per_page of exactly the maximum is refused.',
    rules: refuses('per_page', (value) => value === 50),
  },
  {
    name: 'per-page-beyond-25-refused',
    requirement: '4.4/per-page-accepted',
    description: 'A per_page above 25 is refused.',
    rules: refuses('per_page', (value) => typeof value === 'number' && value > 25),
  },
  {
    name: 'per-page-one-value-refused',
    requirement: '4.4/per-page-accepted',
    description: 'A per_page of 37, and no other, is refused.',
    rules: refuses('per_page', (value) => value === 37),
  },
  ...[10, 25, 50].map((usual) => ({
    name: `per-page-default-${usual}`,
    requirement: '4.4/per-page-default',
    description: `Without per_page a page holds ${usual} versions.`,
    rules: absent('per_page', () => usual),
  })),
  {
    name: 'per-page-default-50-after-the-first-page',
    requirement: '4.4/per-page-default',
    description: 'Without per_page a page but the first is one of 50.',
    rules: absent('per_page', (call) => ((asked(call, 'page') ?? '0') === '0' ? 20 : 50)),
  },
  {
    name: 'per-page-default-10-on-the-third-page',
    requirement: '4.4/per-page-default',
    description: 'Without per_page the third page is one of 10.',
    rules: absent('per_page', (call) => (asked(call, 'page') === '2' ? 10 : 20)),
  },
  {
    name: 'page-default-one',
    requirement: '4.4/page-default',
    description: 'Without page the second page comes.',
    rules: absent('page', () => 1),
  },
  {
    name: 'page-default-last',
    requirement: '4.4/page-default',
    description: 'Without page the last page of one version comes.',
    rules: absent('page', (call) => (asked(call, 'per_page') === '1' ? 56 : 0)),
  },
];

function answers(changed: (answer: JsonObject, page: OffsetPage, call: Call) => JsonObject): Fault['rules'] {
  return change('versions', { answered: changed });
}

function absent(name: string, usual: (call: Call) => number): Fault['rules'] {
  return change('parameters', ({ absent: given }) => ({
    absent: (parameter, call) => (parameter.name === name ? usual(call) : given(parameter, call)),
  }));
}

function isEmpty(answer: JsonObject): boolean {
  return Array.isArray(answer.versions) && answer.versions.length === 0;
}
