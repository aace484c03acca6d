import { expect, test } from 'vitest';
import { sampleReport } from '../../test/sample-report.ts';
import { loadContract } from '../contract/load.ts';
import { operation } from '../contract/model.ts';
import { inputs } from '../report/html/inputs.ts';
import { InputCounter } from './input-coverage.ts';

const contract = await loadContract();

test('requests are counted by operation and class, and the page shows what was left out', () => {
  const counter = new InputCounter();
  const listing = operation(contract, 'listExperiments');
  const target = `${listing.path}?take=50&status=draft`;
  counter.record({ operation: listing, method: 'GET', target }, 200, 0);
  counter.record({ operation: listing, method: 'GET', target: listing.path }, 401, 7200);
  counter.record({ operation: undefined, method: 'GET', target: '/' }, 200, 0);
  const coverage = counter.report({ token: { 'claims: nbf': 'the target refuses <it>' } });
  expect(Object.keys(coverage.operations)).toEqual(['listExperiments']);
  expect(coverage.operations.listExperiments).toMatchObject({
    'query take: maximum': [1, 1, 0],
    'query take: absent': [1, 0, 1],
    'query take: minimum': [0, 0, 0],
    'filters: one': [1, 1, 0],
    'clock: hours': [1, 0, 1],
  });
  const page = inputs({ ...sampleReport(), input_coverage: coverage })?.markup;
  expect(page).toContain('token, claims: nbf: the target refuses &lt;it&gt;');
  expect(page).toContain('<th scope="row">query take: maximum</th><td>1</td><td>1</td><td>0</td>');
});
