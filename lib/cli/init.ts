import { writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { shippedFile } from '../contract/document.ts';
import { initOptions } from './command-options.ts';
import { assertReplaceable, labelErrors } from './files.ts';
import { type Flags, parseFlags } from './options.ts';
import { programName } from './package.ts';
import { profileProperties } from './profile.ts';

/** `init`: writes a profile that names everything it may contain, each as a comment. */
export async function initCommand(flags: Flags): Promise<number> {
  const { out = initOptions.out.default, force } = parseFlags(initOptions, flags);
  assertReplaceable(out, force);
  labelErrors('--out', () => writeFileSync(out, commentedProfile(out)));
  process.stdout.write(`wrote ${out}; fill it in and run the suite: ${programName()} --profile ${out}\n`);
  return 0;
}

function commentedProfile(out: string): string {
  const schema = relative(dirname(resolve(out)), fileURLToPath(shippedFile('fixtures/profile.schema.json')));
  const properties = Object.entries(profileProperties()).map(
    ([key, { description, default: initial, examples }]) => {
      const [example] = [examples].flat();
      return `# ${description}\n${stringify({ [key]: initial ?? example }, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, '# ')}`;
    },
  );
  return [
    `# yaml-language-server: $schema=${schema}
# Profile of a conformance run (--profile FILE). Flags and environment variables beat the values here.
# env:NAME reads a secret from the environment. File names are relative to the directory of this file.
`,
    ...properties,
  ].join('\n');
}
