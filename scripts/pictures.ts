/** Takes the pictures of the documentation from the report of a run against a fake with six mistakes: `npm run docs:pictures`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { renderHtml } from '../lib/report/html/page.ts';
import { startChromium } from '../test/chromium.ts';
import { failingRun } from '../test/sample-runs.ts';

const requirement = (id: string) => `[id="${id}"]`;

/** File name, and what of the page it shows; without a selector the page's beginning. */
const pictures: readonly (readonly [name: string, selector?: string])[] = [
  ['report'],
  ['matrix', '.operation'],
  ['walk', '.walk'],
  ['template', requirement('4.1/invalid-enrollment-template')],
];

const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
const browser = await startChromium();
try {
  const file = join(folder, 'index.html');
  writeFileSync(file, renderHtml(failingRun()));
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, colorScheme: 'light' });
  for (const [name, selector] of pictures) {
    await page.goto(pathToFileURL(file).href);
    const path = fileURLToPath(new URL(`../docs/${name}.png`, import.meta.url));
    if (selector === undefined) await page.screenshot({ path });
    else {
      await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).open = true`);
      await page.locator(selector).first().screenshot({ path });
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
