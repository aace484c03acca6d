import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// A browser for tests: the installed one, otherwise the one of an npm package.

const installed = '/usr/bin/chromium';

/** Starts a browser, which the caller closes. The package's own arguments are for AWS Lambda and would weaken the tests. */
export async function startChromium(): Promise<Browser> {
  const args = ['--no-sandbox'];
  if (existsSync(installed)) return chromium.launch({ executablePath: installed, args });
  const { default: packaged } = await import('@sparticuz/chromium');
  return chromium.launch({ executablePath: await packaged.executablePath(), args });
}
