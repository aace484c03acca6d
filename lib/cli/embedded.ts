import { randomBytes } from 'node:crypto';
import type { Cloud, Contract } from '../contract/model.ts';
import { inProcessControl } from '../control/in-process-control.ts';

/** Starts the fake in this process, with the control protocol, its own key and its own client. */
export async function startEmbedded(contract: Contract, cloud: Cloud) {
  const { startFake } = await import('../fake/index.ts');
  const clientId = 'embedded-client';
  const clientSecret = randomBytes(24).toString('base64url');
  const client = { client_id: clientId, client_secret: clientSecret, scopes: clientScopes(contract) };
  const fake = await startFake({ contract, cloud, clients: [client] });
  return {
    baseUrl: fake.url,
    inProcess: fake,
    control: inProcessControl(fake),
    signingKey: fake.signingKey,
    // Without a token endpoint the client cannot get a token.
    ...(contract.tokenEndpoint !== undefined && { clientId, clientSecret }),
    close: () => fake.close(),
  };
}

/** All scopes but those of one operation, so that both permitted and forbidden requests can be judged. */
function clientScopes({ scopes, operations }: Contract): string[] {
  const [, ...others] = operations.filter((operation) => operation.scopes.length > 0);
  const denied = others.at(-1)?.alternatives.flat() ?? [];
  return scopes.filter((scope) => !denied.some(({ name }) => name === scope.name)).map(({ name }) => name);
}
