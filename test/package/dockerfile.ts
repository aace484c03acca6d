import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';

/**
 * Runs the steps of the project's Dockerfile without Docker, in an empty folder that takes the place of the root of the image.
 * @returns the path of the entry point
 */
export async function runDockerfile(root: string, folder: string): Promise<string> {
  const inImage = (command: string): string => command.replaceAll(/(?<=\s|^)\/(?=\w)/g, `${folder}/`);
  let directory = folder;
  let entryPoint = '';
  for (const line of readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n')) {
    const [, instruction, value = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    switch (instruction) {
      case 'WORKDIR':
        directory = inImage(value);
        mkdirSync(directory, { recursive: true });
        break;
      case 'COPY':
        if (value === '. .') copySources(root, directory);
        else {
          const [, source = '', target = ''] = /^--from=\w+ (\S+) (\S+)$/.exec(value) ?? [];
          await run(directory, 'sh', '-c', inImage(`mkdir -p ${target} && cp ${source} ${target}`));
        }
        break;
      case 'RUN':
        // The folder of the image's global packages.
        await run(directory, 'sh', '-c', `export npm_config_prefix=${folder}/usr; ${inImage(value)}`);
        break;
      case 'ENTRYPOINT':
        entryPoint = join(folder, 'usr/bin', JSON.parse(value)[0]);
        break;
      default:
      // FROM, USER and comments: one file system and one user are enough here.
    }
  }
  return entryPoint;
}

/** Copies what Docker would send to the build, and a few reports. */
function copySources(root: string, target: string): void {
  const ignored = ['.git', 'dist', 'node_modules'].map((name) => join(root, name));
  cpSync(root, target, { recursive: true, filter: (path) => !ignored.includes(join(path)) });
}
