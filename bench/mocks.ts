import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { contractFile } from '../lib/contract/load.ts';
import { costOf, environment, root } from './command.ts';

/**
 * Other people's servers that answer by an OpenAPI document. They are hundreds of packages, so they are installed when
 * they are wanted, beside this project's own.
 */
export interface Mock {
  /** `prism` */
  readonly name: string;
  /** With its version. */
  readonly title: string;
  /** How many times what it gives the fake is to give. */
  readonly goal: number;
  /** Versions that run on the oldest Node that this project runs on. */
  readonly packages: Readonly<Record<string, string>>;
  /** Versions of what those packages need, where newer ones need a newer Node. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** What Node is to run within the folder, for a port. */
  command(port: number): readonly string[];
  /** Files that are laid into the folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A mock that serves the shipped contract. */
export interface RunningMock {
  readonly origin: string;
  close(): Promise<void>;
}

export const mocks: readonly Mock[] = [
  {
    name: 'prism',
    title: 'Prism 5.14.2 (-v silent)',
    goal: 4,
    packages: { '@stoplight/prism-cli': '5.14.2' },
    overrides: {
      '@stoplight/prism-core': '5.8.0',
      '@stoplight/prism-http': '5.12.0',
      '@stoplight/prism-http-server': '5.12.2',
    },
    command: (port) => [
      'node_modules/@stoplight/prism-cli/dist/index.js',
      ...['mock', '-v', 'silent', '-h', '127.0.0.1', '-p', String(port), contractFile],
    ],
  },
  // Says that it wants Node 22, and runs on 20.
  scalar('0.14.4', 'document'),
  // The last one that says so itself; it does less, and is several times as fast.
  scalar('0.3.25', 'specification'),
];

/** `@scalar/mock-server`, served as its README shows it. `option` is what that version calls the document. */
function scalar(version: string, option: string): Mock {
  return {
    name: `scalar-${version}`,
    title: `@scalar/mock-server ${version}`,
    goal: 2.5,
    packages: { '@scalar/mock-server': version, '@hono/node-server': '1.19.0' },
    command: (port) => ['serve.mjs', contractFile, String(port)],
    files: {
      'serve.mjs': `
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createMockServer } from '@scalar/mock-server';

const [, , contract, port] = process.argv;
const app = await createMockServer({ ${option}: readFileSync(contract, 'utf8') });
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(port) });
`,
    },
  };
}

/** Where tools keep what they can make again. */
const defaultCache = join(root, 'node_modules/.cache/bench');

/** Milliseconds that a mock has to answer for the first time. */
const patience = 30_000;

/**
 * Installs a mock, unless it is there from an earlier run, and starts it.
 * @param cache the folder that has a folder of its own for each
 * @throws Error where the registry is not to be had, or the mock does not answer
 */
export async function startMock(mock: Mock, cache: string = defaultCache): Promise<RunningMock> {
  const folder = await installed(mock, cache);
  const port = await freePort();
  const child = spawn(process.execPath, mock.command(port), {
    cwd: folder,
    env: environment,
    stdio: 'ignore',
  });
  const origin = `http://127.0.0.1:${port}`;
  const until = performance.now() + patience;
  while (!(await answers(origin))) {
    await delay(100);
    if (child.exitCode === null && performance.now() < until) continue;
    await end(child);
    throw new Error(`${mock.title} does not answer`);
  }
  return { origin, close: () => end(child) };
}

/** The folder that a mock is installed in. */
async function installed(
  { title, packages, overrides = {}, files = {} }: Mock,
  cache: string,
): Promise<string> {
  const folder = join(cache, title.replaceAll(/[^\w.]+/g, '-'));
  const finished = join(folder, 'installed');
  if (existsSync(finished)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies: packages, overrides }),
  );
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  // Nothing of what the packages would run on installation is needed for serving.
  const quick = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--prefer-offline'];
  await costOf('npm', 'install', '--prefix', folder, ...quick).catch(() => {
    throw new Error(`npm can't install ${Object.keys(packages).join(', ')} here`);
  });
  writeFileSync(finished, '');
  return folder;
}

async function answers(origin: string): Promise<boolean> {
  const headers = { authorization: 'Bearer any' };
  const answer = await fetch(`${origin}/experimentation/experiments`, { headers }).catch(() => undefined);
  await answer?.text();
  return answer?.status === 200;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
