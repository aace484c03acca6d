import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from '../../../test/chromium.ts';
import { conformingRun, failingRun, hostileRun, littleRun } from '../../../test/sample-runs.ts';
import { isDifferent, tableOf } from '../compare.ts';
import { renderTable } from './table.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

const table = tableOf([conformingRun(), failingRun(), littleRun()]);

test('each report has a column, sections are folded, and only differences are shown on demand', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.setContent(renderTable(table));
  const differing = table.requirements.filter(({ states }) => isDifferent(states));
  expect(differing.length).toBeGreaterThan(0);
  expect(differing.length).toBeLessThan(table.requirements.length);
  expect(await page.locator('h1').textContent()).toBe(`3 reports, ${differing.length} requirements differ`);
  const row = page.getByRole('row').filter({ hasText: '4.2/take-maximum' });
  expect(await row.isVisible()).toBe(false);
  await page.getByText('§4.2').first().click();
  expect(await row.getByRole('cell').allTextContents()).toEqual(['✓ passed', '✗ failed', '○ not judged']);

  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
  expect(await page.locator('tbody tr:visible').count()).toBeGreaterThan(table.requirements.length);
  await page.getByRole('checkbox', { name: 'Only differences' }).check();
  expect(await page.locator('tbody tr.same:visible').count()).toBe(0);
  expect(await page.locator('tbody tr:visible .id').count()).toBeGreaterThanOrEqual(differing.length);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => ({ id, on: nodes[0]?.html.slice(0, 200) }))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a hostile report is shown as text', () => {
  const isMarkup = /<(script|img)/i.test(renderTable(tableOf([hostileRun(), conformingRun()])));
  expect(isMarkup).toBe(false);
});
