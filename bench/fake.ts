import { startFake } from '../lib/fake/index.ts';

/** A fake in a process of its own. Argument: milliseconds before each response. Sends its parent what a client needs. */
const fake = await startFake({ control: true, latency: Number(process.argv[2] ?? 0) });
const [client] = fake.clients;
process.send?.({
  url: fake.url,
  controlUrl: fake.controlUrl,
  token: await fake.token(),
  signingKey: JSON.stringify(fake.signingKey),
  clientId: client?.client_id,
  clientSecret: client?.client_secret,
});
