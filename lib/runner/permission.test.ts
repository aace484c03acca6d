import { expect, onTestFinished, test } from 'vitest';
import { suite } from '../../suites/index.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { type RulesOverride, startFake } from '../fake/index.ts';
import { after, checkedBy } from '../mutation/builders/on.ts';
import { connectTarget } from './connect.ts';
import { runSuite } from './runner.ts';

const contract = await loadContract();

/** The verdict of 5.1/no-header on the deletion of named policies, for a tenant whose data is not known. */
async function verdictOnDeletion(rules: readonly RulesOverride[] = []) {
  const fake = await startFake({ contract, rules });
  onTestFinished(() => fake.close());
  const named = fake.dataSet.rate_limit_policies.slice(0, 3).map(({ id }) => id);
  const target = await connectTarget({
    contract,
    baseUrl: fake.url,
    signingKey: fake.signingKey,
    resources: { action: [], rate_limit_policy: named, self_service_profile: [] },
  });
  onTestFinished(() => target.close());
  const { requirements } = await runSuite(target, loadLedger(), suite, {
    seed: 1,
    runs: 5,
    selected: new Set(['5.1/no-header']),
  });
  const [result] = requirements;
  return result?.by_operation.find(({ operation }) => operation === 'deleteRateLimitPolicy')?.verdict;
}

test('a 404 for a generated id shows that a deletion with a token is accepted', async () => {
  expect(await verdictOnDeletion()).toBe('passed');
});

test('a 404 without a token does not show that a deletion is refused', async () => {
  const order = checkedBy('rate', 'payload', 'parameters', 'exists', 'token', 'scopes');
  expect(await verdictOnDeletion([order, after('policies.found', () => undefined)])).toBe('not-judged');
});
