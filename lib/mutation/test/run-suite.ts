import { randomBytes } from 'node:crypto';
import type { Client } from '../../../examples/plain-server/behavior.ts';
import { type Behavior, startPlainServer } from '../../../examples/plain-server/server.ts';
import { operationsOfSection4 } from '../../../test/section-4.ts';
import { parseDataSet } from '../../contract/data-set.ts';
import { present } from '../../contract/json.ts';
import type { Ledger } from '../../contract/ledger.ts';
import { type Cloud, type Contract, operation } from '../../contract/model.ts';
import { inProcessControl } from '../../control/in-process-control.ts';
import { type DataSet, type RulesOverride, startFake } from '../../fake/index.ts';
import { createSigningKey } from '../../fake/keys.ts';
import type { Service } from '../../fake/service.ts';
import { connectTarget, type TargetOptions } from '../../runner/connect.ts';
import type { Check } from '../../runner/requirement.ts';
import type { RunOptions } from '../../runner/run-options.ts';
import { type Findings, runSuite } from '../../runner/runner.ts';

/** Settings of a run of the suite. */
export interface SuiteRun
  extends Pick<RunOptions, 'seed' | 'runs' | 'matrix' | 'maxFailures' | 'recordExchanges'> {
  readonly contract: Contract;
  readonly ledger: Ledger;
  readonly suite: readonly Check[];
  readonly dataSet: DataSet;
  readonly cloud?: Cloud;
  /** Ids of the requirements to run. Default: all. */
  readonly only?: ReadonlySet<string>;
  /** True for requests over real sockets instead of function calls. */
  readonly sockets?: boolean;
  readonly load?: Load;
}

/** How quickly requests follow one another. */
export interface Load {
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Milliseconds before each response of the fake. */
  readonly latency: number;
}

/** Longest wait for a log entry, and for the effect of a change, in milliseconds. Our own servers need no longer. */
const [logWaitMs, effectWaitMs] = [300, 1_000];

/** No listing of the shipped data has as many pages. A fault's walk that never ends is ended here. */
const maximumPages = 300;

type Connection = Pick<TargetOptions, 'baseUrl' | 'control' | 'signingKey' | 'inProcess'>;

/** Runs the suite against the fake under these rules, in this process. @param wrapped as of `startFake` */
export async function runAgainstFake(
  rules: readonly RulesOverride[],
  run: SuiteRun,
  wrapped?: (service: Service) => Service,
): Promise<Findings> {
  const { contract, dataSet, cloud = 'public' } = run;
  const client = clientOf(contract);
  const latency = run.load?.latency ?? 0;
  const options = { contract, cloud, rules, control: true, clients: [client], dataSet, latency };
  const fake = await startFake(options, [], wrapped);
  const { url: baseUrl, controlUrl, signingKey } = fake;
  const connection = run.sockets
    ? present({ control: controlUrl })
    : { control: inProcessControl(fake), inProcess: fake };
  try {
    return await runAgainst({ baseUrl, signingKey, ...connection }, client, run);
  } finally {
    await fake.close();
  }
}

/** Runs the suite against the plain server with this behavior. */
export async function runAgainstPlainServer(behavior: Partial<Behavior>, run: SuiteRun): Promise<Findings> {
  const { cloud = 'public' } = run;
  const contract = {
    ...run.contract,
    operations: operationsOfSection4.map((id) => operation(run.contract, id)),
  };
  const client = clientOf(contract);
  const { privateJwk: signingKey, publicJwk } = await createSigningKey();
  const server = await startPlainServer({ cloud, jwks: { keys: [publicJwk] }, clients: [client], behavior });
  try {
    const connection = { baseUrl: server.url, control: server.controlUrl, signingKey };
    return await runAgainst(connection, client, { ...run, contract });
  } finally {
    await server.close();
  }
}

function clientOf({ scopes }: Contract): Client {
  return {
    client_id: 'mutation',
    client_secret: randomBytes(16).toString('hex'),
    // Other contracts may not have this scope, and the fake rejects scopes that its contract does not have.
    scopes: scopes.map(({ name }) => name).filter((name) => name === 'read:actions'),
  };
}

async function runAgainst(connection: Connection, client: Client, run: SuiteRun): Promise<Findings> {
  const { contract, ledger, suite, dataSet, cloud = 'public', only, load, sockets: _, ...options } = run;
  const target = await connectTarget({
    contract,
    cloud,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    ...connection,
    ...(load !== undefined && { concurrency: load.concurrency }),
  });
  try {
    return await runSuite(target, ledger, suite, {
      ...options,
      logWaitMs,
      effectWaitMs,
      maximumPages,
      dataSet: parseDataSet(dataSet),
      ...(only !== undefined && { selected: only }),
    });
  } finally {
    await target.close();
  }
}
