import { expect, test } from 'vitest';
import { alteredValues, differences } from './data-set-differences.ts';

const dataSet = (name: string, created_at: string, updated_at = '2026-01-02T00:00:00Z') => ({
  phone_templates: { enrollment_message: 'a', verification_message: 'b' },
  experiments: [],
  actions: [
    {
      action: { id: 'act_1', name: 'Login' },
      versions: [{ id: 'ver_1', action_id: 'act_1', created_at, secrets: [{ name, updated_at }] }],
    },
  ],
  rate_limit_policies: [],
  self_service_profiles: [],
});

test('a value that differs in the tenant is named, fractions of a second, order and absence are not', () => {
  const seeded = dataSet('KEY', '2026-01-01T10:00:00.900Z');
  expect(alteredValues(seeded, dataSet('KEY', '2026-01-01T11:00:00+01:00'))).toEqual([]);
  expect(alteredValues(seeded, dataSet('OTHER', '2026-01-01T10:00:00Z'))).toEqual([]);
  const found = dataSet('KEY', '2026-01-01T10:00:01Z', '2026-01-02T01:00:00Z');
  expect(alteredValues(seeded, found)).toEqual([
    'actions: act_1: /versions/ver_1/created_at: "2026-01-01T10:00:00.900Z" became "2026-01-01T10:00:01Z"',
    'actions: act_1: /versions/ver_1/secrets/KEY/updated_at: "2026-01-02T00:00:00Z" became "2026-01-02T01:00:00Z"',
  ]);
  expect(differences(seeded, found)).toEqual([
    'actions: act_1 differs: /versions/ver_1/created_at: "2026-01-01T10:00:00.900Z" became "2026-01-01T10:00:01Z"',
  ]);
});
