import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// A browser for the tests of this folder: the machine's own, else the one that comes as an npm package.

const installed = '/usr/bin/chromium';

/** A started browser; who starts it closes it. The package's own arguments are for lambdas: they would weaken what is tested. */
export async function startChromium(): Promise<Browser> {
  const args = ['--no-sandbox'];
  if (existsSync(installed)) return chromium.launch({ executablePath: installed, args });
  const { default: packaged } = await import('@sparticuz/chromium');
  return chromium.launch({ executablePath: await packaged.executablePath(), args });
}
