import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { type Behaviour, startPlainServer } from '../../../examples/plain-server/server.ts';
import type { InProcessServer } from '../../client/in-process.ts';
import { parseDataSet } from '../../contract/data-set.ts';
import type { Ledger } from '../../contract/ledger.ts';
import type { Cloud, Contract } from '../../contract/model.ts';
import { inProcessControl } from '../../control/in-process-control.ts';
import { type DataSet, type RulesOverride, startFake } from '../../fake/index.ts';
import { connectTarget, type TargetOptions } from '../../runner/connect.ts';
import type { Check } from '../../runner/requirement.ts';
import { type Findings, runSuite } from '../../runner/runner.ts';

/** What judging a fake takes. */
export interface Judgement {
  readonly contract: Contract;
  readonly ledger: Ledger;
  readonly suite: readonly Check[];
  readonly dataSet: DataSet;
  readonly seed: number;
  /** Examples per property. Default: the suite's. */
  readonly runs?: number;
  readonly cloud?: Cloud;
  /** Ids of the only rows to judge; all where left out. */
  readonly only?: ReadonlySet<string>;
  readonly matrix?: 'full' | 'grouped';
  /** True for requests over real sockets. */
  readonly sockets?: boolean;
  readonly pace?: Pace;
}

/** How quickly requests follow each other. */
export interface Pace {
  /** Requests under way at a time. */
  readonly concurrency: number;
  /** Milliseconds before each answer of the fake. */
  readonly latency: number;
}

/** Longest wait for a log entry of our own servers, in milliseconds: they write them before they answer. */
const logWaitMs = 300;

/** A server that was started to be judged. */
interface Served {
  readonly url: string;
  /** Its control protocol: where it is served, or without sockets. */
  readonly control: TargetOptions['control'];
  /** Private key whose tokens the server trusts. */
  readonly signingKey: unknown;
  /** How it is asked without sockets. */
  readonly inProcess?: InProcessServer;
  close(): Promise<void>;
}

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
  readonly scopes: string[];
}

/**
 * Runs the whole suite against a fake with these changes of its rules, in this process. Where the changes are not about what
 * HTTP carries, and how, requests reach the fake by a function call, which saves a third of the time.
 */
export async function judgeFake(rules: readonly RulesOverride[], judgement: Judgement): Promise<Findings> {
  const { contract, dataSet, cloud = 'public' } = judgement;
  return judged(judgement, async (client) => {
    const latency = judgement.pace?.latency ?? 0;
    const fake = await startFake({
      contract,
      cloud,
      rules,
      control: true,
      clients: [client],
      dataSet,
      latency,
    });
    const { url, controlUrl, signingKey } = fake;
    const served = { url, signingKey, close: () => fake.close() };
    return judgement.sockets
      ? { ...served, control: controlUrl }
      : { ...served, control: inProcessControl(fake), inProcess: fake };
  });
}

/** Runs the whole suite against the server that was written from the specification alone, broken so. */
export async function judgePlain(behaviour: Partial<Behaviour>, judgement: Judgement): Promise<Findings> {
  const { cloud = 'public' } = judgement;
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
  const named = { kid: 'prove', alg: 'EdDSA' };
  const signingKey = { ...(await exportJWK(privateKey)), ...named };
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), ...named }] };
  return judged(judgement, async (client) => {
    const server = await startPlainServer({ cloud, jwks, clients: [client], behaviour });
    return { url: server.url, control: server.controlUrl, signingKey, close: () => server.close() };
  });
}

async function judged(judgement: Judgement, start: (client: Client) => Promise<Served>): Promise<Findings> {
  const { contract, ledger, suite, dataSet, seed, runs, only, cloud = 'public' } = judgement;
  const client = {
    client_id: 'prove',
    client_secret: randomBytes(16).toString('hex'),
    // Other contracts may not have it, and the fake refuses scopes that its contract does not have.
    scopes: contract.scopes.map(({ name }) => name).filter((name) => name === 'read:actions'),
  };
  const server = await start(client);
  try {
    const target = await connectTarget({
      contract,
      cloud,
      baseUrl: server.url,
      signingKey: server.signingKey,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      ...(judgement.pace !== undefined && { concurrency: judgement.pace.concurrency }),
      ...(server.control !== undefined && { control: server.control }),
      ...(server.inProcess !== undefined && { inProcess: server.inProcess }),
    });
    try {
      return await runSuite(target, ledger, suite, {
        seed,
        logWaitMs,
        dataSet: parseDataSet(dataSet),
        ...(runs !== undefined && { runs }),
        ...(judgement.matrix !== undefined && { matrix: judgement.matrix }),
        ...(only !== undefined && { selected: only }),
      });
    } finally {
      await target.close();
    }
  } finally {
    await server.close();
  }
}
