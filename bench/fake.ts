import { startFake } from '../lib/fake/index.ts';

/** A fake in a process of its own. Sends its parent its URL and a token. */
const fake = await startFake();
process.send?.([fake.url, await fake.token()]);
