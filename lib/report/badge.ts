import type { Report } from './report.ts';
import { judgedOfStated, tally } from './summary.ts';
import { count } from './text.ts';

const colors = { conforms: '#1a7f37', 'does-not-conform': '#b3261e', incomplete: '#5f6368' };

/** A badge for a README: the verdict, and how much was judged. */
export function renderBadge(report: Report): string {
  const { judged, of, deselected } = judgedOfStated(report.requirements);
  const { failed } = tally(report.requirements);
  const value = {
    conforms: `conforms ${count(judged)}/${count(of)}`,
    'does-not-conform': failed > 0 ? `${count(failed)} failed` : 'does not conform',
    incomplete: `incomplete ${count(judged)}/${count(of)}${deselected > 0 ? `, ${count(deselected)} deselected` : ''}`,
  }[report.verdict];
  const left = width('conformance');
  const right = width(value);
  const label = `conformance: ${value}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}">`,
    `<title>${label}</title>`,
    `<clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3c4043"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${colors[report.verdict]}"/></g>`,
    '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    `<text x="${left / 2}" y="14" textLength="${left - 12}">conformance</text>`,
    `<text x="${left + right / 2}" y="14" textLength="${right - 12}">${value}</text></g></svg>`,
    '',
  ].join('\n');
}

/** A character of Verdana at 11 pixels is about 6.6 pixels wide; `textLength` corrects the difference for other fonts. */
function width(text: string): number {
  return Math.round(text.length * 6.6) + 12;
}
