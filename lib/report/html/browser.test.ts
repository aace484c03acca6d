import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from '../../../test/chromium.ts';
import { conformingRun, failingRun, hostileRun, largeRun, littleRun } from '../../../test/sample-runs.ts';
import { renderJunit } from '../junit.ts';
import type { OperationVerdict, Report, RequirementResult } from '../report.ts';
import { renderHtml } from './page.ts';

let browser: Browser;
let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'report-html-'));
  browser = await startChromium();
}, 60_000);
afterAll(async () => {
  await browser?.close();
});

interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** What the page complained about, and what else it requested. */
  readonly complaints: string[];
}

/** Opens a page from disk, as people do. */
async function open(
  content: string,
  { hash = '', ...options }: BrowserContextOptions & { hash?: string } = {},
): Promise<Opened> {
  const file = join(directory, 'index.html');
  await writeFile(file, content);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(pathToFileURL(file).href)) complaints.push(`requested ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href + hash);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

const runs: Readonly<Record<string, () => Report>> = {
  conformingRun,
  failingRun,
  littleRun,
  largeRun,
};
const phone = { width: 390, height: 844 };

/** What axe finds in a report. Of hundreds of rows the parts are the same, but axe would take half a minute. */
async function violations(report: Report, colorScheme: 'light' | 'dark', rules?: string[]) {
  await using opened = await open(renderHtml(report), { colorScheme });
  await opened.page.evaluate(
    `for (const details of [...document.querySelectorAll('.requirement')].slice(0, 6)) details.open = true;
    const keepFirst = (most, selector) => {
      for (const element of [...document.querySelectorAll(selector)].slice(most)) element.remove();
    };
    keepFirst(20, '.operation');
    keepFirst(30, 'tr');
    keepFirst(12, '.requirement');
    keepFirst(30, 'option');
    keepFirst(10, 'section[aria-labelledby=inputs] details');`,
  );
  const axe = new AxeBuilder({ page: opened.page });
  if (rules !== undefined) axe.withRules(rules);
  const found = await axe.analyze();
  expect(opened.complaints).toEqual([]);
  return found.violations.map(({ id, impact, nodes }) => ({ id, impact, on: nodes[0]?.html.slice(0, 200) }));
}

test('axe finds nothing in the colors of the dark theme', { timeout: 180_000 }, async () => {
  expect(await violations(failingRun(), 'dark', ['color-contrast'])).toEqual([]);
});

describe.each(Object.entries(runs))('%s', (_, run) => {
  test('axe finds nothing', { timeout: 180_000 }, async () => {
    expect(await violations(run(), 'light')).toEqual([]);
  });

  test('no page is wider than a phone', async () => {
    await using opened = await open(renderHtml(run()), { viewport: phone });
    expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
  });
});

describe('requirements', () => {
  const rows = '.requirement:not([hidden])';

  test('are filtered by verdict, level, operation and text', async () => {
    await using opened = await open(renderHtml(failingRun()));
    const { page } = opened;
    const shown = () => page.locator(`section:not([hidden]) > ${rows}`).count();
    const { requirements, summary } = failingRun();
    const failed = requirements.filter(({ verdict }) => verdict === 'failed');
    expect(await shown()).toBe(requirements.length);
    for (const name of ['passed', 'warned', 'not judged'])
      await page.getByRole('checkbox', { name }).uncheck();
    expect(await shown()).toBe(failed.length);
    expect(await page.locator('[data-of=requirement] output').textContent()).toBe(
      `${failed.length} requirements`,
    );
    await page.locator('select[name=operation]').selectOption('listActionVersions');
    expect(await shown()).toBe(
      failed.filter(({ operations }) => operations.includes('listActionVersions')).length,
    );
    await page.locator('select[name=operation]').selectOption('listExperiments');
    await page.locator('[data-of=requirement] input[type=search]').fill('above the maximum');
    expect(await shown()).toBe(1);
    await page.locator('[data-of=requirement] input[type=search]').fill('nothing of the kind');
    expect(await page.locator('.nothing').last().isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Reset' }).last().click();
    await page.getByLabel('Level').selectOption('inferred');
    const { passed, warned, not_judged } = summary.inferred;
    expect(await shown()).toBe(passed + warned + not_judged);
  });

  test('are linked to, opened and shown whatever the filters say', async () => {
    await using opened = await open(renderHtml(failingRun()), { hash: '#4.2/take-maximum' });
    const { page } = opened;
    const row = page.locator('[id="4.2/take-maximum"]');
    expect(await row.getAttribute('open')).not.toBeNull();
    expect((await row.boundingBox())?.y).toBeLessThan(100);
    await page.getByRole('checkbox', { name: 'failed' }).uncheck();
    expect(await row.isVisible()).toBe(false);
    await page.locator('.broken a', { hasText: '4.1/invalid-enrollment-template' }).click();
    await page.locator('[id="4.1/invalid-enrollment-template"] .points').waitFor();
    expect(page.url()).toMatch(/#4\.1\/invalid-enrollment-template$/);
  });

  test('show the exchange that decides, with the difference marked', async () => {
    await using opened = await open(renderHtml(failingRun()), { hash: '#8/checkpoint-walk-complete' });
    const row = opened.page.locator('[id="8/checkpoint-walk-complete"]');
    expect(await row.locator('.exchange.decisive').count()).toBe(1);
    const exchange = (kind: string) => opened.page.locator(`[id="4.2/take-maximum"] .pair .${kind}`);
    expect(await exchange('decisive').locator('mark').allTextContents()).toEqual(['?take=51', '200']);
    expect(await exchange('twin').textContent()).toContain('Valid request that was served');
  });

  test('give their commands to the clipboard', async () => {
    await using opened = await open(renderHtml(failingRun()), {
      hash: '#4.2/take-maximum',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const copyable = opened.page.locator('[id="4.2/take-maximum"] .copyable').first();
    await copyable.getByRole('button').click();
    await opened.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await opened.page.evaluate('navigator.clipboard.readText()')).toBe(
      await copyable.locator('code').textContent(),
    );
  });

  test('can be read without JavaScript, from the keyboard too', async () => {
    await using opened = await open(renderHtml(failingRun()), { javaScriptEnabled: false });
    const { page } = opened;
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    expect(await page.locator('.filters').first().isVisible()).toBe(false);
    await page.locator('[id="4.2/take-maximum"] > summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('[id="4.2/take-maximum"] .points').isVisible()).toBe(true);
  });
});

describe('the table of operations', () => {
  /** The large run as if these operations had broken a requirement. */
  const brokenOn = (...broken: readonly string[]): Report => {
    const run = largeRun();
    const requirements = run.requirements.map((result): RequirementResult => {
      if (result.id !== '5.5/each-scope-alone') return result;
      const by_operation = result.by_operation.map((each): OperationVerdict => {
        return broken.includes(each.operation)
          ? { ...each, verdict: 'failed', reason: `expected 403; received 200 by ${each.operation}` }
          : each;
      });
      return { ...result, verdict: 'failed', by_operation };
    });
    return { ...run, requirements, verdict: 'does-not-conform' };
  };
  const rows = 'table.operations tr[data-verdict]:visible';

  test('folds by verdict and by operation, and links both ways', async () => {
    await using opened = await open(renderHtml(brokenOn('read_resource_3', 'delete_resource_7')));
    const { page } = opened;
    expect(await page.locator('table.operations tr[data-verdict]').count()).toBe(150);
    expect(await page.locator(rows).locator('summary').allTextContents()).toEqual([
      'read_resource_3 GET /resource_3',
      'delete_resource_7 DELETE /resource_7/{id}',
    ]);
    const row = page.locator('[id="operation:delete_resource_7"]');
    await row.locator('summary').click();
    expect(await row.textContent()).toContain('expected 403; received 200 by delete_resource_7');
    await row.getByRole('link', { name: '5.5/each-scope-alone' }).click();
    const requirement = page.locator('[id="5.5/each-scope-alone"]');
    await requirement.getByRole('link', { name: 'read_resource_3' }).click();
    // The page opens what a link leads to in a task of its own.
    await page.locator('[id="operation:read_resource_3"][open]').waitFor();
    // Even if it is folded.
    await page.goto(`${page.url().replace(/#.*/, '')}#operation:read_resource_24`);
    await page.locator('[id="operation:read_resource_24"]').waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test('is filtered by text and verdict', async () => {
    await using opened = await open(renderHtml(brokenOn('read_resource_3', 'delete_resource_7')));
    const { page } = opened;
    const section = page.locator('section[aria-labelledby=operations]');
    await section.getByRole('searchbox').fill('/resource_24');
    expect(await page.locator(rows).count()).toBe(5);
    expect(await section.getByRole('status').textContent()).toBe('5 operations');
    await section.getByRole('button', { name: 'Reset' }).click();
    await section.getByRole('searchbox').fill('each-scope-alone');
    expect(await page.locator(rows).count()).toBe(2);
    await section.getByRole('checkbox', { name: 'does not conform' }).uncheck();
    expect(await section.getByText('No operation matches').isVisible()).toBe(true);
    // The requirements have filters of their own.
    expect(await page.locator('.requirement[hidden]').count()).toBe(0);
  });
});

describe('the matrix', () => {
  test('names the scope and the status of a cell that is not refused', async () => {
    await using opened = await open(renderHtml(failingRun()));
    const titles = await opened.page.locator('svg.cells').first().locator('title').allTextContents();
    expect(titles).toContain('read:agents → 200: wrong response');
  });

  test('of 150 operations is closed if nothing is wrong', async () => {
    await using opened = await open(renderHtml(largeRun()));
    expect(await opened.page.locator('details.operation').count()).toBe(150);
    expect(await opened.page.locator('details.operation[open]').count()).toBe(0);
  });
});

test('on paper what did not pass stands open, the filters are hidden, the ground is white', async () => {
  await using opened = await open(renderHtml(failingRun()), { colorScheme: 'dark' });
  const { page } = opened;
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  const { stated, inferred } = failingRun().summary;
  expect(await page.locator('.requirement[open]').count()).toBe(stated.failed + inferred.warned);
  expect(await page.locator('.filters').first().isVisible()).toBe(false);
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  expect(await page.locator('.requirement[open]').count()).toBe(0);
  expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
});

describe('a hostile target', () => {
  test('cannot run or deface anything', async () => {
    await using opened = await open(renderHtml(hostileRun()));
    // Everything is opened and pointed at, so that whatever waits for it had its chance.
    await opened.page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true;
      for (const element of document.querySelectorAll('*')) element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));`);
    const found = await opened.page.evaluate(`({
      pwned: typeof globalThis.pwned,
      title: document.title.includes('DOES NOT CONFORM'),
      scripts: document.scripts.length,
      styles: document.querySelectorAll('style').length,
      foreign: document.querySelectorAll('img, iframe, object, embed, link, base, [onmouseover], [onerror], a[href^="javascript"]').length,
      shown: getComputedStyle(document.body).display,
      text: document.body.innerText,
      width: document.documentElement.scrollWidth,
    })`);
    expect(found).toMatchObject({
      pwned: 'undefined',
      title: true,
      scripts: 1,
      styles: 1,
      foreign: 0,
      shown: 'block',
      width: 1280,
    });
    expect(found).toHaveProperty('text', expect.stringContaining('<script>globalThis.pwned = true'));
    for (const acting of ['\u0000', '\u001b', '\u009b', '\u202e', '\u2066', '\u200f']) {
      expect(found).toHaveProperty('text', expect.not.stringContaining(acting));
    }
    expect(opened.complaints).toEqual([]);
  });

  test('cannot be let in by the page’s policy', async () => {
    await using opened = await open(renderHtml(conformingRun()));
    await opened.page.evaluate(`const script = document.createElement('script');
      script.textContent = 'globalThis.pwned = true';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="globalThis.pwned = true"><p style="display: none">');`);
    expect(
      await opened.page.evaluate(
        '[typeof globalThis.pwned, getComputedStyle(document.body.lastElementChild).display].join()',
      ),
    ).toBe('undefined,block');
    expect(opened.complaints.join()).toContain('Content Security Policy');
  });

  test('leaves junit.xml well-formed, of the elements and attributes that Jenkins’ schema has', async () => {
    await using opened = await open(renderHtml(conformingRun()));
    const parsed: unknown = await opened.page.evaluate(`(() => {
      const document = new DOMParser().parseFromString(${JSON.stringify(renderJunit(hostileRun()))}, 'application/xml');
      const names = (elements) => [...new Set(elements)].sort().join(' ');
      const all = [...document.querySelectorAll('*')];
      const attributes = (tag) => names(all.filter((one) => one.tagName === tag).flatMap((one) => one.getAttributeNames()));
      return {
        elements: names(all.map(({ tagName }) => tagName)),
        testsuites: attributes('testsuites'), testsuite: attributes('testsuite'), testcase: attributes('testcase'),
        cases: document.querySelectorAll('testsuites > testsuite > testcase').length,
      };
    })()`);
    expect(parsed).toEqual({
      elements: 'failure properties property skipped system-out testcase testsuite testsuites',
      testsuites: 'errors failures name tests time',
      testsuite: 'errors failures name skipped tests time timestamp',
      testcase: 'classname name time',
      cases: hostileRun().requirements.length,
    });
  });
});
