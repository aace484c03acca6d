import { expect, test } from 'vitest';
import { loadLedger } from './ledger.ts';
import { requirementsPage } from './requirements-page.ts';

test('docs/requirements.md is what the fixtures say', async () => {
  await expect(requirementsPage(loadLedger())).toMatchFileSnapshot('../../docs/requirements.md');
});

test('every row stands there once', () => {
  const ledger = loadLedger();
  const page = requirementsPage(ledger);
  const rows = [...ledger.requirements, ...ledger.observations, ...ledger.excluded];
  expect(rows.filter(({ id }) => page.split(`| ${id} |`).length !== 2)).toEqual([]);
});
