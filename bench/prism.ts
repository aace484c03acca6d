import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { contractFile } from '../lib/contract/load.ts';
import { freePort } from '../test/free-port.ts';
import { cpuSecondsOf, root, startMeasured, stop } from './process.ts';

/** The last version that runs on Node 20, with the versions of its own packages that do. */
const manifest = {
  private: true,
  dependencies: { '@stoplight/prism-cli': '5.14.2' },
  overrides: {
    '@stoplight/prism-core': '5.8.0',
    '@stoplight/prism-http': '5.12.0',
    '@stoplight/prism-http-server': '5.12.2',
  },
};

const folder = join(root, 'node_modules/.cache/prism');

/**
 * Starts Prism on the shipped contract. It is hundreds of packages, so it is installed only when it is first wanted.
 * @throws Error if it cannot be installed or does not answer
 */
export async function startPrism(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const installed = join(folder, 'installed');
  if (!existsSync(installed)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--prefer-offline'];
    await cpuSecondsOf('npm', 'install', '--prefix', folder, ...flags).catch(() => {
      throw new Error('Prism cannot be installed here');
    });
    writeFileSync(installed, '');
  }
  const port = await freePort();
  const cli = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const args = ['mock', '-v', 'silent', '-h', '127.0.0.1', '-p', String(port), contractFile];
  const child = startMeasured(cli, ...args);
  const url = `http://127.0.0.1:${port}/experimentation/experiments?take=25`;
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt += 1) {
    const response = await fetch(url, { headers: { authorization: 'Bearer any' } }).catch(() => undefined);
    await response?.text();
    if (response?.status === 200) return { child, url };
    await delay(100);
  }
  await stop(child);
  throw new Error('Prism does not answer');
}
