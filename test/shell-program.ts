import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { runHere } from './in-process.ts';

/**
 * Puts a program of this name into the folder. A shell that has the folder in its PATH runs the command line with it, in the
 * shell's directory and environment, but in the test's process: so a command takes no process that has to load everything again.
 */
export async function startShellProgram(folder: string, name: string): Promise<AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const { code, stdout, stderr } = await runIn(await textOf(request));
    response.end(`${code}\n${stdout}${stderr}`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const script = `#!/bin/bash
response=$({ printf '%s\\0' "$PWD" "$#" "$@"; env -0; } | curl -s http://127.0.0.1:${port}/ --data-binary @-; echo .)
response=\${response%.}
printf '%s' "\${response#*$'\\n'}"
exit "\${response%%$'\\n'*}"
`;
  writeFileSync(join(folder, name), script, { mode: 0o755 });
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}

/** Runs the command line as the script asks: its directory, the number of its words, these words, and its environment. */
async function runIn(received: string): ReturnType<typeof runHere> {
  const [directory = '', count, ...rest] = received.split('\0');
  const words = rest.slice(0, Number(count));
  const variables = rest.slice(words.length).filter((line) => line.includes('='));
  const environment = variables.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]);
  const before = process.cwd();
  process.chdir(directory);
  try {
    return await runHere(words, Object.fromEntries(environment));
  } finally {
    process.chdir(before);
  }
}
