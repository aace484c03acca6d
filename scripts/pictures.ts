/** Takes the screenshots of the documentation from the report of a run against a fake with six mistakes: `npm run docs:pictures`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { renderHtml } from '../lib/report/html/page.ts';
import { startChromium } from '../test/chromium.ts';
import { failingRun } from '../test/sample-runs.ts';

const requirement = (id: string) => `[id="${id}"]`;

/** File name, and the part of the page that it shows; without a selector, the top of the page. */
const screenshots: readonly (readonly [name: string, selector?: string])[] = [
  ['report'],
  ['matrix', '.operation'],
  ['walk', '.walk'],
  ['scope', requirement('5.5/each-scope-alone-inferred')],
  ['template', requirement('4.1/invalid-enrollment-template')],
];

/** The page in both themes, on a desktop and on a phone. */
const screens = [
  { suffix: '', width: 1280, colorScheme: 'light' },
  { suffix: '-dark', width: 1280, colorScheme: 'dark' },
  { suffix: '-phone', width: 390, colorScheme: 'light' },
  { suffix: '-phone-dark', width: 390, colorScheme: 'dark' },
] as const;

/** Names with a screenshot of each screen; the others have one. */
const onEachScreen = ['walk', 'scope', 'template'];

const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
const browser = await startChromium();
try {
  const file = join(folder, 'index.html');
  writeFileSync(file, renderHtml(failingRun()));
  for (const { suffix, width, colorScheme } of screens) {
    const page = await browser.newPage({ viewport: { width, height: 1000 }, colorScheme });
    for (const [name, selector] of screenshots) {
      if (suffix !== '' && !onEachScreen.includes(name)) continue;
      await page.goto(pathToFileURL(file).href);
      const path = fileURLToPath(new URL(`../docs/${name}${suffix}.png`, import.meta.url));
      if (selector === undefined) await page.screenshot({ path });
      else {
        await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).open = true`);
        await page.locator(selector).first().screenshot({ path });
      }
    }
    await page.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
