/** Writes the files that are generated from the table of options: `npm run docs:options`. */
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './options-page.ts';

for (const [path, content] of Object.entries(generatedFiles()))
  writeFileSync(new URL(`../${path}`, import.meta.url), content);
