import { fileURLToPath } from 'node:url';
import { isBuilt } from './sources.js';

/** The command line in a clone: what was built of exactly these sources, which starts in half the time, else the sources themselves. */

const root = new URL('../../', import.meta.url);
if (isBuilt(fileURLToPath(root))) await import(new URL('dist/lib/cli/main.js', root).href);
else {
  const { register } = await import('tsx/esm/api');
  register();
  await import('../cli/main.ts');
}
