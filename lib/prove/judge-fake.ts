import { randomBytes } from 'node:crypto';
import type { Ledger } from '../contract/ledger.ts';
import type { Cloud, Contract } from '../contract/model.ts';
import { type DataSet, type RulesOverride, startFake } from '../fake/index.ts';
import type { Entry } from '../judge/requirement.ts';
import { type Findings, runSuite } from '../judge/run.ts';
import { connectTarget } from '../target/connect.ts';
import { parseDataSet } from '../target/data-set.ts';

/** What judging a fake takes. */
export interface Judgement {
  readonly contract: Contract;
  readonly ledger: Ledger;
  readonly suite: readonly Entry[];
  readonly dataSet: DataSet;
  readonly seed: number;
  /** Examples per property. Default: the suite's. */
  readonly runs?: number;
  readonly cloud?: Cloud;
  /** Ids of the only rows to judge; all where left out. */
  readonly only?: ReadonlySet<string>;
  readonly matrix?: 'full' | 'grouped';
}

/** Longest wait for a log entry of the fake, in milliseconds: it writes them before it answers. */
const logWaitMs = 300;

/** Runs the whole suite against a fake with these changes of its rules, in this process, over real sockets. */
export async function judgeFake(rules: readonly RulesOverride[], judgement: Judgement): Promise<Findings> {
  const { contract, ledger, suite, dataSet, seed, runs, only } = judgement;
  const cloud = judgement.cloud ?? 'public';
  const client = {
    client_id: 'prove',
    client_secret: randomBytes(16).toString('hex'),
    scopes: ['read:actions'],
  };
  const fake = await startFake({ contract, cloud, rules, control: true, clients: [client], dataSet });
  try {
    const target = await connectTarget({
      contract,
      cloud,
      baseUrl: fake.url,
      signingKey: fake.signingKey,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      ...(fake.controlUrl !== undefined && { control: fake.controlUrl }),
    });
    try {
      return await runSuite(target, ledger, suite, {
        seed,
        logWaitMs,
        dataSet: parseDataSet(dataSet),
        ...(runs !== undefined && { runs }),
        ...(judgement.matrix !== undefined && { matrix: judgement.matrix }),
        ...(only !== undefined && { selects: (row) => only.has(row.id) }),
      });
    } finally {
      await target.close();
    }
  } finally {
    await fake.close();
  }
}
