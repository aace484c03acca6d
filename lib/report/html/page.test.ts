import { describe, expect, test } from 'vitest';
import { conformingRun, failingRun, hostileRun, largeRun, littleRun } from '../../../test/sample-runs.ts';
import { html } from '../template.ts';
import { renderHtml } from './page.ts';

test.each([conformingRun, failingRun, littleRun, largeRun, hostileRun])(
  'is one file under 5 MB that fetches nothing: %o',
  (run) => {
    const page = renderHtml(run());
    expect(Buffer.byteLength(page)).toBeLessThan(5_000_000);
    expect(page).toMatch(
      /^<!doctype html>\n<html lang="en">.*content="default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-/,
    );
    if (run === hostileRun) return; // What its text must not do, the browser tests see.
    expect(page).not.toMatch(/<(?:link|img|iframe|object|embed|base)\b/i);
    expect(page).not.toMatch(/\s(?:src|style|on\w+)=/i);
  },
);

describe('a template', () => {
  test('escapes what it is given', () => {
    expect(html`<a title="${'"><b>&\''}">${['<', 1, undefined, false, html`<i>`]}</a>`.markup).toBe(
      '<a title="&quot;&gt;&lt;b&gt;&amp;&#39;">&lt;1<i></a>',
    );
    expect(html`${'\u202e\u0000'}`.markup).toBe('\\u{202e}\\u{0}');
  });
});
