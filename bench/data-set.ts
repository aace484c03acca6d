import type { DataSet } from '../lib/fake/index.ts';

/** The one action of the data. */
export const actionId = 'act_of_the_bench';

/** The state that one experiment in five is in. */
export const commonStatus = 'active';

const statuses = ['draft', commonStatus, 'paused', 'completed', 'archived'];

/** This many experiments, and as many versions of one action. */
export function dataSetOf(size: number): DataSet {
  const created_at = '2026-01-05T08:00:00.000Z';
  return {
    experiments: Array.from({ length: size }, (_, index) => ({
      status: statuses[index % statuses.length] ?? commonStatus,
      experiment: {
        id: `exp_${index}`,
        name: `Experiment ${index}`,
        feature_flag_id: 'flag_passkeys',
        authentication_flow: 'login',
        is_valid: true,
        created_at,
      },
    })),
    actions: [
      {
        action: { id: actionId, name: 'Action of the bench' },
        versions: Array.from({ length: size }, (_, index) => ({
          id: `ver_${index}`,
          action_id: actionId,
          number: index + 1,
          runtime: 'node22',
          deployed: index === size - 1,
          created_at,
        })),
      },
    ],
  };
}
