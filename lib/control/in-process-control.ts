import { type DataSet, parseDataSet } from '../contract/data-set.ts';
import type { Clock } from '../tokens/clock.ts';
import type { Control } from './control.ts';

/** The control protocol as implemented by a server in this process. */
export interface InProcessControlServer {
  readonly dataSet: unknown;
  readonly clock: { move(offsetSeconds: number): void };
  readonly logs: readonly { readonly references: { readonly correlation_id: string } }[];
  /** @throws Error for a data set that it can't store */
  seed(dataSet: DataSet): void;
}

/** The control protocol by function calls. Data is not copied, because the server never changes it in place. */
export function inProcessControl(server: InProcessControlServer): (clock: Clock) => Control {
  return (clock) => ({
    supports: new Set(['seed', 'inspect', 'clock', 'logs']),
    seed: async (dataSet) => server.seed(dataSet),
    inspect: async () => parseDataSet(server.dataSet),
    async moveClock(offsetSeconds) {
      server.clock.move(offsetSeconds);
      clock.offsetSeconds = offsetSeconds;
    },
    correlationIds: async (prefix) =>
      server.logs.map(({ references }) => references.correlation_id).filter((id) => id.startsWith(prefix)),
  });
}
