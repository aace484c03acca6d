/** Takes the screenshots of the documentation from the report of a run against a fake with six mistakes: `npm run docs:pictures`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { renderHtml } from '../lib/report/html/page.ts';
import { startChromium } from '../test/chromium.ts';
import { failingRun } from '../test/sample-runs.ts';

const requirement = (id: string) => `[id="${id}"]`;

const template = requirement('4.1/invalid-enrollment-template');

/** File name, and the part of the page that it shows (without a selector, its top), by default in the light theme on a desktop. */
const screenshots: readonly { name: string; selector?: string; width?: number; colorScheme?: 'dark' }[] = [
  { name: 'report' },
  { name: 'matrix', selector: '.operation' },
  { name: 'scope', selector: requirement('5.5/each-scope-alone-inferred') },
  { name: 'template', selector: template },
  { name: 'template-dark', selector: template, colorScheme: 'dark' },
  { name: 'template-phone', selector: template, width: 390 },
];

const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
const browser = await startChromium();
try {
  const file = join(folder, 'index.html');
  writeFileSync(file, renderHtml(failingRun()));
  for (const { name, selector, width = 1280, colorScheme = 'light' } of screenshots) {
    const page = await browser.newPage({ viewport: { width, height: 1000 }, colorScheme });
    await page.goto(pathToFileURL(file).href);
    const path = fileURLToPath(new URL(`../docs/${name}.png`, import.meta.url));
    if (selector === undefined) await page.screenshot({ path });
    else {
      await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).open = true`);
      await page.locator(selector).first().screenshot({ path });
    }
    await page.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
