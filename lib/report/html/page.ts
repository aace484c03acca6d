import type { Report } from '../report.ts';

/** The report as one page. */
export function renderHtml(report: Report): string {
  return `<!doctype html><title>${report.verdict}</title>`;
}
