import type { Logs } from '../control/control.ts';
import { LogError } from '../control/tenant-logs.ts';
import { NotJudged } from './verdict.ts';

/** The logs as requirements read them: where the profile's endpoint does not give them, nothing is judged by them. */
export function judgedLogs(logs: Logs): Logs {
  return {
    async correlationIds(prefix) {
      try {
        return await logs.correlationIds(prefix);
      } catch (error) {
        if (error instanceof LogError) throw new NotJudged(error.message, ['logs in the profile']);
        throw error;
      }
    },
  };
}
