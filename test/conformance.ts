import { readSettings } from '../lib/cli/settings.ts';
import { conformance } from '../lib/vitest/index.ts';

// `npm run ui`: the suite against the embedded fake, or against the server that `CONFORMANCE_BASE_URL` and the other variables name.

const { contract: _contract, ...options } = readSettings({}, process.env).settings;
conformance(undefined, options);
