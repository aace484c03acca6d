import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Report } from '../report.ts';
import { html, trusted } from '../template.ts';
import { headline } from '../terminal.ts';
import { line } from '../text.ts';
import { inputs } from './inputs.ts';
import { matrix } from './matrix.ts';
import { operations } from './operations.ts';
import { baseline, broken, head, notJudged, observations, sectionStrip } from './overview.ts';
import { requirements } from './requirements.ts';

const readAsset = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/**
 * The report as one page that needs no network and no other file, and can be read without scripts. Its Content-Security-Policy
 * allows only its own style and script.
 */
export function renderHtml(report: Report): string {
  const parts = [broken, baseline, operations, requirements, notJudged, matrix, inputs, observations];
  const [styles, code] = [readAsset('style.css'), readAsset('browser.js')];
  const policy = `default-src 'none'; script-src '${digest(code)}'; style-src '${digest(styles)}'; base-uri 'none'; form-action 'none'`;
  const { suite, target } = report;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>${headline(report)} · ${line(target.base_url, 200)}</title><style>${trusted(styles)}</style></head>
<body><div class="page">
${head(report)}${sectionStrip(report)}<main>${parts.map((part) => part(report))}</main>
<footer class="quiet"><p>Generated from report.json by ${line(suite.name, 80)} ${line(suite.version, 40)}. It contains no tokens: they are shown as <code>$TOKEN</code>.</p></footer>
</div><script>${trusted(code)}</script></body></html>
`.markup;
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
