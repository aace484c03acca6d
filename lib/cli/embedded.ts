import type { Cloud, Contract } from '../contract/model.ts';

/** The fake that is judged where no target is named. */
export interface EmbeddedFake {
  readonly baseUrl: string;
  readonly control: string;
  readonly signingKey: unknown;
  readonly clientId: string;
  readonly clientSecret: string;
  close(): Promise<void>;
}

/** Starts the fake in this process, with the control protocol, its own key and its own client. */
export async function startEmbedded(contract: Contract, cloud: Cloud): Promise<EmbeddedFake> {
  const { startFake } = await import('../fake/index.ts');
  const fake = await startFake({ contract, cloud, control: true });
  const [client] = fake.clients;
  if (fake.controlUrl === undefined || client === undefined)
    throw new Error('the embedded fake has no control protocol or no client');
  return {
    baseUrl: fake.url,
    control: fake.controlUrl,
    signingKey: fake.signingKey,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    close: () => fake.close(),
  };
}
